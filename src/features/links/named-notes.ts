// The notes that a text names without linking to them, each with the first place where it does.
import type { NotePath } from '../../base/note.ts';
import type { Store } from '../../contracts/store.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { calledNotes } from '../notes/name-index.ts';
import { isMentionable, type Mention, mentionsIn } from './mention-finder.ts';

export interface NamedNote {
  readonly path: NotePath;
  readonly place: Mention;
}

/** A text that names more is a list of names. */
const MAX_NAMES = 400;
const WORD = /[\p{L}\p{N}]+/gu;
const BLANKLESS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** In the order of the text, each note once; of notes with the same name all. */
export async function namedNotes(
  text: string,
  isOpen: (path: NotePath) => boolean,
  store: Store,
  signal: AbortSignal,
): Promise<readonly NamedNote[]> {
  const { byName } = await calledNotes(store, signal);
  const mayStand = quickLook(text);
  const names = [...byName.keys()].filter((name) => isMentionable(name) && mayStand(name));
  const open = names.filter((name) => byName.get(name)?.some(isOpen)).slice(0, MAX_NAMES);
  if (open.length === 0) return [];
  const byFolded = Map.groupBy(open, spelled);
  const found = new Map<NotePath, NamedNote>();
  for (const place of mentionsIn(text, open)) {
    for (const name of byFolded.get(spelled(place.text)) ?? []) {
      for (const path of byName.get(name) ?? []) {
        if (isOpen(path) && !found.has(path)) found.set(path, { path, place });
      }
    }
  }
  return [...found.values()];
}

const spelled = (name: string): string => foldName(name).replace(/\s+/g, ' ').trim();

/** Rules out almost every name of a large vault without looking through the text for it. */
function quickLook(text: string): (name: string) => boolean {
  const folded = spelled(text);
  const words = new Set(folded.match(WORD) ?? []);
  return (name) => {
    const wanted = spelled(name);
    const [first] = wanted.match(WORD) ?? [];
    if (first === undefined) return false;
    return (words.has(first) || BLANKLESS.test(wanted)) && folded.includes(wanted);
  };
}
