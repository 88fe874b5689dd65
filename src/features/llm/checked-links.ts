// The links a model chose, held against the note's words: each as an edit that leads where it should. Asks nobody.

import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import type { CandidatesFor } from '../../markdown/links/resolve-link.ts';
import { type Mention, mentionsIn } from '../links/mention-finder.ts';
import type { GivenNote } from '../notes/given-note.ts';
import type { FoundBy } from './link-candidates.ts';
import { linkAt, type WrittenLink } from './link-writing.ts';
import { LONGEST_SENTENCE, type Offer, type Offers } from './offered-links.ts';
import type { LinkAnswer } from './prompts/links.ts';

export interface SuggestedLink extends WrittenLink {
  /** The note to link to. */
  readonly path: string;
  readonly title: string;
  readonly found_by: readonly FoundBy[];
  /** Where the words stand that become the link. */
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly text: string;
  readonly sentence: string;
}

export interface CheckedLinks {
  /** In the model's order, places that the note names first; one for each note and each place. */
  readonly suggestions: readonly SuggestedLink[];
  /** Those for words that do not stand in the note's running text. */
  readonly invented: number;
  /** Those for which no way to write the link leads there. */
  readonly unwritable: number;
}

/** Longer words make no link. */
const LONGEST_WORDS = 120;

interface Choice {
  readonly offer: Offer;
  /** Where the link may stand; the first that can be written is taken. */
  readonly places: readonly Mention[];
}

export function checkedLinks(
  answer: LinkAnswer,
  note: GivenNote,
  { mentions, related }: Offers,
  files: CandidatesFor,
): CheckedLinks {
  const named = (answer.mentions ?? []).flatMap((number): Choice[] => {
    const offer = mentions[number - 1];
    return offer?.place === undefined ? [] : [{ offer, places: [offer.place] }];
  });
  const worded = (answer.related ?? []).flatMap(({ note: number, words }): Choice[] => {
    const offer = related[number - 1 - mentions.length];
    return offer === undefined ? [] : [{ offer, places: placesOf(words, note) }];
  });
  const suggestions: SuggestedLink[] = [];
  let [invented, unwritable] = [0, 0];
  for (const { offer, places } of [...named, ...worded]) {
    if (suggestions.some(({ path }) => path === offer.path)) continue;
    if (places.length === 0) invented += 1;
    const free = places.filter((place) => !suggestions.some((taken) => touches(place, taken)));
    const suggestion = firstWritable(offer, free, note, files);
    if (suggestion !== undefined) suggestions.push(suggestion);
    else if (free.length > 0) unwritable += 1;
  }
  return { suggestions, invented, unwritable };
}

/** In running text of the part that is meant, letter by letter. */
function placesOf(words: string, { text, from, to }: GivenNote): readonly Mention[] {
  const wanted = words.trim().replace(/\s+/g, ' ');
  if (!/[\p{L}\p{N}]/u.test(wanted) || wanted.length > LONGEST_WORDS) return [];
  const places = mentionsIn(text.slice(0, to), [wanted]);
  return places.filter((place) => place.offset >= from && place.text === wanted);
}

function firstWritable(
  { path, title, by }: Offer,
  places: readonly Mention[],
  note: GivenNote,
  files: CandidatesFor,
): SuggestedLink | undefined {
  for (const { line, column, offset, end, text } of places) {
    const written = linkAt(note.path, note.text, { from: offset, to: end }, path, files);
    if (written === undefined) continue;
    const sentence = sentenceAround(note.text, offset, end, LONGEST_SENTENCE);
    return { path, title, found_by: by, line, column, offset, text, sentence, ...written };
  }
  return undefined;
}

function touches({ offset, end }: Mention, taken: SuggestedLink): boolean {
  return offset < taken.offset + taken.text.length && end > taken.offset;
}
