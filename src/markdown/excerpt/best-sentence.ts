// Finds the sentence of a note that contains the most important terms.
import { bodyStart } from '../frontmatter/front-matter.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { sentenceAround, sentenceSpan } from './sentence.ts';
import { findTerms, type TermMatch } from './term-matches.ts';

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

/**
 * Searches the text after the front matter. The first of equal sentences wins; undefined if no term occurs.
 * `text`: on one line, without line marks; `…` marks omitted text.
 */
export function bestSentence(text: string, wanted: readonly WeightedTerm[], maxChars: number) {
  const source = text.normalize('NFC');
  const lines = splitLines(source);
  const { bodyOffset } = bodyStart(source, lines);
  const terms = wanted.map((term) => ({ text: term.text, kind: 'phrase' as const }));
  const matches = findTerms(source, terms).filter(({ from }) => from >= bodyOffset);
  const weightOf = ({ terms: sentence }: SentenceMatches): number =>
    [...sentence].reduce((sum, at) => sum + (wanted[at]?.weight ?? 0), 0);
  const best = matchesBySentence(source, matches).reduce<SentenceMatches | undefined>(
    (most, sentence) => (most === undefined || weightOf(sentence) > weightOf(most) ? sentence : most),
    undefined,
  );
  if (best === undefined) return undefined;
  const from = best.from + (/^\s*/.exec(source.slice(best.from, best.to))?.[0].length ?? 0);
  const to = Math.max(from + 1, source.slice(0, best.to).trimEnd().length);
  return {
    lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1] as const,
    text: sentenceAround(source, best.first.from, best.first.to, maxChars),
  };
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
