// Shows the progress of a long command: a bar on a terminal, plain or JSON lines elsewhere.
import { Presets, SingleBar } from 'cli-progress';
import { oneLine, visibleJson, visibleText } from '../../base/visible-controls.ts';
import { screen, USUAL_COLUMNS } from '../output.ts';
import { cutToWidth, widthOf } from './wrap-text.ts';

/** Frequent enough to show life in a log file, rare enough to keep it short. */
const LINE_EVERY_MS = 2_000;

/** How progress is shown. */
export interface Manner {
  /** Prints JSON lines for another program. */
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface Progress {
  /** @param note an addition such as ` (waiting for the provider)` */
  show(done: number, total: number, note?: string): void;
  end(): void;
}

/** The stream for progress: stderr, because stdout is the command's result. */
export interface Screen extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The pace since the first call: work done by an earlier run says nothing about this one. */
interface Pace {
  readonly perSecond: number;
  /** Undefined until there is a pace. */
  readonly secondsLeft: number | undefined;
}

const SILENT: Progress = Object.freeze({ show: () => undefined, end: () => undefined });

export function showProgress(label: string, manner: Manner = {}, on: Screen = screen): Progress {
  if (manner.quiet) return SILENT;
  if (manner.json) return lines((...progress) => jsonLine(label, ...progress), on);
  const isDrawn = on.isTTY === true && process.env.TERM !== 'dumb';
  return isDrawn ? bar(label, on) : lines((...progress) => textLine(label, ...progress), on);
}

function bar(label: string, stream: Screen): Progress {
  const drawn = new SingleBar(
    {
      format: (_options, { progress, value, total }, { pace, note }) =>
        barLine(
          [visibleText(label), `${Math.floor(progress * 100)}% · ${value}/${total} · ${pace}${note}`],
          progress,
          stream,
        ),
      stream,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  const paceOf = measurePace();
  let isStarted = false;
  return {
    show: (done, total, note = '') => {
      if (total === 0 && note === '') return;
      const payload = { pace: paceText(paceOf(done, total)), note: oneLine(visibleText(note)) };
      if (!isStarted) drawn.start(total, done, payload);
      isStarted = true;
      drawn.setTotal(total);
      drawn.update(done, payload);
    },
    end: () => drawn.stop(),
  };
}

const MAX_BAR = 40;
const MIN_BAR = 5;

/** A bar between the two texts, as long as there is room for; a narrow screen cuts the end. */
function barLine([before, after]: readonly [string, string], progress: number, { columns }: Screen): string {
  // A terminal moves to the next line after its last column.
  const width = (columns || USUAL_COLUMNS) - 1;
  const room = Math.min(MAX_BAR, width - widthOf(`${before}  ${after}`));
  if (room < MIN_BAR) return cutToWidth(`${before} ${after}`, width);
  const done = Math.round(progress * room);
  const { barCompleteChar, barIncompleteChar } = Presets.shades_classic;
  return `${before} ${barCompleteChar.repeat(done)}${barIncompleteChar.repeat(room - done)} ${after}`;
}

type Seen = readonly [done: number, total: number, pace: Pace, note: string];

/** Prints a line at once for each new note, and otherwise every few seconds. */
function lines(lineOf: (...seen: Seen) => string, stream: Screen): Progress {
  const paceOf = measurePace();
  let last = 0;
  let lastNote = '';
  return {
    show: (done, total, note = '') => {
      const pace = paceOf(done, total);
      if ((total === 0 && note === '') || (note === lastNote && Date.now() - last < LINE_EVERY_MS)) return;
      last = Date.now();
      lastNote = note;
      stream.write(lineOf(done, total, pace, note));
    },
    end: () => undefined,
  };
}

function textLine(label: string, ...[done, total, pace, note]: Seen): string {
  return `${oneLine(visibleText(`${label} ${done}/${total} · ${paceText(pace)}${note}`))}\n`;
}

function jsonLine(label: string, ...[done, total, { perSecond, secondsLeft }, note]: Seen): string {
  const left = secondsLeft === undefined ? {} : { seconds_left: secondsLeft };
  const shown = note === '' ? {} : { note: note.replace(/^[ ·]+/, '') };
  return `${visibleJson({ progress: label, done, total, per_second: perSecond, ...left, ...shown })}\n`;
}

function paceText({ perSecond, secondsLeft }: Pace): string {
  const left = secondsLeft === undefined ? '' : ` · ${duration(secondsLeft)} left`;
  return `${perSecond}/s${left}`;
}

/** Measures the pace from the first call on. */
function measurePace(): (done: number, total: number) => Pace {
  let first: { readonly atMs: number; readonly done: number } | undefined;
  return (done, total) => {
    first ??= { atMs: performance.now(), done };
    const seconds = (performance.now() - first.atMs) / 1_000;
    const perSecond = seconds > 0 ? Math.max(0, done - first.done) / seconds : 0;
    const secondsLeft = perSecond > 0 ? Math.ceil((total - done) / perSecond) : undefined;
    return { perSecond: perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond), secondsLeft };
  };
}

/** `45 s`, `3 min 20 s`, `1 h 5 min`. */
function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
