// Works out which texts must change when files move, so that every link keeps its target.
import { contentHash } from '../../../base/content-hash.ts';
import { plural, type VaultgraphError } from '../../../base/errors.ts';
import {
  asNoteFiles,
  fileKindOf,
  isNoteOrCanvas,
  type NotePath,
  noteName,
  withoutNoteExtension,
} from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import { type FollowedBase, followedBase, type MovedFolder, movedFolder } from '../../../bases/follow-base.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { FileState } from '../../../contracts/change-set.ts';
import type { ResolvedLink, Store } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import type { FileContent } from '../../../contracts/vault.ts';
import type { Change, FileOperation, Writer } from '../../../contracts/writer.ts';
import { isSite, losesAddress } from '../../../markdown/links/addresses.ts';
import { nameKeyOf } from '../../../markdown/links/fold.ts';
import {
  type BrokenLink,
  type FollowedLinks,
  followed,
  type LinkingFile,
  type LinkToPart,
  type UnparsedLink,
} from '../../../markdown/links/follow-links.ts';
import { createMovedFiles, type MovedFiles, resolveWritten } from '../../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../../markdown/links/resolve-link.ts';
import { decodeText, splitLines } from '../../../markdown/parse/lines.ts';
import { readFrontMatter } from '../../../markdown/properties/front-matter.ts';
import { everyLink } from '../../notes/note-view.ts';
import type { WriteSources } from '../run-write.ts';
import { firstRows } from '../write-plan.ts';
import { followedBases, withBases } from './moved-bases.ts';

export interface MovedLinks {
  readonly files: readonly LinkingFile[];
  /** The links to parts of moved files, by the file with the links. */
  readonly parts: ReadonlyMap<NotePath, readonly LinkToPart[]>;
  /** Links that cannot be updated. */
  readonly broken: readonly BrokenLink[];
  /** Texts that look like links to a moved file, and that the parser does not read as links. */
  readonly unparsed: readonly UnparsedLink[];
}

const FILES_AT_ONCE = 64;
/** The links of a longer file take more than some milliseconds. */
export const SMALL_FILE = 64 * 1024;

/**
 * Every moved note, and every file with a link that leads to a moved one, or that would lead elsewhere because of its new name;
 * also notes whose text holds the old name without such a link in the index, as bases in code blocks do.
 * @param from the paths of the notes or the folder that move
 * @param states every file of the vault, before the move
 * @throws the reason why a moved note cannot be read, or why the system refuses to read a note whose link would break
 */
export async function movedLinks(
  moved: ReadonlyMap<NotePath, NotePath>,
  from: readonly string[],
  states: readonly FileState[],
  { store, vault, writer }: WriteSources,
  call: CallContext,
): Promise<MovedLinks> {
  const targets = new Set(moved.values());
  const existing = states.flatMap(({ path }) => (targets.has(path) && !moved.has(path) ? [path] : []));
  // Each step takes some ten milliseconds with a hundred thousand files.
  await letOthersRun(call.signal);
  const after = [...new Set(states.map(({ path }) => moved.get(path) ?? path))];
  await letOthersRun(call.signal);
  const candidates = candidatesByName(after);
  await letOthersRun(call.signal);
  const earlier = existing.length > 0 ? NOTHING : await earlierBytes(moved, writer, call.signal);
  const following: Following = {
    moved,
    earlier,
    files: createMovedFiles(moved, candidates, existing),
    folder: movedFolder(from[0] ?? '', moved),
    paths: after,
    existing,
    store,
    call,
  };
  const linking = await linkingPaths(following, states);
  const naming = await Promise.all(from.map((path) => notesNaming(path, store, call)));
  const paths = [...new Set([...linking, ...naming.flat()])];
  const parts = new Map<NotePath, readonly LinkToPart[]>();
  const files: LinkingFile[] = [];
  const broken: BrokenLink[] = [];
  const unparsed: UnparsedLink[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    call.progress(at, paths.length, 'following links');
    const { succeeded, failed } = await vault.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { result } of succeeded) {
      const outcome = await follow(result, linking.has(result.path), following);
      if (outcome !== undefined) {
        files.push(outcome.file);
        if (outcome.parts.length > 0) parts.set(result.path, outcome.parts);
        broken.push(...outcome.broken);
        unparsed.push(...outcome.unparsed);
      }
      await letOthersRun();
    }
    for (const { id, error } of failed) broken.push(...(await brokenLinksFromIndex(id as NotePath, error, following)));
  }
  for (const followed of await movedBases(states, following, vault)) {
    files.push(followed.file);
    broken.push(...followed.broken);
  }
  broken.push(...(await linksByLostAddresses(following, vault)));
  return { files, parts, broken, unparsed };
}

