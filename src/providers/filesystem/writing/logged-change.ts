// The file format of one logged change: its name holds id, size and stage; its content the intent and every old and new byte.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { shownPath } from '../../../base/shown-path.ts';
import type { ProviderContext } from '../../../contracts/provider.ts';
import type { Change } from '../../../contracts/writer.ts';
import type { LogFolders } from '../file-task.ts';
import type { ReadRange } from './file-content.ts';
import type { Slot } from './slot.ts';

/** What is logged before the vault is touched. */
export interface Intent extends Omit<Change, 'state' | 'undoneBy'> {
  readonly slots: readonly Slot[];
  /** Folders that the change creates, outer ones first. */
  readonly folders: readonly string[];
  /** Folders that it removes if they are empty, inner ones first. */
  readonly emptied: readonly string[];
}

/** File contents by content hash. */
export type Images = ReadonlyMap<string, Uint8Array>;

export interface LoggedChange {
  readonly intent: Intent;
  /** The position of each image in the file. */
  readonly images: Readonly<Record<string, readonly [offset: number, length: number]>>;
}

type OwnFolders = Pick<ProviderContext, 'dataFolder' | 'stateFolder'>;

/** The names differ, so that the change log has a folder of its own even if data and state are in one. */
export const logFolders = ({ dataFolder, stateFolder }: OwnFolders): LogFolders => ({
  log: join(stateFolder, 'change-log'),
  formerLog: join(dataFolder, 'changes'),
});

/** The log's name in errors. */
export const CHANGE_LOG_NAME = 'the change log';
/** With its folder, for the user who has to make it readable or writable. */
export const logNameAt = (folder: string): string => `${CHANGE_LOG_NAME} in ${shownPath(folder)}`;
/** Digits of the file's first field, the length of the JSON that follows it. */
const LENGTH_DIGITS = 12;

const lengthField = ({ byteLength }: Uint8Array): Uint8Array =>
  Buffer.from(String(byteLength).padStart(LENGTH_DIGITS, '0'));

/** The parts of the file, in order. */
export function serializeChange(intent: Intent, images: Images): readonly Uint8Array[] {
  const positions: Record<string, [number, number]> = {};
  let offset = 0;
  for (const [hash, bytes] of images) {
    positions[hash] = [offset, bytes.byteLength];
    offset += bytes.byteLength;
  }
  const json = Buffer.from(JSON.stringify({ intent, images: positions }));
  return [lengthField(json), json, ...images.values()];
}

/** The parts of a file with a text for a person, which every version reads as a damaged change. */
export function serializeNotice(text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  return [lengthField(bytes), bytes];
}

/** @throws FILE_WRITE_FAILED with EBADMSG for a damaged file */
export function parseChange(read: ReadRange): LoggedChange {
  const length = Number(read(0, LENGTH_DIGITS).toString());
  const start = LENGTH_DIGITS + length;
  try {
    const { intent, images } = JSON.parse(read(LENGTH_DIGITS, length).toString()) as LoggedChange;
    const positions = Object.entries(images).map(([hash, [offset, size]]) => [hash, [start + offset, size]] as const);
    return { intent, images: Object.fromEntries(positions) };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw damagedChange(thrown);
  }
}

export function damagedChange(cause?: unknown): VaultgraphError {
  const details = { path: CHANGE_LOG_NAME, errno: 'EBADMSG', step: 'read', original_intact: true };
  return new VaultgraphError('FILE_WRITE_FAILED', details, { cause });
}

/**
 * `begun`: nothing of the vault is touched but for temporary files · `committed`: to be rolled forward · `aborting`: to be rolled
 * back · `done` and `taken_back`: completed.
 */
export type Stage = 'begun' | 'committed' | 'aborting' | 'taken_back' | 'done';

/** What the file's name says about a change. */
export interface LogEntry {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Its approximate size on disk. */
  readonly bytes: number;
  readonly stage: Stage;
}

const PREFIX = 'chg_';
const NAME = /^(chg_[0-9a-z]{9}_[0-9a-f]{6})\.(\d+)\.(begun|committed|aborting|taken_back|done)$/;

/** Sorts after every id of an earlier time, and differs from others of the same millisecond. */
export function newId(began: number): string {
  return `${PREFIX}${began.toString(36).padStart(9, '0')}_${randomBytes(3).toString('hex')}`;
}

/** Milliseconds since 1970. @param id as `newId` made it */
export const beganAt = (id: string): number => Number.parseInt(id.split('_')[1] ?? '', 36);

export const fileNameOf = ({ id, bytes, stage }: Omit<LogEntry, 'began'>): string => `${id}.${bytes}.${stage}`;

/** Undefined for a file that is not a logged change. */
export function parseFileName(name: string): LogEntry | undefined {
  const [, id, bytes, stage] = NAME.exec(name) ?? [];
  return id === undefined ? undefined : { id, began: beganAt(id), bytes: Number(bytes), stage: stage as Stage };
}

export const isCompleted = ({ stage }: LogEntry): boolean => stage === 'done' || stage === 'taken_back';

/** Whether a kill left this file while a change was being logged. */
export const isLeftover = (name: string): boolean => name.startsWith(PREFIX) && parseFileName(name) === undefined;
