// Finds a text letter by letter in a note, whatever ends its lines, and says what is nearest when it is not there. Writes nothing.
import { partitionPoint } from '../../base/binary-search.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import { lineIndexAt } from '../parse/lines.ts';
import { ambiguousTarget, type TargetName } from './target.ts';
import { type EditView, lineAt } from './view.ts';

/** Offsets in the note's text. */
export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

interface Occurrences {
  readonly places: readonly TextPlace[];
  /** Whether it could be found at another place that one of them covers in part. */
  readonly overlapping: boolean;
}

const MAX_LINES = 20_000;
const MAX_LINE_LENGTH = 300;

/**
 * The places of the target, of which there must be as many as `count`, on `line` where that is given.
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS
 */
export function locateText(view: EditView, name: TargetName, count: number): readonly TextPlace[] {
  const { places, overlapping } = occurrencesOf(view.text, name.target);
  const lineOf = ({ from }: TextPlace): number => lineIndexAt(view.lines, from) + 1;
  const matching = name.line === undefined ? places : places.filter((place) => lineOf(place) === name.line);
  if (matching.length === 0) throw missingText(view, name.target);
  if (matching.length !== count || overlapping) throw ambiguousTarget(view, name, matching.map(lineOf), count);
  return matching;
}

function occurrencesOf(text: string, target: string): Occurrences {
  const folded = foldLineEnds(text);
  const wanted = foldLineEnds(target).text;
  const places: TextPlace[] = [];
  let overlapping = false;
  let at = wanted === '' ? -1 : folded.text.indexOf(wanted);
  while (at !== -1) {
    const end = at + wanted.length;
    places.push({ from: folded.offsetOf(at), to: folded.offsetOf(end) });
    // One step on, so that a text which overlaps itself is seen; then beyond it, so that each letter is read once.
    const next: number = overlapping ? -1 : folded.text.indexOf(wanted, at + 1);
    overlapping ||= next !== -1 && next < end;
    at = next >= end ? next : folded.text.indexOf(wanted, end);
  }
  return { places, overlapping };
}

/** The text with LF alone at its line ends, and where its offsets stand in the text as it is. */
function foldLineEnds(text: string): { text: string; offsetOf: (index: number) => number } {
  if (!text.includes('\r')) return { text, offsetOf: (index) => index };
  const pairs: number[] = [];
  for (const { index } of text.matchAll(/\r\n/g)) pairs.push(index - pairs.length);
  const offsetOf = (index: number) => index + partitionPoint(pairs.length, (pair) => (pairs[pair] as number) < index);
  return { text: text.replace(/\r\n?/g, '\n'), offsetOf };
}

function missingText(view: EditView, target: string): VaultgraphError {
  const near = nearestLine(view, target);
  const nearest = near === undefined ? {} : { nearest: near };
  return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path: view.path, target, count: 0, ...nearest });
}

/** The line most like the target's first one that has text: it holds it but for case and blanks, or most of its words, or letters. */
function nearestLine(view: EditView, target: string): { line: number; text: string } | undefined {
  const wanted = normalizeLoosely(target.trim().split(/[\r\n]/, 1)[0] ?? '').slice(0, MAX_LINE_LENGTH);
  if (wanted === '') return undefined;
  const numbers = new Map<string, number>();
  for (let index = 0; index < Math.min(view.lines.starts.length, MAX_LINES); index += 1) {
    const line = normalizeLoosely(lineAt(view, index).slice(0, MAX_LINE_LENGTH));
    if (line !== '' && !numbers.has(line)) numbers.set(line, index + 1);
  }
  const lines = [...numbers.keys()];
  const near =
    lines.find((line) => line.includes(wanted)) ?? lineSharingWords(wanted, lines) ?? nearestName(wanted, lines);
  const line = numbers.get(near ?? '');
  if (line === undefined) return undefined;
  return {
    line,
    text: lineAt(view, line - 1)
      .trim()
      .slice(0, MAX_LINE_LENGTH)
      .toWellFormed(),
  };
}

/** The first of the lines that hold most of the words, and more than half of them. */
function lineSharingWords(wanted: string, lines: readonly string[]): string | undefined {
  const words = new Set(wordsOf(wanted));
  let best: string | undefined;
  let most = Math.max(1, words.size / 2);
  for (const line of lines) {
    const shared = new Set(wordsOf(line).filter((word) => words.has(word))).size;
    if (shared > most) [best, most] = [line, shared];
  }
  return best;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function normalizeLoosely(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
