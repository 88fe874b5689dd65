// What two passages known by their lines say alike: a sentence of each, from the vault's present text. Knows nothing of why they are paired.
import type { NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { tellingSentence } from '../../markdown/excerpt/best-sentence.ts';
import { excerptAround } from '../../markdown/excerpt/excerpt.ts';
import { isEmptyWord } from '../../markdown/excerpt/stop-words.ts';
import { formsOf, termOf } from '../../markdown/excerpt/terms.ts';
import { lineCountOf, textOfLines } from '../../markdown/links/section.ts';
import { readTexts } from '../notes/note-content.ts';

export interface PassagePlace {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
}

export interface Passage extends PassagePlace {
  readonly text: string;
}

export type Pair = readonly [PassagePlace, PassagePlace];

/**
 * For each pair the sentence of each passage that holds most of the words of the other, or how it begins where they share none.
 * What cannot be read, or no longer has text there, is left out and counted in a warning.
 */
export async function pairedSentences(
  pairs: readonly Pair[],
  maxChars: number,
  vault: Vault,
  call: CallContext,
): Promise<readonly (readonly Passage[])[]> {
  const texts = await readTexts([...new Set(pairs.flat().map(({ path }) => path))], vault, call.signal);
  const missing = new Set<NotePath>();
  const sentences = pairs.map((pair) => {
    const passages = pair.map((place) => passageAt(place, texts.get(place.path)));
    for (const [at, passage] of passages.entries()) if (passage === undefined) missing.add(pair[at as 0 | 1].path);
    const shared = sharedTerms(passages.map((passage) => passage?.text ?? ''));
    return passages.flatMap((passage) => (passage === undefined ? [] : sentenceOf(passage, shared, maxChars)));
  });
  if (missing.size > 0) {
    const message = `${missing.size} notes without their passage: they cannot be read or have changed`;
    call.warn({ code: 'EXTRA_MISSING', message, count: missing.size });
  }
  return sentences;
}

function passageAt({ path, lines }: PassagePlace, text: string | undefined): Passage | undefined {
  if (text === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { path, lines, text: passage };
}

function sharedTerms([one = '', other = '']: readonly string[]): ReadonlySet<string> {
  const terms = new Set([...formsOf(other).keys()].map(termOf));
  const shared = [...formsOf(one).keys()].filter((form) => !isEmptyWord(form)).map(termOf);
  return new Set(shared.filter((term) => terms.has(term)));
}

function sentenceOf({ path, lines, text }: Passage, shared: ReadonlySet<string>, maxChars: number): Passage[] {
  const sought = [...formsOf(text).keys()].filter((form) => shared.has(termOf(form)));
  const weighed = sought.map((form) => ({ text: form, weight: 1 }));
  const told = tellingSentence(text, weighed, maxChars) ?? beginning(text, maxChars);
  const [from, to] = told.lines;
  return [{ path, lines: [lines[0] + from - 1, lines[0] + to - 1], text: told.text }];
}

function beginning(text: string, maxChars: number) {
  const { snippet, from, to } = excerptAround(text, [], maxChars);
  return { text: snippet, lines: [from, to] as const };
}
