// Finds which passages of different notes are nearest in meaning, by the stored vectors and within a time.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { NearPassages } from '../../markdown/claims/conflicts.ts';
import { activeVectors, requiredByConfig } from '../search/vector-space.ts';

type Sources = Granted<'store' | 'indexer' | 'embedding'>;

/** Limits of one call, so that it ends within seconds. */
const MAX_NOTES = 500;
const MAX_MS = 2_000;
const NEAREST = 4;

/** @param paths the notes to compare, the first of them with each other one. @throws EMBEDDER_MISMATCH */
export async function nearPassages(
  paths: readonly NotePath[],
  filter: NoteFilter,
  sources: Sources,
  call: CallContext,
): Promise<readonly NearPassages[]> {
  const { store, embedding } = sources;
  const generation = await activeVectors(requiredByConfig(embedding), sources, call);
  if (generation === undefined) return [];
  const until = performance.now() + Math.min(MAX_MS, call.msLeft() / 4);
  const near: NearPassages[] = [];
  const isRead = new Set<string>(paths);
  const done = new Set<string>();
  for (const path of paths.slice(0, MAX_NOTES)) {
    await letOthersRun(call.signal);
    if (performance.now() > until) break;
    done.add(path);
    const vector = await store.noteVector(generation.id, path, call.signal);
    if (vector === null) continue;
    const hits = await store.nearestNotes(generation.id, vector, filter, [path], NEAREST, call.signal);
    const others = hits.map((hit) => hit.path).filter((other) => isRead.has(other) && !done.has(other));
    const pairs = await store.nearestPairs(generation.id, path, others, call.signal);
    for (const [other, { lines, otherLines }] of pairs)
      near.push([
        { path, lines },
        { path: other, lines: otherLines },
      ]);
  }
  return near;
}
