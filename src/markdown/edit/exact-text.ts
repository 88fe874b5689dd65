// Finds literal text in a note, whatever its line ends, and the most similar line if it is missing.

import { partitionPoint } from '../../base/binary-search.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import { lineIndexAt } from '../parse/lines.ts';
import { type EditedNote, lineAt } from './edited-note.ts';
import { findLookalike } from './lookalike.ts';
import { ambiguousTarget, type TargetName, type WantedTarget } from './target.ts';

/** Offsets in the note's text. */
interface TextPlace {
  readonly from: number;
  readonly to: number;
}

const MAX_LINES = 20_000;
const MAX_SHOWN_PLACES = 5;
const MAX_LINE_LENGTH = 300;

/**
 * The occurrences of the target, which must be exactly `count`; only those on `line` if it is given.
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS
 */
export function locateText(edited: EditedNote, name: TargetName, count: number): readonly TextPlace[] {
  const { places, overlapping } = occurrencesOf(edited.text, name.target);
  const lineOf = ({ from }: TextPlace): number => lineIndexAt(edited.lines, from) + 1;
  const matching = name.line === undefined ? places : places.filter((place) => lineOf(place) === name.line);
  if (matching.length === 0) throw missingText(edited, name.target, 'line');
  if (matching.length !== count || overlapping) throw ambiguousTarget(edited, name, matching.map(lineOf), count);
  return matching;
}

/** `overlapping`: whether there is another occurrence that overlaps one of these. */
function occurrencesOf(text: string, target: string) {
  const folded = foldLineEnds(text);
  const sought = foldLineEnds(target).text;
  const places: TextPlace[] = [];
  let overlapping = false;
  let at = sought === '' ? -1 : folded.text.indexOf(sought);
  while (at !== -1) {
    const end = at + sought.length;
    places.push({ from: folded.offsetOf(at), to: folded.offsetOf(end) });
    // First one step further, to detect overlapping occurrences; after that past the match, so that each character is read once.
    const next: number = overlapping ? -1 : folded.text.indexOf(sought, at + 1);
    overlapping ||= next !== -1 && next < end;
    at = next >= end ? next : folded.text.indexOf(sought, end);
  }
  return { places, overlapping };
}

/** The text with LF line ends, and a function that maps its offsets back. */
export function foldLineEnds(text: string): { text: string; offsetOf: (index: number) => number } {
  if (!text.includes('\r')) return { text, offsetOf: (index) => index };
  const pairs: number[] = [];
  for (const { index } of text.matchAll(/\r\n/g)) pairs.push(index - pairs.length);
  const offsetOf = (index: number) => index + partitionPoint(pairs.length, (pair) => (pairs[pair] as number) < index);
  return { text: text.replace(/\r\n?/g, '\n'), offsetOf };
}

/**
 * The error for a text that the note does not contain, with the most similar line; or that it contains elsewhere than it must be.
 * @param expected what it must be
 */
export function missingText(edited: EditedNote, target: string, expected: WantedTarget): VaultgraphError {
  const { path } = edited;
  const { places } = occurrencesOf(edited.text, target);
  const lines = [...new Set(places.map(({ from }) => lineIndexAt(edited.lines, from) + 1))].slice(0, MAX_SHOWN_PLACES);
  if (lines.length > 0)
    return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path, target, count: 0, found: { wanted: expected, lines } });
  const alike = findLookalike(edited.text, target);
  if (alike !== undefined) return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path, target, count: 0, alike });
  const near = nearestLine(edited, target);
  const nearest = near === undefined ? {} : { nearest: near };
  return new VaultgraphError('EDIT_TARGET_NOT_FOUND', { path, target, count: 0, ...nearest });
}

/**
 * The line most similar to the first line of the target that has text: it contains that line but for case and
 * blanks, or shares most words or letters with it.
 */
function nearestLine(edited: EditedNote, target: string): { line: number; text: string } | undefined {
  const firstLine = normalizeLoosely(target.trim().split(/[\r\n]/, 1)[0] ?? '').slice(0, MAX_LINE_LENGTH);
  if (firstLine === '') return undefined;
  const numbers = new Map<string, number>();
  for (let index = 0; index < Math.min(edited.lines.starts.length, MAX_LINES); index += 1) {
    const line = normalizeLoosely(lineAt(edited, index).slice(0, MAX_LINE_LENGTH));
    if (line !== '' && !numbers.has(line)) numbers.set(line, index + 1);
  }
  const lines = [...numbers.keys()];
  const near =
    lines.find((line) => line.includes(firstLine)) ??
    lineSharingWords(firstLine, lines) ??
    nearestName(firstLine, lines);
  const line = numbers.get(near ?? '');
  if (line === undefined) return undefined;
  return {
    line,
    text: lineAt(edited, line - 1)
      .trim()
      .slice(0, MAX_LINE_LENGTH)
      .toWellFormed(),
  };
}

/** The first of the lines that share the most words, if they share more than half of them. */
function lineSharingWords(passage: string, lines: readonly string[]): string | undefined {
  const words = new Set(wordsOf(passage));
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
