// Finds the sentence of a note that contains the most important terms.

import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { sentenceAround, sentenceSpan } from './sentence.ts';
import { type TermMatch, termFinder } from './term-matches.ts';

export interface WeightedTerm {
  readonly text: string;
  /** How much the term counts. */
  readonly weight: number;
}

/** A note with more matching sentences repeats itself. */
const MAX_SENTENCES = 80;

interface SentenceMatches {
  readonly from: number;
  readonly to: number;
  readonly first: TermMatch;
  readonly terms: Set<number>;
}

export interface Sentence {
  readonly lines: readonly [from: number, to: number];
  /** On one line, without line marks; `…` marks omitted text. */
  readonly text: string;
}

/** Undefined if no term occurs. */
export type SentenceFinder = (wanted: readonly WeightedTerm[], maxChars: number) => Sentence | undefined;

/** Searches the text after the front matter. The first of equal sentences wins. */
export function sentenceFinder(text: string): SentenceFinder {
  const source = text.normalize('NFC');
  const lines = splitLines(source);
  const { bodyOffset } = bodyStart(source, lines);
  const findIn = termFinder(source);
  return (wanted, maxChars) => {
    const terms = wanted.map((term) => ({ text: term.text, kind: 'phrase' as const }));
    const matches = findIn(terms).filter(({ from }) => from >= bodyOffset);
    const best = heaviest(matchesBySentence(source, matches), wanted);
    if (best === undefined) return undefined;
    const from = best.from + (/^\s*/.exec(source.slice(best.from, best.to))?.[0].length ?? 0);
    const to = Math.max(from + 1, source.slice(0, best.to).trimEnd().length);
    return {
      lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
      text: sentenceAround(source, best.first.from, best.first.to, maxChars),
    };
  };
}

function heaviest(sentences: readonly SentenceMatches[], wanted: readonly WeightedTerm[]): SentenceMatches | undefined {
  const weightOf = ({ terms }: SentenceMatches): number =>
    [...terms].reduce((sum, at) => sum + (wanted[at]?.weight ?? 0), 0);
  return sentences.reduce<SentenceMatches | undefined>(
    (most, sentence) => (most === undefined || weightOf(sentence) > weightOf(most) ? sentence : most),
    undefined,
  );
}

function matchesBySentence(text: string, matches: readonly TermMatch[]): SentenceMatches[] {
  const sentences: SentenceMatches[] = [];
  let open: SentenceMatches | undefined;
  for (const match of matches) {
    if (open === undefined || match.from >= open.to) {
      if (sentences.length === MAX_SENTENCES) break;
      open = { ...sentenceSpan(text, match.from, match.to), first: match, terms: new Set() };
      sentences.push(open);
    }
    open.terms.add(match.term);
  }
  return sentences;
}
