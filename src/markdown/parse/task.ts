// The checkbox that a list item may begin with, and what its mark means.
import { isBlank, skipBlanks, trimWhite } from './characters.ts';

export type TaskStatus = 'open' | 'done' | 'cancelled';

/** One character between brackets and a blank behind them. */
export interface Checkbox {
  readonly mark: string;
  /** The rest of the line, without the white space round it. */
  readonly text: string;
}

const OPENING = 91;
const CLOSING = 93;
const BEYOND_PLANE = 0xffff;

/** Of an item's text on its first line; an item without text behind its box is none, as nobody can say what it asks for. */
export function checkboxAt(text: string, from: number, to: number): Checkbox | undefined {
  if (text.charCodeAt(from) !== OPENING) return undefined;
  const close = from + 1 + ((text.codePointAt(from + 1) ?? 0) > BEYOND_PLANE ? 2 : 1);
  if (close + 1 >= to || text.charCodeAt(close) !== CLOSING || !isBlank(text.charCodeAt(close + 1))) return undefined;
  const start = skipBlanks(text, close + 1, to);
  const end = trimWhite(text, start, to);
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
