// A vault whose PDFs read as their indexed text, for everything that shows what a search has found.
import type { BatchResult } from '../base/batch.ts';
import { isPdf, type NotePath } from '../base/note.ts';
import type { Store } from '../contracts/store.ts';
import { type FileContent, type Vault, withReads } from '../contracts/vault.ts';

/** The index decides, and not the config: another process may keep it, with another config. */
export function withAttachmentTexts(vault: Vault, store: Store): Vault {
  return withReads(vault, (read) => async (paths, signal) => {
    const pdfs = paths.filter(isPdf);
    if (pdfs.length === 0) return read(paths, signal);
    const texts = await indexedTexts(pdfs, store, signal);
    const others = paths.filter((path) => !texts.has(path));
    const { succeeded, failed } = await read(others, signal);
    const known = new Map([...texts, ...succeeded.map((one) => [one.id, one] as const)]);
    return { succeeded: paths.flatMap((path) => known.get(path) ?? []), failed };
  });
}

type ReadFile = BatchResult<FileContent>['succeeded'][number];

/** One after the other, because the text of a book takes some milliseconds. */
async function indexedTexts(
  paths: readonly NotePath[],
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadFile>> {
  const texts = new Map<string, ReadFile>();
  const encoder = new TextEncoder();
  for (const path of new Set(paths)) {
    const [file] = await store.attachmentTexts([path], signal);
    if (file === undefined) continue;
    const { text, sizeBytes, modifiedMs } = file;
    texts.set(path, { id: path, result: { path, bytes: encoder.encode(text), sizeBytes, modifiedMs } });
  }
  return texts;
}
