// Reads and parses one slice of files into the changes that the index has to apply.
import type { BatchResult } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { EMPTY_NOTE, type NotePath } from '../../base/note.ts';
import type { IndexRow } from '../../compute/index-files.ts';
import type { Compute } from '../../compute/offload.ts';
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
  const batch = changed.length > 0 ? await compute.run('index', changed.map(toParse), signal) : undefined;
  const rows = batch?.rows ?? [];
  return {
    changes: {
      found: [],
      removed: [],
      touched: same.map(({ bytes, ...file }) => file),
      indexed: changed.flatMap((content, index) => indexedFile(content, rows[index])),
      words: batch?.words,
      quarantined: [...failed.map(readFault), ...rows.flatMap(parseFault)],
      released: contents.map(({ path }) => path).filter((path) => known.quarantine.has(path)),
    },
    failures: [...failed, ...rows.flatMap(refusal)],
  };
}

const toParse = ({ path, bytes }: FileContent): { path: NotePath; bytes: Uint8Array } => ({ path, bytes });

/** A file that cannot be parsed is indexed by its words, without links. */
function indexedFile({ bytes, ...file }: FileContent, row: IndexRow | undefined): readonly IndexedFile[] {
  if (row === undefined) return [];
  const parsed = 'parsed' in row ? row.parsed : EMPTY_NOTE;
  const { hash, encoding } = row;
  return [{ ...file, hash, encoding, parsed }];
}

function readFault({ id, error }: BatchResult<FileContent>['failed'][number]): QuarantineRow {
  return { path: id, phase: 'read', code: error.code, reason: error.message };
}

function parseFault(row: IndexRow): readonly QuarantineRow[] {
  const { path, hash } = row;
  const at = { path, phase: 'parse', hash } as const;
  if ('code' in row) return [{ ...at, code: row.code, reason: row.reason }];
  const { propertiesFault } = row.parsed;
  return propertiesFault === undefined ? [] : [{ ...at, code: 'PROPERTIES_INVALID', ...propertiesFault }];
}

function refusal(row: IndexRow): SliceResult['failures'] {
  if (!('code' in row)) return [];
  const { path, code, reason } = row;
  return [{ id: path, error: errorOf(code, path, reason) }];
}

function errorOf(code: ErrorCode, path: string, reason: string): VaultgraphError {
  switch (code) {
    case 'CANVAS_INVALID':
      return new VaultgraphError('CANVAS_INVALID', { path, reason });
    case 'FILE_UNREADABLE':
      return new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EILSEQ' }, { retry: 'U' });
    default:
      return new VaultgraphError('INTERNAL', { kind: code }, { cause: reason });
  }
}
