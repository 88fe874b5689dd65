// Which line end a text is written with, and other text brought into it.
import { skipBlanks } from '../parse/characters.ts';
import { splitLines } from '../parse/lines.ts';

export type LineEnd = '\n' | '\r\n' | '\r';

const ANY_END = /\r\n?|\n/g;

/** The line end that most lines have, the first of equals in the order CRLF, LF, CR; LF for a text of one line. */
export function dominantLineEnd(text: string): LineEnd {
  if (!text.includes('\r')) return '\n';
  const counts = { '\r\n': 0, '\n': 0, '\r': 0 };
  for (const [end] of text.matchAll(ANY_END)) counts[end as LineEnd] += 1;
  const most = Math.max(counts['\r\n'], counts['\n'], counts['\r']);
  if (counts['\r\n'] === most) return '\r\n';
  return counts['\n'] === most ? '\n' : '\r';
}

/** `text` with line ends of the one kind only. */
export function withLineEnd(text: string, lineEnd: LineEnd): string {
  return text.replace(ANY_END, lineEnd);
}

/** `text` with the line ends of `model` one after the other, and with `lineEnd` for what it has more of them. */
export function withLineEndsOf(text: string, model: string, lineEnd: LineEnd): string {
  const ends = model.match(ANY_END) ?? [];
  let at = 0;
  return text.replace(ANY_END, () => ends[at++] ?? lineEnd);
}

/** Without the blank lines it begins and ends with; what indents the first line of the rest stays. */
export function withoutBlankEdges(text: string): string {
  const { starts, ends } = splitLines(text);
  const isText = (start: number, line: number): boolean => skipBlanks(text, start, ends[line] ?? 0) < (ends[line] ?? 0);
  const first = starts.findIndex(isText);
  return first === -1 ? '' : text.slice(starts[first], ends[starts.findLastIndex(isText)]);
}
