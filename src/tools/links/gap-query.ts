// The arguments of find_gaps, and which notes pass its filter.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import { isInFolder } from '../notes/file-names.ts';
import { folderArgument, modifiedSinceArgument } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { pathsMatching, templatesArgument } from '../notes/vault-filter.ts';

/** Places per unresolved name, by level of detail. */
export const MAX_PLACES = { brief: 3, full: 50 } as const;

export const input = z.strictObject({
  kind: z
    .enum([
      ...(['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions'] as const),
      ...(['duplicates', 'stale', 'unused_attachments'] as const),
    ])
    .describe('stale needs before'),
  note: z.string().min(1).optional().describe('only for unresolved (in it), unlinked_mentions (of it)'),
  folder: folderArgument,
  modified_since: modifiedSinceArgument,
  before: z.string().optional().describe('for stale: not changed or linked since 2026-01-31 or 1y'),
  templates: templatesArgument,
  detail: z.enum(['brief', 'full']).default('brief').describe('full: more places'),
  ...pageShape,
});
export const paging = createPaging('find_gaps', input.shape);
export type Sources = Granted<'store' | 'vault'>;

export interface GapQuery {
  readonly args: z.infer<typeof input>;
  readonly note: NotePath | undefined;
  readonly filter: NoteFilter;
}

/** Whether a note passes a filter by folder and time. */
export async function pathsWithin(
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<(path: NotePath) => boolean> {
  const { folder, exceptFolders, modifiedSinceMs } = filter;
  if (modifiedSinceMs === undefined) {
    const { excluded } = await store.graph(signal);
    const isListed = (path: NotePath): boolean => excluded?.has(path) !== true && isOutside(path, exceptFolders);
    return (path) => (folder === undefined || isInFolder(path, folder)) && isListed(path);
  }
  const paths = new Set(await pathsMatching(filter, store, signal));
  return (path) => paths.has(path);
}

export function isOutside(path: NotePath, folders: readonly string[] = []): boolean {
  return !folders.some((folder) => isInFolder(path, folder));
}
