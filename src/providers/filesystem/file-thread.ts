// The worker thread that runs file operations, so that a read that hangs in the kernel blocks only its own thread.
import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { errnoOrRethrow } from '../../base/errno.ts';
import { VaultgraphError } from '../../base/errors.ts';
import {
  type FileAnswer,
  type FileListTask,
  type FileRequest,
  type FileTask,
  type FileThreadSetup,
  HEARTBEATS,
  ITEMS_DONE,
  type ReadRow,
  STOP_REQUESTED,
  serializeError,
} from './file-task.ts';
import { listFiles, statRoot } from './list-files.ts';
import { createExclusion } from './path-rules.ts';
import { readFile, readSettings } from './read-file.ts';
import { inspectPaths, rootIdentity, surveyVault } from './watching/survey.ts';
import { performWrite } from './writing/perform-write.ts';

const { root, exclude, sharedState } = workerData as FileThreadSetup;
const exclusion = createExclusion(exclude);

parentPort?.on('message', (task: FileTask) => {
  const answer = answerOf(task);
  parentPort?.postMessage(answer, buffersOf(answer));
});

function answerOf(task: FileTask): FileAnswer {
  try {
    switch (task.kind) {
      case 'probe':
        statRoot(root);
        return { kind: 'probe' };
      case 'list':
        return listAndRead(task);
      case 'read':
        return { kind: 'read', rows: readAll(task.files) };
      case 'survey':
        return { kind: 'survey', survey: surveyVault(root, exclusion, checkStop) };
      case 'inspect':
        return { kind: 'inspect', states: inspectPaths(root, task.paths, exclusion, checkStop) };
      case 'root':
        return { kind: 'root', identity: rootIdentity(root) };
      case 'settings':
        return { kind: 'settings', file: readSettings(realRoot(), task.name, checkStop) };
      default:
        return performWrite(task, { realRoot, exclusion, checkStop, heartbeat, onCommitted });
    }
  } catch (thrown) {
    return { kind: 'error', error: serializeError(thrown) };
  }
}

function listAndRead({ paths, maxBytes = -1 }: FileListTask): FileAnswer {
  const found = listFiles(root, exclusion, checkStop, paths);
  const wanted = new Set(paths);
  const files = found.files.filter(({ path, kind, evicted }) => wanted.has(path) && kind !== 'attachment' && !evicted);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { kind: 'list', found, ...(bytes <= maxBytes && { rows: readAll(files) }) };
}

/** A heartbeat that throws once the task is to stop. */
function checkStop(): void {
  heartbeat();
  if (Atomics.load(sharedState, STOP_REQUESTED) === 1) throw new VaultgraphError('CANCELLED', { committed: 'none' });
}

function heartbeat(): void {
  Atomics.add(sharedState, HEARTBEATS, 1);
}

function onCommitted(): void {
  Atomics.store(sharedState, ITEMS_DONE, 1);
}

function readAll(files: readonly FileRequest[]): readonly ReadRow[] {
  const vault = realRoot();
  const rows = files.map((request) => {
    const row = readRow(vault, request);
    Atomics.add(sharedState, ITEMS_DONE, 1);
    return row;
  });
  if (rows.some((row) => 'error' in row && row.error.code === 'FILE_UNREADABLE')) statRoot(root);
  return rows;
}

function readRow(vault: string, request: FileRequest): ReadRow {
  checkStop();
  try {
    return { content: readFile(vault, exclusion, request, checkStop) };
  } catch (thrown) {
    return { error: serializeError(thrown) };
  }
}

/** The vault's real path as it is now. */
function realRoot(): string {
  try {
    return realpathSync.native(root);
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
}

function buffersOf(answer: FileAnswer): ArrayBuffer[] {
  if (answer.kind !== 'read' && answer.kind !== 'list') return [];
  return (answer.rows ?? []).flatMap((row) => ('content' in row ? [row.content.bytes.buffer as ArrayBuffer] : []));
}
