// The notes near in meaning to a note, as candidates; where the note has no vectors, the answer says that they are missing.
import { toVaultgraphError } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { noteMeaning } from '../search/note-meaning.ts';
import { tellSpace } from '../search/vector-space.ts';
import { MOST_NEAR, type NearBy, type NearNote } from './link-candidates.ts';

/** A note whose text no model would embed has no vectors, and those of others may still be made: other candidates are true all the same. */
const WITHOUT_VECTORS = ['INDEX_EMPTY', 'INDEX_BUILDING', 'INDEX_JOB_FAILED'];

/** Asks no provider. @throws EMBEDDER_MISMATCH */
export function similarNotes(granted: Granted<'store' | 'indexer' | 'embedding'>, call: CallContext): NearBy {
  return async ({ path }) => {
    const [meaning] = await Promise.allSettled([noteMeaning(path, granted, call)]);
    if (meaning.status === 'rejected') return withoutVectors(meaning.reason, call);
    const { vector, generation } = meaning.value;
    const near = await granted.store.nearestNotes(generation.id, vector, {}, [path], MOST_NEAR, call.signal);
    tellSpace(generation, call);
    return near.map(({ path, cosine }): NearNote => ({ path, by: 'similarity', score: cosine }));
  };
}

function withoutVectors(reason: unknown, call: CallContext): undefined {
  const failure = toVaultgraphError(reason);
  if (!WITHOUT_VECTORS.includes(failure.code)) throw failure;
  const message = `no candidates by similarity (${failure.code}): ${failure.message}`;
  call.warn({ code: 'EXTRA_MISSING', message });
  return undefined;
}
