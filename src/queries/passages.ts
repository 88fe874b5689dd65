// The beginning of passages known by their lines, from the vault's present text. Knows nothing of why they are shown.
import type { NotePath } from '../base/note.ts';
import type { CallContext } from '../contracts/tool.ts';
import type { Vault } from '../contracts/vault.ts';
import { excerptAround } from '../markdown/excerpt.ts';
import { lineCountOf, textOfLines } from '../markdown/section.ts';
import { readTexts } from './note-content.ts';

export interface PassagePlace {
  readonly path: NotePath;
  readonly lines: readonly [number, number];
}

export interface Passage extends PassagePlace {
  readonly text: string;
}

/** One for each place; undefined, and counted in a warning, where the note cannot be read or no longer has text there. */
export async function passagesOf(
  places: readonly PassagePlace[],
  maxChars: number,
  vault: Vault,
  call: CallContext,
): Promise<readonly (Passage | undefined)[]> {
  const paths = [...new Set(places.map(({ path }) => path))];
  const texts = await readTexts(paths, vault, call.signal);
  const passages = places.map((place) => passageAt(place, texts.get(place.path), maxChars));
  const count = new Set(places.filter((_, at) => passages[at] === undefined).map(({ path }) => path)).size;
  if (count > 0) {
    const message = `${count} notes without their passage: they cannot be read or have changed`;
    call.warn({ code: 'EXTRA_MISSING', message, count });
  }
  return passages;
}

function passageAt({ path, lines }: PassagePlace, text: string | undefined, maxChars: number): Passage | undefined {
  if (text === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { path, lines, text: excerptAround(passage, [], maxChars).snippet };
}
