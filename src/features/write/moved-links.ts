// Works out which texts must change when files move, so that every link keeps its target.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { contentHash } from '../../base/content-hash.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { FileState, ResolvedLink, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileContent } from '../../contracts/vault.ts';
import type { Change, FileOperation, Writer } from '../../contracts/writer.ts';
import { nameKeyOf } from '../../markdown/links/fold.ts';
import { createMovedFiles, type MovedFiles, resolveWritten } from '../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { rewriteLinks, targetedLinks } from '../../markdown/links/rewrite-links.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import { encoderLike } from './editable-note.ts';
import type { WriteSources } from './run-write.ts';

/** A note or canvas that was read, by its path before the move. */
export interface LinkingFile {
  readonly path: NotePath;
  readonly etag: string;
  /** Present if its links must change. */
  readonly changed?: {
    readonly before: string;
    readonly after: string;
    readonly bytes: Uint8Array;
    readonly lines: readonly number[];
  };
}

export interface BrokenLink {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

export interface MovedLinks {
  readonly files: readonly LinkingFile[];
  /** Links that cannot be updated. */
  readonly broken: readonly BrokenLink[];
}

const FILES_AT_ONCE = 64;
const NOTE_EXTENSION = '.md';

/**
 * Every moved note, and every file with a link that leads to a moved one, or that would lead elsewhere because of its new name.
 * @param states every file of the vault, before the move
 * @param unwritable files that are to stay as they are
 * @throws the reason why a moved note cannot be read
 */
export async function movedLinks(
  moved: ReadonlyMap<NotePath, NotePath>,
  states: readonly FileState[],
  unwritable: ReadonlySet<string>,
  { store, vault, writer }: WriteSources,
  call: CallContext,
): Promise<MovedLinks> {
  const after = candidatesByName(states.map(({ path }) => moved.get(path) ?? path));
  const earlier = await earlierBytes(moved, writer, call.signal);
  const following: Following = { moved, unwritable, earlier, files: createMovedFiles(moved, after), store, call };
  const paths = [...(await linkingPaths(following, states))];
  const files: LinkingFile[] = [];
  const broken: BrokenLink[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    call.progress(at, paths.length, 'following links');
    const { succeeded, failed } = await vault.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { result } of succeeded) {
      const found = followed(result, following);
      files.push(found.file);
      broken.push(...found.broken);
      await letOthersRun();
    }
    for (const { id, error } of failed) broken.push(...(await brokenLinksFromIndex(id as NotePath, error, following)));
  }
  return { files, broken };
}

interface Following {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  readonly unwritable: ReadonlySet<string>;
  readonly earlier: EarlierBytes;
  readonly files: MovedFiles;
  readonly store: Store;
  readonly call: CallContext;
}

async function linkingPaths(
  { moved, files, store, call }: Following,
  states: readonly FileState[],
): Promise<Set<NotePath>> {
  const keys = new Set([...files.nameKeys].flatMap(competingKeys));
  const paths = new Set([...moved.keys()].filter((path) => hasLinks(path)));
  for (const { path } of states) {
    if (!keys.has(nameKeyOf(path))) continue;
    for (const { source } of await store.links(path, 'in', EVERY_LINK, call.signal)) paths.add(source);
  }
  return paths;
}

/** A link without `.md` leads to the note or else to a file of exactly that name, so a note competes for both names. */
function competingKeys(nameKey: string): string[] {
  return nameKey.endsWith(NOTE_EXTENSION) ? [nameKey, nameKey.slice(0, -NOTE_EXTENSION.length)] : [nameKey];
}

function hasLinks(path: string): boolean {
  return fileKindOf(path) === 'note' || fileKindOf(path) === 'canvas';
}

interface Followed {
  readonly file: LinkingFile;
  readonly broken: readonly BrokenLink[];
}

