// Compares the files that a follower reads with an index that another machine keeps up to date from its own copy of the vault.
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { IndexState } from '../../contracts/indexer.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { type Vault, withReads } from '../../contracts/vault.ts';

/** Paths in the warning; the others are counted. */
const MAX_NAMED = 5;

/** Whether the index may be of another copy of the vault: the leader's own changes are indexed within moments. */
export const isOfAnotherCopy = (state: IndexState | undefined): boolean => state?.role === 'follower';

/**
 * A vault whose files are marked with `differsHere` where the index has another content, with one warning for the call. Files that the
 * index has and this copy lacks are named too.
 */
export function besideSharedIndex(vault: Vault, store: Store, call: Pick<CallContext, 'signal' | 'warn'>): Vault {
  const named = new Set<string>();
  return withReads(vault, (read) => async (paths, signal) => {
    const { succeeded, failed } = await read(paths, signal);
    const hashes = await indexedHashes(paths, store, signal);
    const differing = succeeded.filter(({ id, result }) => differs(hashes.get(id), result.bytes));
    const missing = failed.filter(({ id }) => hashes.has(id));
    const ids = new Set([...differing, ...missing].map(({ id }) => id));
    const unnamed = [...ids].filter((id) => !named.has(id));
    warnOf(unnamed, call);
    for (const id of unnamed) named.add(id);
    const marked = (id: string) => (ids.has(id) ? { differsHere: true } : {});
    return {
      succeeded: succeeded.map(({ id, result }) => ({ id, result: { ...result, ...marked(id) } })),
      failed: failed.map((failure) =>
        hashes.has(failure.id) ? { ...failure, error: elsewhere(failure.error) } : failure,
      ),
    };
  });
}

const differs = (indexed: string | undefined, bytes: Uint8Array): boolean =>
  indexed !== undefined && indexed !== contentHash(bytes);

/** A file that is missing here is at the machine that indexed it, so the next scan of this one does not remove it from the index. */
function elsewhere(error: VaultgraphError): VaultgraphError {
  if (error.code !== 'FILE_UNREADABLE') return error;
  const { path, errno } = (error as VaultgraphError<'FILE_UNREADABLE'>).details;
  if (errno !== 'ENOENT') return error;
  return new VaultgraphError('FILE_UNREADABLE', { path, errno, differs_here: true }, { cause: error });
}

/** Only of files whose content is indexed. */
async function indexedHashes(
  paths: readonly NotePath[],
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const records = await store.notes(paths, signal);
  return new Map(records.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash] as const])));
}

function warnOf(paths: readonly string[], call: Pick<CallContext, 'warn'>): void {
  if (paths.length === 0) return;
  const others = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  const names = paths.slice(0, MAX_NAMED).join(', ');
  const message = `differs_here: ${names}${others}: the copy on this machine is not what another machine indexed, so the answer has no text of it beside indexed lines; sync the copies`;
  call.warn({ code: 'DIFFERS_HERE', message, count: paths.length });
}
