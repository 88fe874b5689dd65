// A thread that does file operations one after the other, so that a read which hangs in the kernel holds up nothing else.
import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { errnoOf } from './errno.ts';
import { createExclusion } from './exclusion.ts';
import {
  BEATS,
  type CarriedError,
  type FileAnswer,
  type FileRequest,
  type FileTask,
  type FileThreadSetup,
  ITEMS,
  type ReadRow,
  STOP,
} from './file-task.ts';
import { listFiles, statRoot } from './list-files.ts';
import { readFile } from './read-file.ts';
import { readSettings } from './read-settings.ts';
import { lookAt } from './watching/look-at.ts';
import { rootMark, surveyVault } from './watching/survey.ts';
import { performWrite } from './writing/perform-write.ts';

const { root, exclude, pulse } = workerData as FileThreadSetup;
const exclusion = createExclusion(exclude);

parentPort?.on('message', (task: FileTask) => {
  const answer = answerOf(task);
  parentPort?.postMessage(answer, buffersOf(answer));
});

function answerOf(task: FileTask): FileAnswer {
  try {
    if (task.kind === 'list') return { kind: 'list', found: listFiles(root, exclusion, beat, task.paths) };
    if (task.kind === 'read') return { kind: 'read', rows: readAll(task.files) };
    if (task.kind === 'survey') return { kind: 'survey', survey: surveyVault(root, exclusion, beat) };
    if (task.kind === 'look') return { kind: 'look', looked: lookAt(root, task.paths, exclusion, beat) };
    if (task.kind === 'root') return { kind: 'root', mark: rootMark(root) };
    if (task.kind === 'settings') return { kind: 'settings', file: readSettings(realRootNow(), task.name, beat) };
    if (task.kind !== 'probe')
      return performWrite(task, { realRoot: realRootNow, exclusion, beat, alive, onCommitted });
    statRoot(root);
    return { kind: 'probe' };
  } catch (thrown) {
    return { kind: 'error', error: carried(thrown) };
  }
}

function beat(): void {
  alive();
  if (Atomics.load(pulse, STOP) === 1) throw new VaultgraphError('CANCELLED', { committed: 'none' });
}

function alive(): void {
  Atomics.add(pulse, BEATS, 1);
}

function onCommitted(): void {
  Atomics.store(pulse, ITEMS, 1);
}

function readAll(files: readonly FileRequest[]): readonly ReadRow[] {
  const realRoot = realRootNow();
  const rows = files.map((request) => {
    const row = readRow(realRoot, request);
    Atomics.add(pulse, ITEMS, 1);
    return row;
  });
  if (rows.some((row) => 'error' in row && row.error.code === 'FILE_UNREADABLE')) statRoot(root);
  return rows;
}

function readRow(realRoot: string, request: FileRequest): ReadRow {
  beat();
  try {
    return { content: readFile(realRoot, exclusion, request, beat) };
  } catch (thrown) {
    return { error: carried(thrown) };
  }
}

function realRootNow(): string {
  try {
    return realpathSync.native(root);
  } catch (thrown) {
    throw new VaultgraphError('VAULT_UNAVAILABLE', { errno: errnoOf(thrown) }, { cause: thrown });
  }
}

function carried(thrown: unknown): CarriedError {
  const { code, details } = toVaultgraphError(thrown);
  return { code, details };
}

function buffersOf(answer: FileAnswer): ArrayBuffer[] {
  if (answer.kind !== 'read') return [];
  return answer.rows.flatMap((row) => ('content' in row ? [row.content.bytes.buffer as ArrayBuffer] : []));
}
