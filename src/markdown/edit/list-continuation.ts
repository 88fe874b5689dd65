// Whether one line goes straight on with the list or table of the line above it. Knows nothing of where they come from.
import { isDashRow, isRule, listMarkAt } from '../parse/line-marks.ts';

const QUOTES = /^[ \t]*(?:>[ \t]*)*/;

interface Line {
  readonly quotes: number;
  readonly text: string;
}

function readLine(line: string): Line {
  const marks = QUOTES.exec(line)?.[0] ?? '';
  return { quotes: marks.split('>').length, text: line.slice(marks.length) };
}

function signOf({ text }: Line): string | undefined {
  return isRule(text, 0, text.length) ? undefined : listMarkAt(text, 0, text.length)?.sign;
}

/** Whether both are items of one list. */
export function goesOnWithList(above: string, below: string): boolean {
  const [upper, lower] = [readLine(above), readLine(below)];
  const sign = signOf(lower);
  return sign !== undefined && sign === signOf(upper) && upper.quotes === lower.quotes;
}

const ROW = /^[ \t]*\|/;

/** Whether `below` is one more row, and no table of its own. */
export function isFurtherRow(below: string): boolean {
  const [first = '', second = ''] = below.split(/\r\n?|\n/, 2).map((line) => line.trim());
  return ROW.test(first) && !isDashRow(second, 0, second.length);
}

/** Whether the line at `index`, read by `lineAt`, is a row below a table's row of dashes. */
export function isTableRow(index: number, lineAt: (index: number) => string): boolean {
  let above = index;
  while (above >= 0 && ROW.test(lineAt(above))) {
    const line = lineAt(above).trim();
    if (isDashRow(line, 0, line.length)) return above > 0 && ROW.test(lineAt(above - 1));
    above -= 1;
  }
  return false;
}
