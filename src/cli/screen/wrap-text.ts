// Wraps what commands print to the width of a terminal, where characters of East Asia and emoji take two columns.
import { sep } from 'node:path';
import { programName } from '../../base/command-line.ts';

const WIDE =
  /^(?:\p{Emoji_Presentation}|.\ufe0f|(?![\uff61-\uffdc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that `styled` writes.
const STYLE = /\u001b\[[\d;]*m/g;

let segmenter: Intl.Segmenter | undefined;

/** Made at the first use, since a server wraps nothing. */
function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

function widthOfCharacter(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The columns that a text on one line takes. */
export function widthOf(text: string): number {
  const plain = text.replace(STYLE, '');
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of charactersOf(plain)) width += widthOfCharacter(segment);
  return width;
}

/** The beginning of a text that takes at most `columns`. */
export function cutToWidth(text: string, columns: number): string {
  let [width, end] = [0, 0];
  for (const { segment, index } of charactersOf(text)) {
    width += widthOfCharacter(segment);
    if (width > columns) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Narrower screens get lines of this width. */
const MIN_COLUMNS = 20;
/** Represents a space at which a line must not end. */
const JOINED = '\ue000';

/**
 * Every line that is longer than `columns`, as several; a URL is never divided.
 * @param hasCommands whether a command of this program stays on one line, or continues after a backslash
 */
export function wrapText(text: string, columns: number, hasCommands = true): string {
  const width = Math.max(columns, MIN_COLUMNS);
  const prepared = (line: string): string => (hasCommands ? withJoinedCommands(line) : line);
  const lines = text.split('\n');
  return lines.map((line) => (widthOf(line) <= width ? line : wrapLine(prepared(line), width))).join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = indentOf(line, columns);
  const wrapped: string[] = [];
  let [current, used] = ['', 0];
  const room = columns - indent;
  const end = (): void => {
    wrapped.push(current.trimEnd());
    [current, used] = [' '.repeat(indent), indent];
  };
  for (const [word] of line.matchAll(/ +|[^ ]+/g)) {
    const width = widthOf(word);
    if (used + width > columns && word.startsWith(' ')) end();
    else if (used + width <= columns) [current, used] = [current + word, used + width];
    else {
      if (used > indent && (width <= room || !isWideText(word))) end();
      const parts = width <= columns - used ? [word] : partsOf(word, columns - used, room);
      for (const [at, part] of parts.entries()) {
        if (at > 0) end();
        [current, used] = [current + part, used + widthOf(part)];
      }
    }
  }
  if (current.trim() !== '') wrapped.push(current);
  return wrapped.join('\n').replaceAll(JOINED, ' ');
}

const isWideText = (word: string): boolean => [...word].some((character) => WIDE.test(character));

const WIDE_LABEL_INDENT = 2;

/** Further lines begin where the text after a label, a mark or blanks does, if there is room for it. */
function indentOf(line: string, columns: number): number {
  const plain = line.replace(STYLE, '');
  const [label = ''] = /^ *\S+(?: \S+)? {2,}/.exec(plain) ?? /^ *(?:(?:[-*✓!✗]|\d+[.)]) +)?/.exec(plain) ?? [];
  const indent = widthOf(label);
  return indent > columns / 2 ? WIDE_LABEL_INDENT : indent;
}

/** Marks the spaces in commands of this program. A command ends at a backtick or at the end of the line. */
function withJoinedCommands(line: string): string {
  const begin = `${programName()} `;
  const at = line.indexOf(begin);
  if (at === -1) return line;
  const end = line.indexOf('`', at) === -1 ? line.length : line.indexOf('`', at);
  const command = line.slice(at, end).replaceAll(' ', JOINED);
  return `${line.slice(0, at)}${command}${withJoinedCommands(line.slice(end))}`;
}

/** A shell of Windows continues no line. */
const CONTINUED = sep === '\\' ? '' : ' \\';

function partsOf(word: string, first: number, others: number): readonly string[] {
  if (/https?:\/\//.test(word)) return [word];
  if (word.includes(JOINED)) return partsOfCommand(word, first, others);
  const parts: string[] = [];
  for (let rest = word; rest !== ''; ) {
    const most = parts.length === 0 ? first : others;
    const fits = cutToWidth(rest, most);
    const folder = fits === rest ? -1 : fits.lastIndexOf('/');
    const part = (folder > most / 2 ? fits.slice(0, folder + 1) : fits) || rest.slice(0, 1);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}

function partsOfCommand(command: string, first: number, others: number): readonly string[] {
  const parts: string[] = [];
  let current = '';
  for (const word of command.split(JOINED)) {
    const longer = current === '' ? word : `${current} ${word}`;
    const most = (parts.length === 0 ? first : others) - CONTINUED.length;
    if (current === '' || widthOf(longer) <= most) current = longer;
    else {
      parts.push(`${current}${CONTINUED}`);
      current = word;
    }
  }
  return [...parts, current];
}
