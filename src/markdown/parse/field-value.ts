// Reads the value of an inline field as the Dataview plugin does: numbers, booleans, quoted texts, and lists of those, dates and links.
import type { PropertyValue } from '../../base/note.ts';

/** What can be an item of a list; everything else is one text, with its commas. */
const ATOM =
  /"(?:[^"\\]|\\.)*"|!?\[\[[^[\]]*\]\]|#[\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]+|\d{4}-\d{2}(?:-\d{2}(?:T\d{2}(?::\d{2}(?::\d{2}(?:\.\d{3})?)?)?(?:Z|[+-]\d{1,2}(?::\d{2})?)?)?)?(?![\w-])|-?\d+(?:\.\d+)?\s*(?:years?|yrs?|months?|mos?|weeks?|wks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![\p{L}\p{N}])|-?\d+(?:\.\d+)?(?![\w.])|(?:true|false|null)(?!\w)/iuy;
const COMMA = /\s*,\s*/y;

/** Nothing is null. Dates, durations, links and tags stay as they are written. */
export function fieldValue(text: string): PropertyValue {
  if (text === '') return null;
  const atoms = atomsOf(text);
  if (atoms === undefined) return text;
  // Dataview reads several durations as one.
  if (atoms.length > 1 && atoms.every(isDuration)) return text;
  const values = atoms.map(atomValue);
  return values.length === 1 ? (values[0] ?? null) : values;
}

/** Undefined if the text is not one after another, parted by commas. */
function atomsOf(text: string): string[] | undefined {
  const atoms: string[] = [];
  for (let at = 0; ; at = COMMA.lastIndex) {
    ATOM.lastIndex = at;
    const atom = ATOM.exec(text)?.[0];
    if (atom === undefined) return undefined;
    atoms.push(atom);
    if (at + atom.length === text.length) return atoms;
    COMMA.lastIndex = at + atom.length;
    if (!COMMA.test(text)) return undefined;
  }
}

function isDuration(atom: string): boolean {
  return /^-?\d.*[a-z]$/i.test(atom) && !/^\d{4}-/.test(atom);
}

function atomValue(atom: string): PropertyValue {
  if (atom.startsWith('"')) return atom.slice(1, -1).replace(/\\(["\\])/g, '$1');
  if (/^(?:true|false)$/i.test(atom)) return /^t/i.test(atom);
  if (/^null$/i.test(atom)) return null;
  const number = Number(atom);
  const isExact =
    /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(atom) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? number : atom;
}

/** The text of a value as a field has it; undefined if none reads back as this value. */
export function writtenValue(value: PropertyValue): string | undefined {
  const text = Array.isArray(value) ? value.map((item) => writtenAtom(item)).join(', ') : writtenText(value);
  return text.includes('\n') || text.includes('\r') || !isSame(fieldValue(text), value) ? undefined : text;
}

/** Writes the value as it is where that reads back. */
function writtenText(value: PropertyValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  return value !== '' && value.trim() === value && fieldValue(value) === value ? value : quoted(value);
}

function writtenAtom(value: PropertyValue): string {
  if (typeof value !== 'string') return String(value);
  const isAtom = atomsOf(value)?.length === 1 && fieldValue(value) === value && !isDuration(value);
  return isAtom ? value : quoted(value);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function isSame(one: PropertyValue, other: PropertyValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
