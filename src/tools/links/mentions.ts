// Finds the notes that a text names without a link.
import type { NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext, ReadContext } from '../../contracts/tool.ts';
import type { Mention } from '../../markdown/links/mentions.ts';
import { nameIndex } from '../notes/name-index.ts';

const LONG_ENOUGH = /[\s\S]{3}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}/u;
/** Very short names occur in every text by chance. */
export function isMentionable(name: string): boolean {
  return LONG_ENOUGH.test(name.trim());
}

export interface NamedNote {
  readonly path: NotePath;
  readonly place: Mention;
}

/** In the order of the text, each note once, including all notes that share a name. */
export async function namedNotes(
  text: string,
  isOpen: (path: NotePath) => boolean,
  store: Store,
  context: ReadContext & Pick<CallContext, 'compute'>,
): Promise<readonly NamedNote[]> {
  const { byName } = await nameIndex(store, context);
  const names = [...byName.keys()].filter((name) => isMentionable(name) && byName.get(name)?.some(isOpen));
  const named = new Map<NotePath, NamedNote>();
  for (const { place, names: spelled } of await context.compute.run(jobs.names, { text, names }, context.signal)) {
    for (const path of spelled.flatMap((name) => byName.get(name) ?? [])) {
      if (isOpen(path) && !named.has(path)) named.set(path, { path, place });
    }
  }
  return [...named.values()];
}
