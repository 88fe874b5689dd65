// The quotes of an answer, held against the passages they name. Asks nobody.

import type { QuotedAnswer } from './prompts/answer.ts';
import type { Passage } from './question-passages.ts';
import { verbatimPlaces } from './verbatim.ts';

export interface CheckedQuote {
  readonly path: string;
  /** Of the words; of the whole passage where they do not stand in it. */
  readonly lines: readonly [number, number];
  /** As it stands in the note; as the model gave it where it does not. */
  readonly text: string;
  readonly verified: boolean;
}

/** In the model's order, each once. */
export function checkedQuotes(quotes: QuotedAnswer['quotes'], passages: readonly Passage[]): readonly CheckedQuote[] {
  const checked = quotes.flatMap(({ passage: number, text }) => {
    const passage = passages[number - 1];
    return passage === undefined ? [] : [checkedQuote(text, passage)];
  });
  return [...new Map(checked.map((quote) => [JSON.stringify(quote), quote])).values()];
}

function checkedQuote(said: string, { path, lines, text }: Passage): CheckedQuote {
  const [place] = verbatimPlaces(text, said);
  if (place === undefined) return { path, lines, text: said, verified: false };
  const before = lines[0] - 1;
  const span = [place.lines[0] + before, place.lines[1] + before] as const;
  return { path, lines: span, text: text.slice(place.from, place.to), verified: true };
}
