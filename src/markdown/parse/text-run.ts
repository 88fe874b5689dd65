// A run of text without quote marks that maps each character to its offset in the file.
import { partitionPoint } from '../../base/binary-search.ts';
import { NumberColumn } from '../../base/number-column.ts';

/**
 * From index `at` of `text` on, characters come from `offset` in the file. Pieces are ascending; the first starts at
 * 0.
 */
export interface TextRun {
  readonly text: string;
  readonly pieces: readonly { readonly at: number; readonly offset: number }[];
  /** Where it is not a text whose lines can be inline fields. */
  readonly of?: 'comment' | 'cell';
}

/** Offsets in the file; of a quoted string, its quotes included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export function runOf(text: string, from: number, to: number): TextRun {
  return { text: text.slice(from, to), pieces: [{ at: 0, offset: from }] };
}

const KINDS: readonly TextRun['of'][] = [undefined, 'comment', 'cell'];
/** The kind of a run, and its start and end in the text. */
const NUMBERS = 3;

/** The runs of a text in its order. A text may have a million: those of one piece are kept as numbers and made when they are read. */
export class TextRuns implements Iterable<TextRun> {
  readonly #text: string;
  readonly #numbers = new NumberColumn();
  /** Those of several pieces, by their place in the order. */
  readonly #joined = new Map<number, TextRun>();

  constructor(text: string) {
    this.#text = text;
  }

  add(from: number, to: number, of?: TextRun['of']): void {
    this.#numbers.add([KINDS.indexOf(of), from, to]);
  }

  addLines(spans: readonly Span[], of?: TextRun['of']): void {
    const [first, last] = [spans[0], spans[spans.length - 1]];
    const run = runOfLines(this.#text, spans);
    this.#joined.set(this.#numbers.length / NUMBERS, of === undefined ? run : { ...run, of });
    this.add(first?.from ?? 0, last?.to ?? 0, of);
  }

  *[Symbol.iterator](): Iterator<TextRun> {
    const numbers = this.#numbers.view();
    for (let at = 0; at * NUMBERS < numbers.length; at += 1) {
      const [kind = 0, from = 0, to = 0] = numbers.subarray(at * NUMBERS, (at + 1) * NUMBERS);
      const of = KINDS[kind];
      const run = this.#joined.get(at) ?? runOf(this.#text, from, to);
      yield of === undefined ? run : { ...run, of };
    }
  }
}

/** Joins the spans as lines of one text. */
function runOfLines(text: string, spans: readonly Span[]): TextRun {
  const pieces: { at: number; offset: number }[] = [];
  let joined = '';
  for (const { from, to } of spans) {
    if (pieces.length > 0) joined += '\n';
    pieces.push({ at: joined.length, offset: from });
    joined += text.slice(from, to);
  }
  return { text: joined, pieces };
}

export function offsetIn({ pieces }: TextRun, index: number): number {
  const piece = pieces[partitionPoint(pieces.length, (at) => (pieces[at]?.at ?? 0) <= index) - 1];
  return piece === undefined ? index : piece.offset + index - piece.at;
}

/** The decoded text of a JSON string, with the position of each character in the file. */
export function runOfString(json: string, { from, to }: Span): TextRun {
  const start = from + 1;
  const raw = json.slice(start, to - 1);
  const pieces = [{ at: 0, offset: start }];
  let text = '';
  let at = 0;
  for (const { index, 0: sequence } of raw.matchAll(/\\(?:u[\da-f]{4}|.)/gi)) {
    text += raw.slice(at, index) + String(JSON.parse(`"${sequence}"`));
    at = index + sequence.length;
    pieces.push({ at: text.length, offset: start + at });
  }
  return { text: text + raw.slice(at), pieces };
}

/** The start of such a URI: a media type or `;base64`, then the data up to a blank, a quote or a bracket. */
const DATA_URI =
  /\bdata:(?:[a-z]{1,20}\/[\w.+-]{1,100}(?:;[\w.+=-]{1,100}){0,4}|(?:;[\w.+=-]{1,100}){0,3};base64),[^\s"'`<>()[\]]*/g;

/** For search, chunks and passages. Line numbers stay the same, offsets do not. */
export function withoutDataUris(text: string): string {
  return text.includes('data:') ? text.replace(DATA_URI, '') : text;
}

/** Blanks instead of the URIs, so that every offset stays the same. */
export function blankDataUris(text: string): string {
  return text.includes('data:') ? text.replace(DATA_URI, (uri) => ' '.repeat(uri.length)) : text;
}
