// How far a long command is: a bar on a terminal, a plain line now and then elsewhere. Knows nothing of what is counted.
import { Presets, SingleBar } from 'cli-progress';

/** Often enough to see life in a log file, seldom enough to keep it short. */
const LINE_EVERY_MS = 2_000;

export interface Progress {
  /** @param note what else there is to say now, ` (waiting for the provider)` */
  show(done: number, total: number, note?: string): void;
  end(): void;
}

/** Writes to stderr, so that a command's stdout stays its result. */
export function showProgress(label: string): Progress {
  const began = performance.now();
  const rate = (done: number): string => `${Math.round((done * 1_000) / Math.max(1, performance.now() - began))}/s`;
  return process.stderr.isTTY ? barProgress(label, rate) : lineProgress(label, rate);
}

function barProgress(label: string, rate: (done: number) => string): Progress {
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage}% · {value}/{total} · {rate} · {eta_formatted} left{note}`,
      stream: process.stderr,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    show: (done, total, note = '') => {
      if (total === 0 && note === '') return;
      const payload = { rate: rate(done), note };
      if (!started) bar.start(total, done, payload);
      started = true;
      bar.setTotal(total);
      bar.update(done, payload);
    },
    end: () => bar.stop(),
  };
}

function lineProgress(label: string, rate: (done: number) => string): Progress {
  let last = 0;
  let said = '';
  return {
    show: (done, total, note = '') => {
      if ((total === 0 && note === '') || (note === said && Date.now() - last < LINE_EVERY_MS)) return;
      last = Date.now();
      said = note;
      process.stderr.write(`${label} ${done}/${total} · ${rate(done)}${note}\n`);
    },
    end: () => undefined,
  };
}
