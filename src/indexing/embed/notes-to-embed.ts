// Reads one page of the notes that a generation lacks, cuts them into chunks and looks up which chunks have vectors already.
import { VaultgraphError } from '../../base/errors.ts';
import type { UnchunkedFile } from '../../compute/chunk-files.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { Store } from '../../contracts/store.ts';
import type { FileContent, Vault } from '../../contracts/vault.ts';
import type { UnembeddedNote } from '../../contracts/vectors.ts';
import type { TokenRates } from '../../markdown/chunk/token-rates.ts';
import type { ChunkedNote } from './awaited-chunks.ts';

export interface PageParts {
  readonly vault: Vault;
  readonly store: Store;
  readonly compute: Compute;
  /** Id of the generation. */
  readonly generation: number;
  readonly chunker: string;
  readonly rates: TokenRates;
  /** Whether to include notes with chunks that the provider refused before. */
  readonly retryFailed: boolean;
}

export interface PageOfNotes {
  readonly listed: readonly UnembeddedNote[];
  /** Without notes that changed since they were indexed, as `uncut`. */
  readonly chunked: readonly ChunkedNote[];
  /** Hashes of their chunks that have vectors. */
  readonly held: ReadonlySet<string>;
  readonly unread: readonly { readonly id: string; readonly error: VaultgraphError }[];
  readonly uncut: readonly { readonly note: UnembeddedNote; readonly error: VaultgraphError }[];
}

/** Small enough that a page of long notes fits in memory, large enough that the next page is ready before this one is embedded. */
const NOTES_PER_PAGE = 64;

/** The page of notes after the path `after`; an empty page is the last. @throws VAULT_UNAVAILABLE; the store's errors; the abort's reason */
export async function readPage(after: string, parts: PageParts, signal: AbortSignal): Promise<PageOfNotes> {
  const { vault, store, generation, retryFailed } = parts;
  const listed = await store.unembedded(generation, after, NOTES_PER_PAGE, retryFailed, signal);
  const paths = listed.map(({ path }) => path);
  const { succeeded, failed: unread } = await vault.read(paths, signal);
  const contents = succeeded.map(({ result }) => result);
  const cut = await cutNotes(listed, contents, parts, signal);
  const hashes = new Set(cut.chunked.flatMap(({ chunks }) => chunks.map(({ hash }) => hash)));
  const held = await store.heldVectors(generation, [...hashes], signal);
  return { listed, unread, held, ...cut };
}

async function cutNotes(
  listed: readonly UnembeddedNote[],
  contents: readonly FileContent[],
  { compute, chunker, rates }: PageParts,
  signal: AbortSignal,
): Promise<Pick<PageOfNotes, 'chunked' | 'uncut'>> {
  const notes = new Map(listed.map((note) => [note.path, note]));
  const files = contents.map(({ path, bytes }) => ({ path, title: notes.get(path)?.title ?? '', bytes }));
  const rows = files.length === 0 ? [] : await compute.run(jobs.chunk, { files, chunker, rates }, signal);
  const present = rows.flatMap((row) => {
    const note = notes.get(row.path);
    return note?.hash === row.hash ? [{ note, row }] : [];
  });
  return {
    chunked: present.flatMap(({ note, row }) => ('chunks' in row ? [{ ...note, chunks: row.chunks }] : [])),
    uncut: present.flatMap(({ note, row }) => ('code' in row ? [{ note, error: fault(row) }] : [])),
  };
}

/** Cutting a note fails only by a bug. */
function fault({ code, reason }: UnchunkedFile): VaultgraphError {
  return new VaultgraphError('INTERNAL', { kind: code }, { cause: reason });
}
