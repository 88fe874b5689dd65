// The worker thread that runs file operations, so that a read that hangs in the kernel blocks only its own thread.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import '../../base/threads/dialect.ts';
import { contentHash } from '../../base/content-hash.ts';
import { errnoOf, isSystemError } from '../../base/errno.ts';
import { serializeError } from '../../base/errors/serialized-error.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { shrinkLargeHeap } from '../../base/system/memory.ts';
import { watchMainThread } from '../../base/threads/worker-threads.ts';
import type { FileContent, SettingsFile, SettingsName } from '../../contracts/vault.ts';
import { hiddenPaths } from './excluded-files.ts';
import {
  commitTask,
  type FileAnswer,
  type FileListTask,
  type FileRequest,
  type FileTask,
  type FileThreadSetup,
  type FoundFiles,
  HEARTBEATS,
  IS_WORKING,
  ITEMS_DONE,
  isStopped,
  largeBuffersOf,
  MORE,
  type ReadRow,
  type Survey,
} from './file-task.ts';
import { listFiles, realPathOf, statRoot } from './list-files.ts';
import { withOpenFolders } from './open-folders.ts';
import { createExclusion } from './path-rules.ts';
import { createUnchanged, readFile, readSettings, settingsPath } from './read-file.ts';
import { createView } from './view-globs.ts';
import { inspectPaths, settingsStamp, surveyVault } from './watching/survey.ts';
import { performWrite } from './writing/perform-write.ts';

const { root, exclude, read, write, configFolder, hidesExcluded, sharedState } = workerData as FileThreadSetup;
const exclusion = createExclusion(exclude, createView({ read, write }));

watchMainThread();

/** What is still to be sent of an answer. */
let parts: Iterator<FileAnswer, undefined> | undefined;

parentPort?.on('message', async (task: FileTask | typeof MORE) => {
  if (task !== MORE) {
    Atomics.store(sharedState, IS_WORKING, 1);
    parts = partsOf(await answerOf(task));
    Atomics.store(sharedState, IS_WORKING, 0);
  }
  const part = parts?.next().value;
  if (part === undefined) return;
  parentPort?.postMessage(part, buffersOf(part));
  if (part.kind !== 'part') await shrinkLargeHeap();
});

async function answerOf(task: FileTask): Promise<FileAnswer> {
  try {
    switch (task.kind) {
      case 'probe':
        statRoot(root);
        return { kind: 'probe' };
      case 'list':
        return listAndRead(task);
      case 'read':
        return { kind: 'read', rows: readAll(task.files) };
      case 'hash':
        return await hashAll(task.files);
      case 'survey':
        return { kind: 'survey', survey: { ...surveyVault(root, exclusion, checkStop), ...watchedSettings() } };
      case 'inspect':
        return { kind: 'inspect', states: inspectPaths(root, task.paths, exclusion, checkStop) };
      case 'settings':
        return { kind: 'settings', file: settingsFile(task.name) };
      default:
        return performWrite(task, { realRoot, exclusion, checkStop, heartbeat, commit });
    }
  } catch (thrown) {
    return { kind: 'error', error: serializeError(asVaultFailure(thrown)) };
  }
}

/** What the system says of no single file, such as of the folder that leads to it, it says of the vault. */
function asVaultFailure(thrown: unknown): unknown {
  return isSystemError(thrown)
    ? new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOf(thrown) }, { cause: thrown })
    : thrown;
}

function listAndRead(task: FileListTask): FileAnswer {
  const { paths, maxBytes = -1 } = task;
  const listing = withExcluded(listFiles(root, exclusion, onFound, task));
  const listed = new Set(paths);
  const files = listing.files.filter(
    ({ path, kind, evicted }) => listed.has(path) && kind !== 'attachment' && !evicted,
  );
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { kind: 'list', listing, ...(bytes <= maxBytes && { rows: readAll(files) }) };
}

function settingsFile(name: SettingsName): SettingsFile {
  return withOpenFolders(realRoot(), (folders) => readSettings(folders, realRoot(), { name, configFolder }, checkStop));
}

