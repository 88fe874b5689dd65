// How far a long command is: a bar on a terminal, a plain line now and then elsewhere. Knows nothing of what is counted.
import { Presets, SingleBar } from 'cli-progress';

/** Often enough to see life in a log file, seldom enough to keep it short. */
const LINE_EVERY_MS = 2_000;

export interface Progress {
  show(done: number, total: number): void;
  end(): void;
}

/** Writes to stderr, so that a command's stdout stays its result. */
export function showProgress(label: string): Progress {
  return process.stderr.isTTY ? barProgress(label) : lineProgress(label);
}

function barProgress(label: string): Progress {
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage}% · {value}/{total} · {eta_formatted} left`,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    show: (done, total) => {
      if (total === 0) return;
      if (!started) bar.start(total, done);
      started = true;
      bar.setTotal(total);
      bar.update(done);
    },
    end: () => bar.stop(),
  };
}

function lineProgress(label: string): Progress {
  let last = 0;
  return {
    show: (done, total) => {
      if (total === 0 || Date.now() - last < LINE_EVERY_MS) return;
      last = Date.now();
      process.stderr.write(`${label} ${done}/${total}\n`);
    },
    end: () => undefined,
  };
}