const LOST_ADDRESS = 'it is an address that the page has by its front matter and its folder together';

/** The links of a site by an address, such as that of a relative `slug`, that a moved page does not keep. */
async function linksByLostAddresses(
  { moved, files, store, call }: Following,
  vault: WriteSources['vault'],
): Promise<BrokenLink[]> {
  const pages = isSite() ? [...moved.keys()].filter((path) => fileKindOf(path) === 'note') : [];
  const broken: BrokenLink[] = [];
  for (let at = 0; at < pages.length; at += FILES_AT_ONCE) {
    const { succeeded } = await vault.read(pages.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { path, bytes } of succeeded.map(({ result }) => result)) {
      const { text } = decodeText(bytes);
      const parsed = { ...readFrontMatter(text, splitLines(text)), blocks: [] };
      const move = [path, files.pathAfter(path)] as const;
      const links = await everyLink(path, 'in', store, call.signal);
      for (const link of links) {
        const isByPath = resolveWritten(link, link.source, files.before).path === path;
        if (!isByPath && losesAddress(link.targetPath, link.source, move, parsed))
          broken.push({ path: link.source, line: link.line, reason: LOST_ADDRESS });
      }
      await letOthersRun();
    }
  }
  return broken;
}

interface Following {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  readonly earlier: EarlierBytes;
  readonly files: MovedFiles;
  readonly folder: MovedFolder | undefined;
  /** Every file of the vault after the move. */
  readonly paths: readonly NotePath[];
  readonly existing: readonly NotePath[];
  readonly store: Store;
  readonly call: CallContext;
}

async function linkingPaths(
  { moved, files, store, call }: Following,
  states: readonly FileState[],
): Promise<Set<NotePath>> {
  await letOthersRun(call.signal);
  const keys = new Set([...files.nameKeys].flatMap(competingKeys));
  await letOthersRun(call.signal);
  const paths = new Set([...moved.keys()].filter((path) => hasLinks(path)));
  for (const { path } of states) {
    await letOthersRun(call.signal);
    if (!keys.has(nameKeyOf(path))) continue;
    for (const linking of await store.linkingNotes(path, call.signal)) paths.add(linking.path);
  }
  return paths;
}

/** A link without an extension leads to the note or else to a file of exactly that name, so a note competes for both names. */
function competingKeys(nameKey: string): string[] {
  const short = withoutNoteExtension(nameKey);
  return [...new Set([nameKey, short, ...asNoteFiles(short)])];
}

function hasLinks(path: string): boolean {
  return isNoteOrCanvas(path);
}

/** Undefined for a file without links or bases that name moved files. */
async function follow(
  content: FileContent,
  isLinking: boolean,
  following: Following,
): Promise<FollowedLinks | undefined> {
  const { files, folder, call } = following;
  const bases = await followedBases(content, files, folder, call);
  if (bases === undefined) return followLinks(content, isLinking, following);
  const { path, bytes } = content;
  const changed = { ...content, bytes: bases.changed?.bytes ?? bytes };
  return withBases(content, bases, await followLinks(changed, isLinking, following, following.earlier(path, bytes)));
}

/** On the compute thread if the file is long; undefined for a file without links to moved files. */
function followLinks(
  { path, bytes }: FileContent,
  isLinking: boolean,
  { moved, earlier: earlierOf, files, paths, existing, call }: Following,
  earlier = earlierOf(path, bytes),
): Promise<FollowedLinks | undefined> | FollowedLinks | undefined {
  const file = { path, bytes, isLinking, earlier };
  if (bytes.byteLength <= SMALL_FILE) return followed(file, files);
  return call.compute.run(jobs.follow, { ...file, moved, paths, existing }, call.signal);
}

/** A name may be a common word. */
const MAX_NAMING = 2_000;

/** The notes whose text holds the name of the moved note or folder, also percent-encoded as in a Markdown link. */
async function notesNaming(from: string, store: Store, call: CallContext): Promise<readonly NotePath[]> {
  const name = noteName(from);
  const spellings = [...new Set([name, encodeURIComponent(name)])];
  const mentions = await Promise.all(spellings.map((each) => store.mentions(each, MAX_NAMING + 1, call.signal)));
  const paths = new Set(mentions.flat());
  if (paths.size <= MAX_NAMING) return [...paths];
  const message = `the name is in very many notes: ${MAX_NAMING} were searched for links that the index does not know`;
  call.warn({ code: 'TRUNCATED', message });
  return [...paths].slice(0, MAX_NAMING);
}

