// The candidates of a note's links as a model is shown them, as many as a prompt can hold.
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import type { Mention } from '../links/mentions.ts';
import type { GivenNote } from '../notes/requested-note.ts';
import { snippetsOf } from '../search/snippets.ts';
import type { FoundBy, LinkCandidates } from './link-candidates.ts';
import { MARK_TOKENS } from './prompts/data-marks.ts';
import { candidateText, type OfferedLink } from './prompts/links.ts';

const ABOUT_CHARS = 160;
export const MAX_SENTENCE_LENGTH = 300;

export interface Offer extends OfferedLink {
  readonly path: NotePath;
  readonly by: readonly FoundBy[];
  /** Where the note names it. */
  readonly place?: Mention;
}

export interface Offers {
  /** Each in the order of its candidates. */
  readonly mentions: readonly Offer[];
  readonly related: readonly Offer[];
  /** Candidates for which there was no room. */
  readonly leftOut: number;
}

/** Of both kinds alike, until `room` tokens are full; one at least. */
export async function offersFor(
  note: GivenNote,
  candidates: LinkCandidates,
  room: number,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Offers> {
  const paths = [...candidates.mentions, ...candidates.related].map(({ path }) => path);
  const known = await store.notes([...new Set(paths)], call.signal);
  const titles = new Map(known.map(({ path, title }) => [path, title]));
  const begins = await snippetsOf(known, [], ABOUT_CHARS, vault, call);
  const about = (path: NotePath) => ({ path, title: titles.get(path) ?? path, about: begins.get(path)?.snippet ?? '' });
  const mentions = candidates.mentions.map(({ path, place }): Offer => {
    const sentence = sentenceAround(note.text, place.offset, place.end, MAX_SENTENCE_LENGTH);
    return { ...about(path), by: ['mention'], place, sentence };
  });
  const related = candidates.related.map(({ path, by }): Offer => ({ ...about(path), by }));
  return fitting(mentions, related, room);
}

function fitting(mentions: readonly Offer[], related: readonly Offer[], room: number): Offers {
  const taken: [Offer[], Offer[]] = [[], []];
  let left = room;
  for (let at = 0; at < Math.max(mentions.length, related.length); at += 1) {
    for (const [kind, offers] of [mentions, related].entries()) {
      const offer = offers[at];
      if (offer === undefined) continue;
      left -= sizeOf(candidateText(offer)).tokens + MARK_TOKENS;
      if (left >= 0 || taken.every(({ length }) => length === 0)) taken[kind]?.push(offer);
    }
    if (left < 0) break;
  }
  const [some, others] = taken;
  return { mentions: some, related: others, leftOut: mentions.length + related.length - some.length - others.length };
}
