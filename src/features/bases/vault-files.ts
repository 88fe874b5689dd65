// Reads what bases show of every file from the index.
import type { NotePath } from '../../base/note.ts';
import type { BaseFile, BaseFiles, FileLink } from '../../bases/files.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { NoteRecord, Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { nameKeyOf } from '../../markdown/links/fold.ts';
import { everyLink } from '../notes/note-view.ts';

/** Some milliseconds. */
const RECORDS_AT_ONCE = 50;

/** @param needsLinks without them, no file has links */
export async function vaultFiles(
  needsLinks: boolean,
  store: Store,
  { signal, storeCache }: ReadContext,
): Promise<BaseFiles> {
  const files = await storeCache.get(readFiles, store, signal);
  return needsLinks ? { ...files, ...(await storeCache.get(readLinks, store, signal)) } : files;
}

const readFiles: ComputeFromIndex<BaseFiles> = async (store, signal) => {
  const paths = (await store.fileStates(signal)).map(({ path }) => path);
  const byPath = new Map<NotePath, BaseFile>();
  const byName = new Map<string, NotePath[]>();
  for (let at = 0; at < paths.length; at += RECORDS_AT_ONCE) {
    const records = await store.notes(paths.slice(at, at + RECORDS_AT_ONCE), signal);
    for (const record of records) {
      byPath.set(record.path, baseFile(record));
      addTo(byName, nameKeyOf(record.path), record.path);
    }
  }
  return {
    all: [...byPath.values()],
    candidatesFor: (nameKey) => byName.get(nameKey) ?? [],
    at: (path) => byPath.get(path),
    linksOf: () => [],
    sourcesOf: () => [],
  };
};

function baseFile({
  path,
  kind,
  sizeBytes,
  modifiedMs,
  createdMs = modifiedMs,
  tags,
  properties,
}: NoteRecord): BaseFile {
  return { path, kind, sizeBytes, modifiedMs, createdMs, tags, properties };
}

type Links = Pick<BaseFiles, 'linksOf' | 'sourcesOf'>;

const readLinks: ComputeFromIndex<Links> = async (store, signal) => {
  const linksOf = new Map<NotePath, readonly FileLink[]>();
  const sourcesOf = new Map<NotePath, NotePath[]>();
  for (const { path, kind } of await store.fileStates(signal)) {
    if (kind !== 'note' && kind !== 'canvas') continue;
    const links = (await everyLink(path, 'out', store, signal)).map(fileLink);
    linksOf.set(path, links);
    for (const target of new Set(links.map((link) => link.target))) {
      if (target !== null) addTo(sourcesOf, target, path);
    }
  }
  return { linksOf: (path) => linksOf.get(path) ?? [], sourcesOf: (path) => sourcesOf.get(path) ?? [] };
};

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function fileLink({ kind, link, display, target }: FileLink): FileLink {
  return { kind, link, display, target };
}
