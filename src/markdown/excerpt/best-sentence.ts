// The sentence of a note that holds most of what is looked for.
import { bodyStart } from '../frontmatter/front-matter.ts';
import { lineIndexAt, splitLines } from '../parse/lines.ts';
import { sentenceAround, sentenceSpan } from './sentence.ts';
import { type Finding, findTerms } from './term-matches.ts';

export interface Sought {
  readonly text: string;
  /** How much it counts that a sentence holds it. */
  readonly weight: number;
}

export interface ToldSentence {
  readonly lines: readonly [number, number];
  /** On one line, without line marks; `…` where something is left out. */
  readonly text: string;
}

/** A note in which the words stand more often says the same again. */
const MAX_SENTENCES = 80;

interface Held {
  readonly from: number;
  readonly to: number;
  readonly first: Finding;
  readonly terms: Set<number>;
}

/** Of the text behind the front matter; undefined where nothing of it stands there. The first of equals. */
export function tellingSentence(text: string, sought: readonly Sought[], maxChars: number): ToldSentence | undefined {
  const source = text.normalize('NFC');
  const lines = splitLines(source);
  const { bodyOffset } = bodyStart(source, lines);
  const terms = sought.map((term) => ({ text: term.text, kind: 'phrase' as const }));
  const findings = findTerms(source, terms).filter(({ from }) => from >= bodyOffset);
  const weightOf = ({ terms: held }: Held): number => [...held].reduce((sum, at) => sum + (sought[at]?.weight ?? 0), 0);
  const best = heldIn(source, findings).reduce<Held | undefined>(
    (most, held) => (most === undefined || weightOf(held) > weightOf(most) ? held : most),
    undefined,
  );
  if (best === undefined) return undefined;
  const from = best.from + (/^\s*/.exec(source.slice(best.from, best.to))?.[0].length ?? 0);
  const to = Math.max(from + 1, source.slice(0, best.to).trimEnd().length);
  return {
    lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
    text: sentenceAround(source, best.first.from, best.first.to, maxChars),
  };
}

function heldIn(text: string, findings: readonly Finding[]): Held[] {
  const sentences: Held[] = [];
  let open: Held | undefined;
  for (const finding of findings) {
    if (open === undefined || finding.from >= open.to) {
      if (sentences.length === MAX_SENTENCES) break;
      open = { ...sentenceSpan(text, finding.from, finding.to), first: finding, terms: new Set() };
      sentences.push(open);
    }
    open.terms.add(finding.term);
  }
  return sentences;
}
