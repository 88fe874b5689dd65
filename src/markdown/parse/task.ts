// Parses tasks: the checkbox of a list item, its status, and the fields in its text.
import { currentDialect, type MarkTypes, type TaskType } from '../../base/note.ts';
import { isBlank, skipBlanks, trimWhiteSpace } from './characters.ts';

export type TaskStatus = 'open' | 'done' | 'cancelled';

const OPENING = 91;
const CLOSING = 93;
const LAST_BMP_CODE_POINT = 0xffff;

/**
 * The checkbox at the start of an item's first line: one character between brackets, followed by a blank. An item
 * without text after its checkbox is not a task.
 * `text`: the rest of the line, trimmed.
 */
export function checkboxAt(text: string, from: number, to: number) {
  if (text.charCodeAt(from) !== OPENING) return markerAt(text, from, to);
  const close = from + 1 + ((text.codePointAt(from + 1) ?? 0) > LAST_BMP_CODE_POINT ? 2 : 1);
  if (close + 1 >= to || text.charCodeAt(close) !== CLOSING || !isBlank(text.charCodeAt(close + 1))) return undefined;
  const start = skipBlanks(text, close + 1, to);
  const end = trimWhiteSpace(text, start, to);
  return end === start ? undefined : { mark: text.slice(from + 1, close), text: text.slice(start, end) };
}

/** The words with which Logseq begins a task, each with the mark of a checkbox that means the same. */
const MARKERS: Readonly<Record<string, string>> = {
  TODO: ' ',
  LATER: ' ',
  DOING: '/',
  NOW: '/',
  STARTED: '/',
  'IN-PROGRESS': '/',
  WAIT: '?',
  WAITING: '?',
  DONE: 'x',
  CANCELED: '-',
  CANCELLED: '-',
};

