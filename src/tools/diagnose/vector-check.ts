// Checks which vectors a note has and how it ranks by meaning.
import { isNoteOrCanvas, type NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { embedQuery } from '../search/embed-query.ts';
import { fusedPage, windowAt } from '../search/fused-page.ts';
import { type RankedLists, searchLists } from '../search/hybrid-search.ts';
import { parseQuestion } from '../search/text-query.ts';
import { type ErrorView, errorView } from './index-view.ts';

const WHOLE_LIST = 100_000;
const SHOWN_FAILURES = 5;
/** The number of nearest notes among which the note is looked up. */
const DEPTH = 2_000;
/** The usual limit of a search. */
const FIRST_PAGE = 10;
/** Sorts after every other character. */
const LAST_CHARACTER = '\u{10ffff}';

const EXCLUDED = 'no text of an excluded file goes to an embedding model';

export type CheckedVectors = Awaited<ReturnType<typeof checkVectors>>;

/**
 * Checks the active generation, or the one being built if none is active yet.
 * `reason`: why the note, or a part of it, is not embedded.
 */
export async function checkVectors(
  path: NotePath,
  { store, indexer }: Granted<'store' | 'indexer'>,
  signal: AbortSignal,
) {
  if (!isNoteOrCanvas(path)) return { embedded: false, reason: 'only notes and canvases are embedded', failed: [] };
  const generation = mainOf(await store.generations(signal));
  const job = indexer.state().embedJob;
  const waits = job?.waiting === undefined ? '' : `; the provider fails with ${job.waiting.code} and is retried`;
  if (generation === undefined) return { embedded: false, reason: `no note is embedded yet${waits}`, failed: [] };
  const [record] = await store.notes([path], signal);
  if (record?.excluded) return { embedded: false, reason: EXCLUDED, failed: [] };
  const failed = (await store.failedChunks(generation.id, { limit: WHOLE_LIST, offset: 0 }, signal))
    .filter((chunk) => chunk.path === path)
    .map(({ lines, code, reason, attempts }) => ({ lines, code, reason, attempts }));
  const shown = failed.slice(0, SHOWN_FAILURES);
  // A cursor right before the path, so that the list begins with the path itself.
  const cursor = path.slice(0, -1) + String.fromCharCode(path.charCodeAt(path.length - 1) - 1) + LAST_CHARACTER;
  const [next] = await store.unembedded(generation.id, cursor, 1, false, signal);
  if (next?.path === path) return { embedded: false, reason: `it is waiting to be embedded${waits}`, failed: shown };
  const vector = await store.noteVector(generation.id, path, signal);
  if (vector !== null) {
    const part = failed.length === 0 ? {} : { reason: `${failed.length} of its chunks could not be embedded` };
    return { embedded: true, ...part, failed: shown };
  }
  const reason = failed.length > 0 ? 'none of its chunks could be embedded' : 'it has no text to embed';
  return { embedded: false, reason, failed: shown };
}

function mainOf(generations: readonly Generation[]): Generation | undefined {
  const main = generations.filter(({ role, state }) => role === 'main' && state !== 'previous');
  return main.find(({ state }) => state === 'active') ?? main[0];
}

export type CheckedMeaning =
  | {
      /** The rank at which `search` shows the note; absent if neither list of a first page reaches it. */
      readonly rank?: number;
      /** The rank and similarity by meaning alone, if it is among the nearest; `found` is the number of notes, if known. */
      readonly meaning: { readonly rank?: number; readonly found?: number; readonly cosine?: number };
    }
  | { readonly error: ErrorView };

/** A failure to embed the query is part of the result, so it does not end the call. */
export async function checkMeaning(
  query: string,
  path: NotePath,
  sources: Granted<'store' | 'vault' | 'indexer' | 'embedding'>,
  call: CallContext,
): Promise<CheckedMeaning> {
  const question = parseQuestion(query, 'any');
  const outcome = await outcomeOf(embedQuery(question.meaning, sources, call));
  if ('error' in outcome) {
    call.signal.throwIfAborted();
    return { error: errorView(outcome.error) };
  }
  const narrowed = { sources, filter: {}, depth: DEPTH };
  const lists = await searchLists(question, outcome.value, narrowed, call);
  const { vector } = lists;
  const at = vector.findIndex((hit) => hit.path === path);
  const near = at === -1 ? {} : { rank: at + 1, cosine: vector[at]?.cosine ?? 0 };
  const shortfall = vector.length < DEPTH ? { found: vector.length } : {};
  return { ...shownAt(path, lists), meaning: { ...near, ...shortfall } };
}

/** Cuts the lists as a first page does, since scores depend on their length. */
function shownAt(path: NotePath, { text, vector, ...lists }: RankedLists): { readonly rank?: number } {
  const window = windowAt([], FIRST_PAGE);
  const cut = { ...lists, text: text.slice(0, window.depth), vector: vector.slice(0, window.depth) };
  const at = fusedPage(cut, window, 2 * window.depth).hits.findIndex((hit) => hit.path === path);
  return at === -1 ? {} : { rank: at + 1 };
}
