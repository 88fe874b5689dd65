// Turns the links that a model chose into checked edits of the note.
import type { NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { InsertedLink, LinkTarget } from '../../markdown/links/insert-links.ts';
import { spellingsOf } from '../../markdown/links/path-spelling.ts';
import { type CandidatesFor, resolveLink } from '../../markdown/links/resolve-link.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import type { FoundBy } from './link-candidates.ts';
import { type LinkAnswer, MAX_SENTENCE_LENGTH, type Offer, type Offers } from './offered-links.ts';

export interface SuggestedLink extends Omit<InsertedLink, 'target'> {
  /** The note to link to. */
  readonly path: string;
  readonly title: string;
  readonly found_by: readonly FoundBy[];
}

export type CheckedLinks = Awaited<ReturnType<typeof checkedLinks>>;

interface Choice {
  readonly offer: Offer;
  readonly words: LinkTarget['words'];
}

/**
 * `suggestions`: in the model's order, mentions first; at most one for each note and each place.
 * `invented`: the number of links whose words are not in the note's running text.
 * `unwritable`: the number of links for which no spelling leads to the note.
 */
export async function checkedLinks(
  answer: LinkAnswer,
  note: RequestedNote,
  { mentions, related }: Offers,
  files: CandidatesFor,
  { compute, signal }: CallContext,
) {
  const fromMentions = (answer.mentions ?? []).flatMap((number): Choice[] => {
    const offer = mentions[number - 1];
    return offer?.place === undefined ? [] : [{ offer, words: offer.place }];
  });
  const fromRelated = (answer.related ?? []).flatMap(({ note: number, words }): Choice[] => {
    const offer = related[number - 1 - mentions.length];
    return offer === undefined ? [] : [{ offer, words }];
  });
  const choices = [...fromMentions, ...fromRelated];
  const targets = choices.map(({ offer: { path }, words }) => ({
    path,
    spelling: spelled(path, note.path, files),
    words,
  }));
  const { text, from, to } = note;
  const given = { text, from, to, targets, maxSentence: MAX_SENTENCE_LENGTH };
  const { inserted, ...counts } = await compute.run('insert', given, signal);
  const suggestions = inserted.map(({ target, ...link }): SuggestedLink => {
    const { path, title, by } = (choices[target] as Choice).offer;
    return { path, title, found_by: by, ...link };
  });
  return { suggestions, ...counts };
}

const MIN_STYLE_LENGTH = { by: 'name', extension: false, dotted: false, segments: 1 } as const;

/** The shortest spelling of a link that leads to the target; undefined if none does. @param files finds files of the vault by name */
export function spelled(target: NotePath, source: NotePath, files: CandidatesFor): string | undefined {
  return spellingsOf(target, source, MIN_STYLE_LENGTH, '').find((path) => {
    const found = resolveLink(path, source, files);
    return found.path === target && found.match !== 'ambiguous';
  });
}
