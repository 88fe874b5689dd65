// Infers from the names of existing daily notes where a vault without settings keeps them, and how it names them.
import { fileKindOf, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Store } from '../../contracts/store.ts';
import { formatMoment } from '../../markdown/frontmatter/moment-format.ts';

export interface DailyHabit {
  /** Moment.js formats of the folder, empty for the vault's root, and of the name. */
  readonly folder: string;
  readonly format: string;
}

const USUAL: DailyHabit = { folder: '', format: 'YYYY-MM-DD' };
/** A day as a whole file name, with one separator or none. */
const DAY_NAME = /^(\d{4})([-_.]?)(\d{2})\2(\d{2})$/;
/** Folders that change with the day. */
const FOLDER_FORMATS = ['YYYY', 'MM', 'YYYY-MM', 'MM-MMMM', 'MMMM'];
const ROWS_PER_TURN = 2_000;

export async function dailyHabit(store: Store, signal: AbortSignal): Promise<DailyHabit> {
  return habitIn(await store.fileStates(signal));
}

/** The folder and name of most daily notes; of two equally frequent ones the one with the later day. */
export async function habitIn(files: readonly { readonly path: string }[]): Promise<DailyHabit> {
  const found = new Map<string, { count: number; latest: string; habit: DailyHabit }>();
  for (const [row, { path }] of files.entries()) {
    if (row % ROWS_PER_TURN === 0) await letOthersRun();
    const named = habitOf(path);
    if (named === undefined) continue;
    const { day, habit } = named;
    const key = JSON.stringify(habit);
    const { count = 0, latest = day } = found.get(key) ?? {};
    found.set(key, { count: count + 1, latest: latest > day ? latest : day, habit });
  }
  const order = [...found.values()].sort(
    (one, other) => other.count - one.count || (one.latest > other.latest ? -1 : 1),
  );
  return order[0]?.habit ?? USUAL;
}

function habitOf(path: string): { readonly day: string; readonly habit: DailyHabit } | undefined {
  const [, year, sign = '', month, day] = (fileKindOf(path) === 'note' && DAY_NAME.exec(noteName(path))) || [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const exists = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  if (year === undefined || !exists) return undefined;
  const folder = path.split('/').slice(0, -1);
  const habit = {
    folder: folder.map((segment) => formatOf(segment, date)).join('/'),
    format: ['YYYY', 'MM', 'DD'].join(sign),
  };
  return { day: `${year}-${month}-${day}`, habit };
}

/** The format that gives the segment on that day, or else the segment itself, quoted. */
function formatOf(segment: string, date: Date): string {
  const format = FOLDER_FORMATS.find((each) => {
    const formatted = formatMoment(date, each);
    return 'text' in formatted && formatted.text === segment;
  });
  return format ?? segment.replace(/[^[\]]+/g, '[$&]');
}
