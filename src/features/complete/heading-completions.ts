// The headings and blocks that `Note#` may go on with. Knows nothing of how notes themselves are completed.
import type { NotePath } from '../../base/note.ts';
import type { NoteRecord, Store } from '../../contracts/store.ts';
import { createRanking, type Ranked } from './completion-ranking.ts';

/** Of notes with the same name. */
const MOST_NOTES = 5;

/** Undefined for a value that names no note before its `#`. */
export async function headingCompletions(
  value: string,
  store: Store,
  signal: AbortSignal,
): Promise<Ranked | undefined> {
  const at = value.indexOf('#');
  const name = value.slice(0, at).trim();
  if (at === -1 || name === '') return undefined;
  const [first, ...others] = await store.candidates(name, signal);
  if (first === undefined) return undefined;
  const equals = [first, ...others.filter(({ by, exact }) => by === first.by && exact === first.exact)];
  const paths = equals.slice(0, MOST_NOTES).map(({ path }) => path);
  const records = await store.notes(paths, signal);
  const calledBy = (path: NotePath): string => (equals.length === 1 ? name : path);
  const parts = records.flatMap((record) => partsOf(record).map((part) => ({ note: calledBy(record.path), part })));
  const candidates = parts.map(({ note, part }) => ({ value: `${note}#${part}`, keys: [part] }));
  return createRanking(value.slice(at + 1)).of(candidates);
}

/** A heading that stands twice is no address. */
function partsOf({ headings, blocks }: NoteRecord): string[] {
  const texts = headings.map(({ text }) => text);
  const once = texts.filter((text, at) => text !== '' && texts.indexOf(text) === at && texts.lastIndexOf(text) === at);
  return [...once, ...blocks.map(({ id }) => `^${id}`)];
}