/**
 * The links of an unreadable file that the move breaks, as the index knows them.
 * @throws the reason if the file itself is moved, or if the system refuses to read it, which says nothing about its links
 */
async function brokenLinksFromIndex(
  path: NotePath,
  error: VaultgraphError,
  { moved, files, store, call }: Following,
): Promise<BrokenLink[]> {
  if (moved.has(path)) throw error;
  const links = await everyLink(path, 'out', store, call.signal);
  const isBroken = ({ target, ...link }: ResolvedLink): boolean =>
    target !== null && resolveWritten(link, path, files.after).path !== files.pathAfter(target);
  const broken = links.filter(isBroken);
  if (broken.length > 0 && isSystemFailure(error)) throw error;
  return broken.map(({ line }) => ({ path, line, reason: error.message }));
}

/** Reasons of FILE_UNREADABLE that are a state of the file and not a failure of the system. */
const STATES_OF_A_FILE = ['ENOENT', 'EISDIR', 'EILSEQ', 'EVICTED'];

function isSystemFailure({ code, details }: VaultgraphError): boolean {
  return code === 'FILE_UNREADABLE' && 'errno' in details && !STATES_OF_A_FILE.includes(details.errno);
}

/** A longer base is not valid. */
const MAX_BASE_BYTES = 256 * 1024;

/** The bases with expressions that name a moved file or folder. */
async function movedBases(
  states: readonly FileState[],
  { files, folder, call }: Following,
  vault: WriteSources['vault'],
): Promise<FollowedBase[]> {
  const paths = states.filter(({ kind }) => kind === 'base').map(({ path }) => path);
  const bases: FollowedBase[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const { succeeded, failed } = await vault.read(paths.slice(at, at + FILES_AT_ONCE), call.signal);
    for (const { result } of succeeded) {
      const isTooLong = result.bytes.byteLength > MAX_BASE_BYTES;
      const followed = isTooLong ? undefined : followedBase(result.path, result.bytes, files, folder);
      if (followed !== undefined) bases.push(followed);
      await letOthersRun();
    }
    for (const { id, error } of failed) {
      const message = `${id} cannot be read, so what it names was not updated: ${error.message}`;
      call.warn({ code: 'LINKS_BROKEN', message });
    }
  }
  return bases;
}

/** The bytes that a file had before an earlier move, if it is still as that move left it. */
type EarlierBytes = (path: NotePath, current: Uint8Array) => Uint8Array | undefined;

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
  return (path, current) => bytesOf(byPath.get(path), current);
}

function isReverse({ state, undoneBy, files }: Change, moved: ReadonlyMap<NotePath, NotePath>): boolean {
  const moves = files.filter(({ kind }) => kind === 'move');
  const isOpen = state === 'done' && undoneBy === undefined && moves.length === moved.size;
  return isOpen && moves.every(({ path, to }) => to !== undefined && moved.get(to as NotePath) === path);
}

function bytesOf(operation: FileOperation | undefined, current: Uint8Array): Uint8Array | undefined {
  if (operation?.kind !== 'move' && operation?.kind !== 'replace') return undefined;
  return operation.before === contentHash(current) ? operation.bytes : undefined;
}

const MAX_UNPARSED = 50;

/** `unparsed_links`: texts that look like links to the old name; code and HTML, for example, hold no links. */
export function linkFacts(
  moved: ReadonlyMap<NotePath, NotePath>,
  { files, broken, unparsed }: MovedLinks,
  call: CallContext,
): object {
  const rewritten = files.flatMap(({ path, changed }) =>
    (changed?.lines ?? []).map((line) => ({ path: moved.get(path) ?? path, line })),
  );
  return {
    rewritten,
    ...(broken.length === 0 ? {} : { broken: firstRows(broken, 'broken links', call) }),
    ...(unparsed.length === 0 ? {} : { unparsed_links: firstRows(unparsed, 'unparsed links', call, MAX_UNPARSED) }),
  };
}

export function warnOfBroken(broken: readonly BrokenLink[], call: CallContext): void {
  const count = broken.length;
  const message = `${plural(count, 'link')} could not be updated and may be broken or lead to another note`;
  call.warn({ code: 'LINKS_BROKEN', message, count });
}
