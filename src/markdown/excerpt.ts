// Picks the piece of a note that shows best why it was found. Knows nothing of how it was found but the words looked for.

import { lineIndexAt, splitLines } from './lines.ts';
import { type Finding, findTerms, type Term } from './term-findings.ts';
import { showWindow, type Window, windowRound } from './window.ts';

const FRONT_MATTER = /^---(?:\r\n?|\n)[\s\S]*?(?<=[\r\n])---[ \t]*(?:\r\n?|\n|$)/;
const MOST_FRONT_MATTER = 66_000;

export interface Excerpt {
  /** On one line; `…` where something is left out. */
  readonly snippet: string;
  /** The lines it is taken from, from 1. */
  readonly from: number;
  readonly to: number;
}

/** The piece, of at most `maxChars`, that holds most of the terms; the beginning of the body when it holds none. */
export function excerptAround(text: string, terms: readonly Term[], maxChars: number): Excerpt {
  const source = text.normalize('NFC');
  const body = bodyStart(source);
  const place = densest(findTerms(source, terms), maxChars) ?? { from: body, to: body };
  const base = place.from < body ? 0 : body;
  const part = source.slice(base);
  return excerptOf(
    part,
    windowRound(part, place.from - base, place.to - base, maxChars - 2),
    linesBefore(source, base),
  );
}

function linesBefore(text: string, offset: number): number {
  return splitLines(text.slice(0, offset)).starts.length;
}

/** `skipped` lines stand before `text`, which begins with a line. */
function excerptOf(text: string, window: Window, skipped: number): Excerpt {
  const lines = splitLines(text);
  const shown = text.slice(window.from, window.to);
  const first = window.from + shown.length - shown.trimStart().length;
  const last = window.from + shown.trimEnd().length - 1;
  const from = skipped + lineIndexAt(lines, first) + 1;
  return { snippet: showWindow(text, window), from, to: Math.max(from, skipped + lineIndexAt(lines, last) + 1) };
}

/** The stretch of at most `size` that holds the most different terms, then the most findings; the first of equals. */
function densest(findings: readonly Finding[], size: number): Window | undefined {
  const counts = new Map<number, number>();
  let best: (Window & { terms: number; findings: number }) | undefined;
  let first = 0;
  for (const [index, finding] of findings.entries()) {
    counts.set(finding.term, (counts.get(finding.term) ?? 0) + 1);
    while (first < index && finding.to - (findings[first]?.from ?? 0) > size)
      drop(counts, findings[first++]?.term ?? 0);
    const terms = counts.size;
    const held = index - first + 1;
    if (best === undefined || terms > best.terms || (terms === best.terms && held > best.findings)) {
      best = { from: findings[first]?.from ?? finding.from, to: finding.to, terms, findings: held };
    }
  }
  return best;
}

function drop(counts: Map<number, number>, term: number): void {
  const left = (counts.get(term) ?? 0) - 1;
  if (left > 0) counts.set(term, left);
  else counts.delete(term);
}

/** Where the line behind the front matter begins; 0 without one. */
function bodyStart(text: string): number {
  const front = text.startsWith('---') ? FRONT_MATTER.exec(text.slice(0, MOST_FRONT_MATTER)) : null;
  return front === null ? 0 : front[0].length;
}