/** With a mark at each file that Obsidian's settings exclude. */
function withExcluded(listing: FoundFiles): FoundFiles {
  const settingsStamp = watchedSettings().settings?.stamp;
  if (settingsStamp === undefined) return listing;
  const { paths, faults } = hiddenPaths(
    settingsFile('app'),
    listing.files.map(({ path }) => path),
    checkStop,
  );
  const files =
    paths.size === 0
      ? listing.files
      : listing.files.map((file) => (paths.has(file.path) ? { ...file, excluded: true } : file));
  return { ...listing, files, settingsStamp, ...(faults && { settingsFault: faults }) };
}

/** The file that names what is excluded, as it is now. */
function watchedSettings(): Pick<Survey, 'settings'> {
  if (!hidesExcluded) return {};
  const path = settingsPath(realRoot(), 'app', configFolder);
  return { settings: { path, stamp: settingsStamp(join(root, path)) } };
}

const FILES_PER_PART = 1_000;

function* partsOf(answer: FileAnswer): Generator<FileAnswer, undefined> {
  if (answer.kind !== 'list') return void (yield answer);
  const { files } = answer.listing;
  let at = 0;
  for (; at + FILES_PER_PART < files.length; at += FILES_PER_PART)
    yield { kind: 'part', files: files.slice(at, at + FILES_PER_PART) };
  yield { ...answer, listing: { ...answer.listing, files: files.slice(at) } };
  parts = undefined;
}

/** A heartbeat that throws once the task is to stop. */
function checkStop(): void {
  heartbeat();
  if (isStopped(sharedState)) throw stopped();
}

const stopped = (): VaultgraphError => new VaultgraphError('CANCELLED', { committed: 'none' });

function onFound(files: number): void {
  Atomics.store(sharedState, ITEMS_DONE, files);
  checkStop();
}

function heartbeat(): void {
  Atomics.add(sharedState, HEARTBEATS, 1);
}

/** From here on nothing stops the change. */
function commit(): void {
  if (!commitTask(sharedState)) throw stopped();
}

function readAll(files: readonly FileRequest[]): readonly ReadRow[] {
  const isUnchanged = createUnchanged(root);
  return eachRead(files, (request, read) => (isUnchanged(request) ? { isUnchanged: true } : { content: read() }));
}

/** The code is loaded with the first such task. */
async function hashAll(files: readonly FileRequest[]): Promise<FileAnswer> {
  const { TextHasher } = await import('./hash-texts.ts');
  const hasher = new TextHasher();
  const rows = eachRead(files, (_, read) => {
    const content = read();
    hasher.add(content);
    return { content: { hash: contentHash(content.bytes) } };
  });
  return { kind: 'hash', rows, texts: hasher.texts() };
}

function eachRead<Content>(
  files: readonly FileRequest[],
  rowOf: (request: FileRequest, read: () => FileContent) => ReadRow<Content>,
): readonly ReadRow<Content>[] {
  const rows = withOpenFolders(realRoot(), (folders) =>
    files.map((request) => {
      const row = orError(() => rowOf(request, () => readFile(folders, exclusion, request, checkStop)));
      Atomics.add(sharedState, ITEMS_DONE, 1);
      return row;
    }),
  );
  if (rows.some((row) => 'error' in row && row.error.code === 'FILE_UNREADABLE')) statRoot(root);
  return rows;
}

function orError<Content>(rowOf: () => ReadRow<Content>): ReadRow<Content> {
  checkStop();
  try {
    return rowOf();
  } catch (thrown) {
    return { error: serializeError(thrown) };
  }
}

/** The vault's path without links, as it is now. @throws VAULT_UNAVAILABLE */
const realRoot = (): string => realPathOf(root);

function buffersOf(answer: FileAnswer): ArrayBuffer[] {
  if (answer.kind === 'inverse') return largeBuffersOf(answer.operations);
  if (answer.kind === 'hash') return Object.values(answer.texts).map(({ buffer }) => buffer as ArrayBuffer);
  if (answer.kind !== 'read' && answer.kind !== 'list') return [];
  return (answer.rows ?? []).flatMap((row) => ('content' in row ? [row.content.bytes.buffer as ArrayBuffer] : []));
}
