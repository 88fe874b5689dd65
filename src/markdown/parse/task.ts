// The checkbox that a list item may begin with, and what its mark means.
import { isBlank, skipBlanks, trimWhiteSpace } from './characters.ts';

export type TaskStatus = 'open' | 'done' | 'cancelled';

/** One character between brackets and a blank behind them. */
export interface Checkbox {
  readonly mark: string;
  /** The rest of the line, without the white space round it. */
  readonly text: string;
}

const OPENING = 91;
const CLOSING = 93;
const LAST_BMP_CODE_POINT = 0xffff;

/** Of an item's text on its first line; an item without text behind its box is none, as nobody can say what it asks for. */
export function checkboxAt(text: string, from: number, to: number): Checkbox | undefined {
  if (text.charCodeAt(from) !== OPENING) return undefined;
  const close = from + 1 + ((text.codePointAt(from + 1) ?? 0) > LAST_BMP_CODE_POINT ? 2 : 1);
  if (close + 1 >= to || text.charCodeAt(close) !== CLOSING || !isBlank(text.charCodeAt(close + 1))) return undefined;
  const start = skipBlanks(text, close + 1, to);
  const end = trimWhiteSpace(text, start, to);
  return end === start ? undefined : { mark: text.slice(from + 1, close), text: text.slice(start, end) };
}

const CLOSED: ReadonlyMap<string, TaskStatus> = new Map([
  ['x', 'done'],
  ['X', 'done'],
  ['-', 'cancelled'],
]);

/** The marks that mean anything but open. */
export const CLOSED_MARKS: readonly string[] = [...CLOSED.keys()];

/** Any other mark, such as `/`, is one of those that people give their open tasks. */
export function taskStatus(mark: string): TaskStatus {
  return CLOSED.get(mark) ?? 'open';
}

/** Days as `2026-11-20`. What the text names twice counts as it stands first. */
interface TaskFields {
  readonly due?: string;
  readonly scheduled?: string;
  readonly start?: string;
  readonly done?: string;
  readonly cancelled?: string;
  readonly created?: string;
  readonly priority?: Priority;
  readonly recurrence?: string;
}

type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';
type DateField = 'due' | 'scheduled' | 'start' | 'done' | 'cancelled' | 'created';

const DATE_FIELDS: Readonly<Record<string, DateField>> = {
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  due: 'due',
  '⏳': 'scheduled',
  '⌛': 'scheduled',
  scheduled: 'scheduled',
  '🛫': 'start',
  start: 'start',
  '✅': 'done',
  completion: 'done',
  '❌': 'cancelled',
  cancelled: 'cancelled',
  '➕': 'created',
  created: 'created',
};

const PRIORITIES: Readonly<Record<string, Priority>> = {
  '🔺': 'highest',
  '⏫': 'high',
  '🔼': 'medium',
  '🔽': 'low',
  '⏬': 'lowest',
  highest: 'highest',
  high: 'high',
  medium: 'medium',
  low: 'low',
  lowest: 'lowest',
};

const DAY = String.raw`(\d{4}-\d{2}-\d{2})(?!\d)`;
/** A sign may be followed by the selector that makes it a picture. */
const EMOJI_DAY = new RegExp(String.raw`([📅📆🗓⏳⌛🛫✅❌➕])\uFE0F? *${DAY}`, 'gu');
/** Within brackets, or bare behind a blank: `[due:: 2026-11-20]`, `(due:: 2026-11-20)`, `due:: 2026-11-20`. */
const FIELD_DAY = new RegExp(
  String.raw`(?<![^\s[(])(due|scheduled|start|completion|cancelled|created)[ \t]*::[ \t]*${DAY}`,
  'giu',
);
const EMOJI_PRIORITY = /[🔺⏫🔼🔽⏬]/u;
const FIELD_PRIORITY = /[[(]priority[ \t]*::[ \t]*(highest|high|medium|low|lowest)[ \t]*[\])]/iu;
const EMOJI_RECURRENCE = /🔁\uFE0F?([a-zA-Z0-9, !]+)/u;
const FIELD_RECURRENCE = /[[(]repeat[ \t]*::([a-zA-Z0-9, !]{1,100})[\])]/iu;
/** A run of backticks begins where none stands before. */
const CODE = /(?<!`)(`+)(?!`)[^`](?:.*?[^`])??\1(?!`)/gu;
/** What any of it needs: most tasks have none. */
const MAY_HAVE_FIELDS = /[📅📆🗓⏳⌛🛫✅❌➕🔁🔺⏫🔼🔽⏬]|::/u;

/** What stands behind is read by nobody, so that a hostile line costs no more than its length. */
const MAX_LENGTH = 2_000;

/** Fields in code spans are examples, and a day that no month has is no day. */
export function taskFields(text: string): TaskFields {
  const task = text.slice(0, MAX_LENGTH);
  if (!MAY_HAVE_FIELDS.test(task)) return {};
  const read = task.includes('`') ? task.replace(CODE, ' ') : task;
  const priority = EMOJI_PRIORITY.exec(read)?.[0] ?? FIELD_PRIORITY.exec(read)?.[1]?.toLowerCase();
  const recurrence = (EMOJI_RECURRENCE.exec(read)?.[1] ?? FIELD_RECURRENCE.exec(read)?.[1])?.trim();
  return {
    ...daysIn(read),
    ...(priority === undefined ? {} : { priority: PRIORITIES[priority] as Priority }),
    ...(recurrence === undefined || recurrence === '' ? {} : { recurrence }),
  };
}

function daysIn(text: string): { readonly [name in DateField]?: string } {
  const days: { [name in DateField]?: string } = {};
  for (const [, sign = '', day = ''] of [...text.matchAll(EMOJI_DAY), ...text.matchAll(FIELD_DAY)]) {
    const name = DATE_FIELDS[sign.toLowerCase()];
    if (name !== undefined && days[name] === undefined && isDay(day)) days[name] = day;
  }
  return days;
}

function isDay(written: string): boolean {
  const [year = 0, month = 0, day = 0] = written.split('-').map(Number);
  const at = new Date(Date.UTC(year, month - 1, day));
  // A year below 100 would be read as one of the last century.
  return year >= 100 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}