function followed({ path, bytes }: FileContent, following: Following): Followed {
  const { unwritable, files, earlier } = following;
  const { text: before, encoding } = decodeText(bytes);
  const file = { path, etag: contentHash(bytes) };
  const stays = unwritable.has(path) ? 'it cannot be written' : 'it is not UTF-8 text';
  const mayChange = encoding === 'utf-8' && !unwritable.has(path);
  const restored = mayChange ? restoredText(path, before, earlier(path, file.etag), files) : undefined;
  if (restored !== undefined) {
    const { text: after, ...changed } = restored;
    return { file: { ...file, changed: { before, after, ...changed } }, broken: [] };
  }
  const { text: after, ...links } = rewriteLinks(path, before, targetedLinks(path, before, files.before), files);
  const broken = links.refused.map(({ line, reason }) => ({ path, line, reason }));
  if (after === before) return { file, broken };
  if (!mayChange)
    return { file, broken: [...broken, ...links.rewritten.map(({ line }) => ({ path, line, reason: stays }))] };
  const lines = links.rewritten.map(({ line }) => line);
  return { file: { ...file, changed: { before, after, bytes: encoderLike(bytes)(after), lines } }, broken };
}

/** The links of an unreadable file that the move breaks, as the index knows them. @throws the reason if the file itself is moved */
async function brokenLinksFromIndex(
  path: NotePath,
  error: VaultgraphError,
  { moved, files, store, call }: Following,
): Promise<BrokenLink[]> {
  if (moved.has(path)) throw error;
  const links = await store.links(path, 'out', EVERY_LINK, call.signal);
  const isBroken = ({ target, ...link }: ResolvedLink): boolean =>
    target !== null && resolveWritten(link, path, files.after).path !== files.pathAfter(target);
  return links.filter(isBroken).map(({ line }) => ({ path, line, reason: error.message }));
}

/** The bytes that a file had before an earlier move, if it is still as that move left it. */
type EarlierBytes = (path: NotePath, etag: string) => Uint8Array | undefined;

interface RestoredText {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The lines of the links that differ from the current text. */
  readonly lines: readonly number[];
}

/** A move that reverses an older change is treated like any other move. */
const MAX_CHANGES = 20;
const NOTHING: EarlierBytes = () => undefined;

/** The bytes from before the move that this one reverses, so that moving back restores the texts exactly. */
async function earlierBytes(
  moved: ReadonlyMap<NotePath, NotePath>,
  writer: Writer,
  signal: AbortSignal,
): Promise<EarlierBytes> {
  const changes = await writer.changes(MAX_CHANGES, signal);
  const change = changes.find((each) => isReverse(each, moved));
  if (change === undefined) return NOTHING;
  // If the log no longer has these bytes, the links are rewritten as for any other move.
  const [outcome] = await Promise.allSettled([writer.inverse(change.id, signal)]);
  signal.throwIfAborted();
  if (outcome.status === 'rejected') return NOTHING;
  const byPath = new Map(outcome.value.operations.map((operation) => [operation.path, operation]));
  return (path, etag) => bytesOf(byPath.get(path), etag);
}

function isReverse({ state, undoneBy, files }: Change, moved: ReadonlyMap<NotePath, NotePath>): boolean {
  const moves = files.filter(({ kind }) => kind === 'move');
  const isOpen = state === 'done' && undoneBy === undefined && moves.length === moved.size;
  return isOpen && moves.every(({ path, to }) => to !== undefined && moved.get(to as NotePath) === path);
}

function bytesOf(operation: FileOperation | undefined, etag: string): Uint8Array | undefined {
  if (operation?.kind !== 'move' && operation?.kind !== 'replace') return undefined;
  return operation.before === etag ? operation.bytes : undefined;
}

/** The earlier text; undefined if one of its links would not lead to its current target. */
function restoredText(
  path: NotePath,
  text: string,
  earlier: Uint8Array | undefined,
  files: MovedFiles,
): RestoredText | undefined {
  if (earlier === undefined) return undefined;
  const before = decodeText(earlier);
  const now = targetedLinks(path, text, files.before);
  const then = targetedLinks(files.pathAfter(path), before.text, files.after);
  const leads = (at: number): NotePath | null => {
    const target = now[at]?.target ?? null;
    return target === null ? null : files.pathAfter(target);
  };
  const fits = now.length === then.length && then.every(({ target }, at) => target === leads(at));
  if (!fits || before.encoding === 'invalid') return undefined;
  const lines = then.filter(({ link }, at) => link !== now[at]?.link).map(({ line }) => line);
  return { text: before.text, bytes: earlier, lines };
}
