// Finds folders and attachments by name, for arguments that name one in another case or instead of a note.
import { VaultgraphError } from '../../base/errors.ts';
import { NearestNames } from '../../base/nearest.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { type Addressed, hasAddresses } from '../../markdown/links/addresses.ts';
import { foldName, nameKeyOf } from '../../markdown/links/fold.ts';
import { type CandidatesFor, withAddresses } from '../../markdown/links/resolve-link.ts';

/** Rows processed before other calls run. */
const ROWS_PER_TURN = 2_000;

/** Folders and attachments, each by its folded path; attachments also by their folded file name. */
interface FileNames {
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly attachments: ReadonlyMap<string, readonly NotePath[]>;
  /** The folders and attachments that are suggested: Obsidian's settings do not exclude them. */
  readonly suggested: ReadonlySet<string>;
}

async function readFileNames(store: Store, signal: AbortSignal): Promise<FileNames> {
  const states = await store.fileStates(signal);
  const attachments = new Map<string, NotePath[]>();
  const suggested = foldersOf(states.filter(({ excluded }) => excluded !== true));
  for (const [row, { path, kind, excluded }] of states.entries()) {
    if (row % ROWS_PER_TURN === 0) await letOthersRun();
    if (kind !== 'attachment') continue;
    if (excluded !== true) suggested.add(path);
    for (const key of new Set([foldName(path), nameKeyOf(path)])) addTo(attachments, key, path);
  }
  const folders = new Map<string, string[]>();
  for (const folder of foldersOf(states)) addTo(folders, foldName(folder), folder);
  return { folders, attachments, suggested };
}

async function readFilesByName(store: Store, signal: AbortSignal): Promise<CandidatesFor> {
  const files = new Map<string, NotePath[]>();
  for (const [row, { path }] of (await store.fileStates(signal)).entries()) {
    if (row % ROWS_PER_TURN === 0) await letOthersRun();
    addTo(files, nameKeyOf(path), path);
  }
  const byName = (nameKey: string) => files.get(nameKey) ?? [];
  const addresses = await addressesIn(store, signal);
  return addresses === undefined ? byName : withAddresses(byName, addresses);
}

/** Undefined where links have none. */
async function addressesIn(store: Store, signal: AbortSignal): Promise<readonly Addressed[] | undefined> {
  if (!hasAddresses()) return undefined;
  const names = await store.names(signal);
  return names.flatMap(({ path, addresses = [] }) => addresses.map((address) => ({ path: path as NotePath, address })));
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

const fileNames = (store: Store, { storeCache, signal }: ReadContext): Promise<FileNames> =>
  storeCache.get(readFileNames, store, signal);

/** Every folder that contains one of the files. */
export function foldersOf(files: Iterable<{ readonly path: string }>): Set<string> {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

export function isInFolder(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** The folder as the vault spells it; undefined if there is none, or if several differ from `folder` in case. */
export async function folderCalled(folder: string, store: Store, context: ReadContext): Promise<string | undefined> {
  const same = (await fileNames(store, context)).folders.get(foldName(folder)) ?? [];
  return same.includes(folder) || same.length === 1 ? (same.find((one) => one === folder) ?? same[0]) : undefined;
}

/** Folders whose whole path or last name is spelled like that of `folder`. */
export async function similarFolders(
  folder: string,
  limit: number,
  store: Store,
  context: ReadContext,
): Promise<readonly string[]> {
  const names = await fileNames(store, context);
  const folders = [...names.folders.values()].flat().filter((one) => names.suggested.has(one));
  const byName = Map.groupBy(folders, lastName);
  const near = new NearestNames(byName.keys()).near(lastName(folder), limit);
  return near.flatMap(({ name }) => byName.get(name) ?? []).slice(0, limit);
}

const MAX_FOLDERS = 3;

/** @param ref as the caller wrote it, with a closing `/` or without */
export async function noSuchFolder(
  ref: string,
  store: Store,
  context: ReadContext,
): Promise<VaultgraphError<'NOTE_NOT_FOUND'>> {
  const similar = await similarFolders(ref.replace(/\/+$/, ''), MAX_FOLDERS, store, context);
  const suggestions = similar.map((folder) => `${folder}/`);
  return new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions, unresolved_link: false, is: 'no_folder' });
}

/** Every file of the vault by the name by which links find it. */
export const filesByName = (store: Store, { storeCache, signal }: ReadContext): Promise<CandidatesFor> =>
  storeCache.get(readFilesByName, store, signal);

/** Paths of attachments whose file name is spelled like that of `path`. */
export async function similarAttachments(
  path: string,
  limit: number,
  store: Store,
  context: ReadContext,
): Promise<readonly string[]> {
  const { attachments, suggested } = await fileNames(store, context);
  const near = new NearestNames(attachments.keys()).near(nameKeyOf(path), limit);
  const candidates = new Set(near.flatMap(({ name }) => attachments.get(name) ?? []));
  return [...candidates].filter((one) => suggested.has(one)).slice(0, limit);
}

/** Attachments with this very file name. */
export async function attachmentsNamed(name: string, store: Store, context: ReadContext): Promise<readonly NotePath[]> {
  const { attachments, suggested } = await fileNames(store, context);
  return (attachments.get(nameKeyOf(name)) ?? []).filter((path) => suggested.has(path));
}

function lastName(folder: string): string {
  return folder.slice(folder.lastIndexOf('/') + 1);
}

/** What the vault has under the name instead of a note. */
export interface OtherThanNote {
  readonly is: 'attachment' | 'folder';
  readonly path: string;
}

/** @param name a path, or the file name of an attachment; in any case */
export async function otherThanNote(
  name: string,
  store: Store,
  context: ReadContext,
): Promise<OtherThanNote | undefined> {
  const attachments = (await fileNames(store, context)).attachments.get(foldName(name)) ?? [];
  const attachment = attachments.find((path) => path === name) ?? attachments[0];
  if (attachment !== undefined) return { is: 'attachment', path: attachment };
  const folder = await folderCalled(name.replace(/\/+$/, ''), store, context);
  return folder === undefined ? undefined : { is: 'folder', path: folder };
}
