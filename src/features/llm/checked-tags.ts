// What a model suggests as tags, held against the vault's tags and the note's words. Asks nobody.
import { foldName } from '../../markdown/links/fold.ts';
import { isTagName } from '../../markdown/parse/tag.ts';
import type { GivenNote } from '../notes/given-note.ts';
import { type Evidence, evidenceIn } from './evidence.ts';
import type { TagAnswer } from './prompts/tags.ts';
import { ownAndAbove, type TagCandidates } from './tag-candidates.ts';

export interface SuggestedTag {
  readonly tag: string;
  /** Whether no note of the vault has it. */
  readonly new: boolean;
  /** Notes that have it or a tag below it. */
  readonly count: number;
  readonly evidence: Evidence;
}

/** In the model's order, known ones first, each once; `invented` counts those without evidence in the note, or that are no tags. */
export function checkedTags(
  { known = [], fresh }: TagAnswer,
  note: GivenNote,
  { own, all }: TagCandidates,
): { readonly suggestions: readonly SuggestedTag[]; readonly invented: number } {
  const seen = new Set(ownAndAbove(own));
  const suggestions: SuggestedTag[] = [];
  let invented = 0;
  for (const { tag: named, evidence: quote } of [...known, ...fresh]) {
    const tag = `#${named.trim().replace(/^#/, '')}`;
    const key = foldName(tag);
    if (seen.has(key)) continue;
    const evidence = evidenceIn(note, quote);
    if (evidence === undefined || !isTagName(tag.slice(1))) {
      invented += 1;
      continue;
    }
    seen.add(key);
    const ofVault = all.get(key);
    suggestions.push({ tag: ofVault?.tag ?? tag, new: ofVault === undefined, count: ofVault?.count ?? 0, evidence });
  }
  // A new name for what the vault calls otherwise comes behind what it has.
  const suggested = [...suggestions.filter((one) => !one.new), ...suggestions.filter((one) => one.new)];
  return { suggestions: suggested, invented };
}
