// What a model names as entities, held against the note's words. Asks nobody.

import type { GivenNote } from '../notes/given-note.ts';
import { placesIn } from './evidence.ts';
import type { EntityAnswer } from './prompts/entities.ts';

export interface Entity {
  readonly type: EntityAnswer['entities'][number]['type'];
  /** As it stands in the note. */
  readonly text: string;
  /** Of the first place. */
  readonly lines: readonly [number, number];
  readonly column: number;
  readonly offset: number;
  /** How often it stands there. */
  readonly count: number;
}

/** By the place where each stands first; each text has the type that it was given first. `invented` counts what stands nowhere. */
export function checkedEntities(
  answers: readonly EntityAnswer[],
  note: GivenNote,
): { readonly entities: readonly Entity[]; readonly invented: number } {
  const byText = new Map<string, Entity>();
  const invented = new Set<string>();
  for (const { type, text: named } of answers.flatMap(({ entities }) => entities)) {
    const [first, ...others] = placesIn(note, named);
    if (first === undefined) {
      invented.add(named);
      continue;
    }
    const text = note.text.slice(first.from, first.to);
    if (byText.has(text)) continue;
    const { lines, column, from: offset } = first;
    byText.set(text, { type, text, lines, column, offset, count: 1 + others.length });
  }
  const entities = [...byText.values()].sort((one, other) => one.offset - other.offset);
  return { entities, invented: invented.size };
}
