// Whether what a model says stands in the note it says it of, and where; what does not is counted.
import type { CallContext } from '../../contracts/tool.ts';
import type { GivenNote } from '../notes/requested-note.ts';
import type { AskedModel } from './llm-session.ts';
import { type VerbatimPlace, verbatimPlaces } from './verbatim.ts';

/** The words as they stand in the note, and their lines. */
export interface Evidence {
  readonly text: string;
  readonly lines: readonly [number, number];
}

/** Where the quote first stands in the part of the note that is meant. */
export function placesIn({ text, from, to }: GivenNote, quote: string): readonly VerbatimPlace[] {
  return verbatimPlaces(text, quote).filter((place) => place.from >= from && place.to <= to);
}

export function evidenceIn(note: GivenNote, quote: string): Evidence | undefined {
  const [place] = placesIn(note, quote);
  return place === undefined ? undefined : { text: note.text.slice(place.from, place.to), lines: place.lines };
}

/**
 * Tells of what was left out because it is not to be found.
 * @param kept how much is left
 * @throws PROVIDER_BAD_RESPONSE where something was said and none of it is to be found
 */
export function answerForInvented(
  { kept, invented }: { readonly kept: number; readonly invented: number },
  what: string,
  model: AskedModel,
  call: CallContext,
): void {
  if (invented === 0) return;
  if (kept === 0) throw model.unusable(`${what} that stand in the note`, `${invented} that do not`);
  const message = `${invented} ${what} left out: what the model named for them does not stand in the note`;
  call.warn({ code: 'UNVERIFIED', message, count: invented });
}