/** The task of Logseq or Roam at the start of an item's first line. */
function markerAt(text: string, from: number, to: number) {
  if (currentDialect() === 'roam') return commandAt(text, from, to);
  if (currentDialect() !== 'logseq') return undefined;
  const [word = ''] = /^(?:#{1,6} )?[A-Z-]{3,11}(?=[ \t])/.exec(text.slice(from, Math.min(to, from + 20))) ?? [];
  const mark = MARKERS[word.replace(/^#+ /, '')];
  const start = skipBlanks(text, from + word.length, to);
  const end = trimWhiteSpace(text, start, to);
  return mark === undefined || end === start ? undefined : { mark, text: text.slice(start, end) };
}

/** A task as Roam writes it. */
const COMMAND = /\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}/y;

function commandAt(text: string, from: number, to: number) {
  COMMAND.lastIndex = from;
  const word = COMMAND.exec(text)?.[1];
  const start = word === undefined ? to : skipBlanks(text, COMMAND.lastIndex, to);
  const end = trimWhiteSpace(text, start, to);
  return end <= start ? undefined : { mark: word === 'DONE' ? 'x' : ' ', text: text.slice(start, end) };
}

const CLOSED: ReadonlyMap<string, TaskStatus> = new Map([
  ['x', 'done'],
  ['X', 'done'],
  ['-', 'cancelled'],
]);

/** Marks other than `x`, `X` and `-`, such as `/`, are marks of open tasks unless the settings say more. */
export function taskType(mark: string, types?: MarkTypes): TaskType {
  return (types && Object.hasOwn(types, mark) ? types[mark]?.type : undefined) ?? CLOSED.get(mark) ?? 'open';
}

/** Done includes cancelled tasks and what is not a task by the settings, as in queries of the Tasks plugin. */
export function isOpenTask(mark: string, types?: MarkTypes): boolean {
  return ['open', 'in_progress', 'on_hold'].includes(taskType(mark, types));
}

/** Whether a task with the mark has a day on which it was done or cancelled. */
export function taskStatus(mark: string, types?: MarkTypes): TaskStatus {
  const type = taskType(mark, types);
  return type === 'done' || type === 'cancelled' ? type : 'open';
}

export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';
export type DateField = 'due' | 'scheduled' | 'start' | 'done' | 'cancelled' | 'created';

const DATE_FIELDS: Readonly<Record<string, DateField>> = {
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  '@': 'due',
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
  A: 'high',
  B: 'medium',
  C: 'low',
  highest: 'highest',
  high: 'high',
  medium: 'medium',
  low: 'low',
  lowest: 'lowest',
};

const DAY = String.raw`(\d{4}-\d{2}-\d{2})(?!\d)`;
/** An emoji may be followed by a variation selector. */
const EMOJI_DAY = new RegExp(String.raw`([📅📆🗓⏳⌛🛫✅❌➕])\uFE0F? *${DAY}`, 'gu');
/** In brackets, or bare after a blank: `[due:: 2026-11-20]`, `(due:: 2026-11-20)`, `due:: 2026-11-20`. */
const FIELD_DAY = new RegExp(
  String.raw`(?<![^\s[(])(due|scheduled|start|completion|cancelled|created)[ \t]*::[ \t]*${DAY}`,
  'giu',
);
/** The day of a card of the Kanban plugin: `@{2026-11-20}`, or a link to the daily note. */
const CARD_DAY = new RegExp(String.raw`(?<!\S)(@)(?:\{${DAY}\}|\[\[${DAY}\]\])`, 'gu');
/** Each with a text without which it does not match: most tasks have days of one form, and a list may have a million tasks. */
const DAYS = [
  { pattern: EMOJI_DAY, requires: '' },
  { pattern: FIELD_DAY, requires: '::' },
  { pattern: CARD_DAY, requires: '@' },
];
const EMOJI_PRIORITY = /[🔺⏫🔼🔽⏬]/u;
const FIELD_PRIORITY = /[[(]priority[ \t]*::[ \t]*(highest|high|medium|low|lowest)[ \t]*[\])]/iu;
/** The priority in Logseq and Org mode. */
const LETTER_PRIORITY = /^\[#([ABC])\](?=\s)/;
const EMOJI_RECURRENCE = /🔁\uFE0F?([a-zA-Z0-9, !]+)/u;
const FIELD_RECURRENCE = /[[(]repeat[ \t]*::([a-zA-Z0-9, !]{1,100})[\])]/iu;
/** A code span starts with a backtick that does not follow another one. */
const CODE = /(?<!`)(`+)(?!`)[^`](?:.*?[^`])??\1(?!`)/gu;
/** Matches every text that may have fields; most tasks have none. */
const MAY_HAVE_FIELDS = /[📅📆🗓⏳⌛🛫✅❌➕🔁🔺⏫🔼🔽⏬]|::|@[{[]/u;

/** Longer text is ignored, so that the cost of a malicious line stays bounded. */
const MAX_LENGTH = 2_000;

/**
 * Fields in code spans are ignored, and so are dates that do not exist.
 * Days have the form `2026-11-20`. If a field occurs twice, the first one counts.
 */
export function taskFields(text: string) {
  const task = text.slice(0, MAX_LENGTH);
  const letter = currentDialect() === 'logseq' ? LETTER_PRIORITY.exec(task)?.[1] : undefined;
  if (!MAY_HAVE_FIELDS.test(task)) return letter === undefined ? {} : { priority: PRIORITIES[letter] as Priority };
  const plain = withoutCode(task);
  const priority = letter ?? EMOJI_PRIORITY.exec(plain)?.[0] ?? FIELD_PRIORITY.exec(plain)?.[1]?.toLowerCase();
  const recurrence = (EMOJI_RECURRENCE.exec(plain)?.[1] ?? FIELD_RECURRENCE.exec(plain)?.[1])?.trim();
  return {
    ...daysIn(plain),
    ...(priority === undefined ? {} : { priority: PRIORITIES[priority] as Priority }),
    ...(recurrence === undefined || recurrence === '' ? {} : { recurrence }),
  };
}

/** The days among them: a note may have half a million tasks. */
export function taskDays(text: string): { readonly [name in DateField]?: string } {
  const task = text.slice(0, MAX_LENGTH);
  return MAY_HAVE_FIELDS.test(task) ? daysIn(withoutCode(task)) : {};
}

const ID = /🆔\uFE0F? *([A-Za-z0-9_-]+)|[[(]id[ \t]*::[ \t]*([A-Za-z0-9_-]+)[ \t]*[\])]/u;
const IDS = '[A-Za-z0-9_-]+(?: *, *[A-Za-z0-9_-]+)*';
const DEPENDS = new RegExp(String.raw`⛔\uFE0F? *(${IDS})|[[(]dependsOn[ \t]*::[ \t]*(${IDS})[ \t]*[\])]`, 'u');

/** The id by which other tasks name it, and the ids of the tasks that come before it, as the Tasks plugin writes them. */
export function taskDependencies(text: string): { readonly id?: string; readonly depends_on?: readonly string[] } {
  const plain = withoutCode(text.slice(0, MAX_LENGTH));
  const [, sign, field] = ID.exec(plain) ?? [];
  const [, signs, fields] = DEPENDS.exec(plain) ?? [];
  const [id, others] = [sign ?? field, signs ?? fields];
  return { ...(id && { id }), ...(others && { depends_on: others.split(',').map((one) => one.trim()) }) };
}

/** Code spans become blanks of the same length. */
function withoutCode(text: string): string {
  return text.includes('`') ? text.replace(CODE, (code) => ' '.repeat(code.length)) : text;
}

/** Where the text has each of its fields of one kind; `from` to `to` is the value. */
export interface FieldPlace {
  readonly from: number;
  readonly to: number;
  readonly sign: 'emoji' | 'dataview' | 'card';
  /** Whether the field has the value that `taskFields` reads. */
  readonly isRead: boolean;
}

/** @param field `done` and `cancelled` included */
export function dayPlaces(text: string, field: DateField): readonly FieldPlace[] {
  const plain = withoutCode(text.slice(0, MAX_LENGTH));
  const ofField = writtenDays(plain).filter(({ name }) => name === field);
  const first = ofField.find(({ day }) => isDay(day));
  return ofField.map((written) => {
    const { from, day, sign } = written;
    return { from, to: from + day.length, sign, isRead: written === first };
  });
}

export function priorityPlaces(text: string): readonly FieldPlace[] {
  const plain = withoutCode(text.slice(0, MAX_LENGTH));
  const emoji = EMOJI_PRIORITY.exec(plain);
  const field = FIELD_PRIORITY.exec(plain);
  const value = field?.[1] ?? '';
  const at = (field?.index ?? 0) + (field?.[0].lastIndexOf(value) ?? 0);
  return [
    ...(emoji === null
      ? []
      : [{ from: emoji.index, to: emoji.index + emoji[0].length, sign: 'emoji' as const, isRead: true }]),
    ...(field === null ? [] : [{ from: at, to: at + value.length, sign: 'dataview' as const, isRead: emoji === null }]),
  ];
}

interface WrittenDay {
  readonly name: DateField | undefined;
  readonly day: string;
  /** The offset of the day. */
  readonly from: number;
  readonly sign: FieldPlace['sign'];
}

function writtenDays(text: string): readonly WrittenDay[] {
  const days: WrittenDay[] = [];
  for (const { pattern, requires } of DAYS) {
    if (!text.includes(requires)) continue;
    // `matchAll` makes a copy of the pattern for each task.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) days.push(writtenDay(match));
  }
  return days;
}

function writtenDay(match: RegExpExecArray): WrittenDay {
  const [whole, mark = '', one, other = ''] = match;
  const day = one ?? other;
  const sign = mark === '@' ? 'card' : whole.includes('::') ? 'dataview' : 'emoji';
  return { name: DATE_FIELDS[mark.toLowerCase()], day, from: match.index + whole.lastIndexOf(day), sign };
}

function daysIn(text: string): { readonly [name in DateField]?: string } {
  const days: { [name in DateField]?: string } = {};
  for (const { name, day } of writtenDays(text))
    if (name !== undefined && days[name] === undefined && isDay(day)) days[name] = day;
  return days;
}

function isDay(text: string): boolean {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))];
  if (day <= 28) return year >= 100 && month >= 1 && month <= 12 && day >= 1;
  const at = new Date(Date.UTC(year, month - 1, day));
  // `Date.UTC` reads years below 100 as years of the 20th century.
  return year >= 100 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
}
