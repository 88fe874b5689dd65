// Reads and parses one slice of files into the changes that the index has to apply.
import type { BatchResult } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { EMPTY_NOTE, type NotePath } from '../../base/note.ts';
import type { Compute } from '../../compute/offload.ts';
import type { ParseRow } from '../../compute/parse-files.ts';
import type { ChangeSet, IndexedFile, QuarantineRow } from '../../contracts/store.ts';
import type { FileContent, FileEntry, Vault } from '../../contracts/vault.ts';
import type { Known } from './comparison.ts';

export type ReadSlice = BatchResult<FileContent>;

export interface SliceResult {
  readonly changes: ChangeSet;
  readonly failures: readonly { readonly id: string; readonly error: VaultgraphError }[];
}

/** @throws VAULT_UNAVAILABLE */
export function readSlice(files: readonly FileEntry[], vault: Vault, signal: AbortSignal): Promise<ReadSlice> {
  return vault.read(
    files.map(({ path }) => path),
    signal,
  );
}

/** A file that could not be read keeps its indexed content and gets a quarantine row. */
export async function parseSlice(
  { succeeded, failed }: ReadSlice,
  known: Known,
  compute: Compute,
  signal: AbortSignal,
): Promise<SliceResult> {
  const contents = succeeded.map(({ result }) => result);
  const isSame = ({ path, bytes }: FileContent): boolean => known.files.get(path)?.hash === contentHash(bytes);
  const { same = [], changed = [] } = Object.groupBy(contents, (content) => (isSame(content) ? 'same' : 'changed'));
  const rows = changed.length > 0 ? await compute.run('parse', changed.map(toParse), signal) : [];
  return {
    changes: {
      found: [],
      removed: [],
      touched: same.map(({ path, sizeBytes, modifiedMs }) => ({ path, sizeBytes, modifiedMs })),
      indexed: changed.flatMap((content, index) => indexedFile(content, rows[index])),
      quarantined: [...failed.map(readFault), ...rows.flatMap(parseFault)],
      released: contents.map(({ path }) => path).filter((path) => known.quarantine.has(path)),
    },
    failures: [...failed, ...rows.flatMap(refusal)],
  };
}

const toParse = ({ path, bytes }: FileContent): { path: NotePath; bytes: Uint8Array } => ({ path, bytes });

/** A file that cannot be parsed is indexed by its text, without links. */
function indexedFile({ path, sizeBytes, modifiedMs }: FileContent, row: ParseRow | undefined): readonly IndexedFile[] {
  if (row === undefined) return [];
  const parsed = 'parsed' in row ? row.parsed : EMPTY_NOTE;
  const { hash, encoding, text } = row;
  return [{ path, hash, sizeBytes, modifiedMs, encoding, body: text.slice(parsed.bodyOffset), parsed }];
}

function readFault({ id, error }: BatchResult<FileContent>['failed'][number]): QuarantineRow {
  return { path: id, phase: 'read', code: error.code, reason: error.message };
}

function parseFault(row: ParseRow): readonly QuarantineRow[] {
  const { path, hash } = row;
  const at = { path, phase: 'parse', hash } as const;
  if ('code' in row) return [{ ...at, code: row.code, reason: row.reason }];
  const { propertiesFault } = row.parsed;
  return propertiesFault === undefined ? [] : [{ ...at, code: 'PROPERTIES_INVALID', ...propertiesFault }];
}

function refusal(row: ParseRow): SliceResult['failures'] {
  if (!('code' in row)) return [];
  const { path, code, reason } = row;
  const error =
    code === 'CANVAS_INVALID'
      ? new VaultgraphError('CANVAS_INVALID', { path, reason })
      : new VaultgraphError('INTERNAL', { kind: code }, { cause: reason });
  return [{ id: path, error }];
}
