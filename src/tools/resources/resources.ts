// Notes as MCP resources: `resources/list` and `resources/read`.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { mediaTypeOf } from '../../base/note-uri.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ChangeFeed } from '../../contracts/feed.ts';
import type { NoteRecord, NoteSigns, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool, type ReadContext } from '../../contracts/tool.ts';
import type { FileContent } from '../../contracts/vault.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { isImage, showImage } from '../notes/attachments.ts';
import { nameIndex } from '../notes/name-index.ts';
import { readBytes } from '../notes/note-content.ts';
import { createPaging } from '../notes/page.ts';

/** The maximum of `read_notes`. A longer note is refused, because a resource has no pages and a part would look complete. */
const MAX_CHARACTERS = 1_000_000;
const MAX_SUGGESTIONS = 5;
/** Errors that mean there is no file at the path. */
const NO_FILE_ERRORS: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EISDIR']);

type Sources = Granted<'store' | 'vault'>;

export const readResource = defineTool({
  name: 'resources/read',
  title: 'Read a resource',
  summary: 'The text of one note, or an attachment.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'none',
  fails: ['ATTACHMENT_INVALID', 'NOTE_NOT_FOUND', 'PATH_NOT_ALLOWED', 'FILE_UNREADABLE', 'LIMIT_EXCEEDED'],
  input: z.strictObject({ path: z.string().min(1) }),
  run: async ({ path }, granted, call) => {
    const kind = fileKindOf(path);
    if (kind === 'attachment') return { ...(await attachment(path as NotePath, granted, call)), kind };
    const { bytes } = await readFile(path as NotePath, granted, call);
    const { text, encoding } = decodeText(bytes);
    if (text.length > MAX_CHARACTERS) throw tooLong(path, text.length);
    const etag = contentHash(bytes);
    call.writes.rememberText(etag, text);
    const listed = await listedPath(path, granted, call.signal);
    return { path: listed, kind, etag, ...(encoding === 'utf-8' ? {} : { encoding }), text };
  },
});

/** @throws NOTE_NOT_FOUND if the vault has no such file */
async function attachment(path: NotePath, granted: Sources, call: CallContext) {
  const [note] = await granted.store.notes([path], call.signal);
  if (note === undefined) throw await notFound(path, granted, call);
  if (isImage(path)) return showImage(path, granted.vault, call);
  const bytes = await readBytes(path, granted.vault, call.signal);
  call.showImage({ path, type: mediaTypeOf(path), bytes });
  return { path, etag: contentHash(bytes) };
}

/** Paths are listed in NFC, unless two files have the same NFC path. */
async function listedPath(path: string, { store }: Sources, signal: AbortSignal): Promise<string> {
  const composed = path.normalize('NFC');
  if (composed === path) return path;
  const [note] = await store.notes([path as NotePath], signal);
  return note === undefined ? composed : path;
}

/** @throws the vault's errors; NOTE_NOT_FOUND if the file is missing and not indexed, since an indexed file may be temporarily unavailable */
async function readFile(path: NotePath, granted: Sources, context: ReadContext): Promise<FileContent> {
  const { signal } = context;
  const { succeeded, failed } = await granted.vault.read([path], signal);
  const [read] = succeeded;
  if (read !== undefined) return read.result;
  const error = failed[0]?.error as VaultgraphError;
  const isNowhere = error.code === 'FILE_UNREADABLE' && NO_FILE_ERRORS.has((error.details as { errno: string }).errno);
  if (!isNowhere) throw error;
  const [note] = await granted.store.notes([path], signal);
  throw note === undefined ? await notFound(path, granted, context) : error;
}

async function notFound(path: string, { store }: Sources, context: ReadContext): Promise<VaultgraphError> {
  const suggestions = (await nameIndex(store, context)).similarNotes(path, MAX_SUGGESTIONS);
  return new VaultgraphError('NOTE_NOT_FOUND', { ref: path, path, suggestions, unresolved_link: false });
}

function tooLong(path: string, actual: number): VaultgraphError {
  const field = `the length of ${path}`;
  return new VaultgraphError('LIMIT_EXCEEDED', { field, limit: MAX_CHARACTERS, actual, of: 'resource' });
}

/** About 50 KB of JSON. */
const PAGE_SIZE = 250;

const input = z.strictObject({ cursor: z.string().min(1).optional() });
const paging = createPaging('resources/list', input.shape);

export const listResources = defineTool({
  name: 'resources/list',
  title: 'List resources',
  summary: 'Notes as resources, ascending by path.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT'],
  input,
  run: async ({ cursor }, { store }, call) => {
    const request = { limit: PAGE_SIZE, cursor };
    const page = paging.pageOf(request);
    const { notes, total } = await store.listNotes({}, 'path', 'asc', page, call.signal);
    return {
      resources: notes.map(({ path, title, kind, sizeBytes, modifiedMs }) => {
        return { path, title, kind, size: sizeBytes, modified: new Date(modifiedMs).toISOString() };
      }),
      ...paging.next(request, page, { shown: notes.length, total }),
    };
  },
});

/**
 * The store's mark also changes with every heartbeat of the leader; the index revision changes only with its content, and the last scan
 * is another one in an index that took the place of one with the same revision.
 */
export function createNoteSigns(store: Store, feed?: ChangeFeed): NoteSigns {
  let seen: { readonly mark: number; readonly state: string } | undefined;
  /** The end of a scan may add to the feed without a new revision. */
  let seenFeed: { readonly mark: number; readonly last: number } | undefined;
  let changes = 0;
  const lastChange = async (signal: AbortSignal): Promise<number> => (await feed?.state(signal))?.last ?? 0;
  return Object.freeze({
    async mark(signal: AbortSignal, paths: readonly string[] = []) {
      const mark = await store.mark(signal);
      if (seen?.mark !== mark) {
        const { revision, scannedAt } = await store.progress(signal);
        const state = `${revision} ${scannedAt}`;
        if (seen?.state !== state) changes += 1;
        seen = { mark, state };
      }
      if (paths.includes(WHOLE) && seenFeed?.mark !== mark) {
        const last = await lastChange(signal);
        if (seenFeed?.last !== last) changes += 1;
        seenFeed = { mark, last };
      }
      return changes;
    },
    async signs(paths: readonly string[], signal: AbortSignal) {
      const asked = paths.filter((path) => path !== WHOLE) as NotePath[];
      const records = await store.notes(asked, signal);
      const signs = new Map(records.map((record): [string, string] => [record.path, fingerprintOf(record)]));
      // While the index is built, a note that it does not have yet is not one that is gone.
      const missing = asked.filter((path) => !signs.has(path));
      const isBuilt = missing.length === 0 || (await store.progress(signal)).scannedAt !== null;
      if (!isBuilt) for (const path of missing) signs.set(path, NOT_INDEXED);
      if (paths.includes(WHOLE)) signs.set(WHOLE, String(await lastChange(signal)));
      return signs;
    },
  });
}

const NOT_INDEXED = 'not indexed yet';

/** The path that stands for the whole vault. */
const WHOLE = '';

/** A new time stamp alone is not a change, except for files whose content is not indexed. */
function fingerprintOf({ hash, sizeBytes, modifiedMs, evicted }: NoteRecord): string {
  return `${hash ?? `${sizeBytes}@${modifiedMs}`}${evicted ? ' evicted' : ''}`;
}
