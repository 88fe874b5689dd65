// The file format of one logged change: its name holds id, size and stage; its content the intent and every old and new byte.
import { randomBytes } from 'node:crypto';
import { VaultgraphError } from '../../../base/errors.ts';
import type { Change } from '../../../contracts/writer.ts';
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

/** The log's name in errors, which do not show its real path. */
export const CHANGE_LOG_NAME = 'the change log';
/** Digits of the file's first field, the length of the JSON that follows it. */
const LENGTH_DIGITS = 12;

/** The parts of the file, in order. */
export function serializeChange(intent: Intent, images: Images): readonly Uint8Array[] {
  const positions: Record<string, [number, number]> = {};
  let offset = 0;
  for (const [hash, bytes] of images) {
    positions[hash] = [offset, bytes.byteLength];
    offset += bytes.byteLength;
  }
  const json = Buffer.from(JSON.stringify({ intent, images: positions }));
  return [Buffer.from(String(json.byteLength).padStart(LENGTH_DIGITS, '0')), json, ...images.values()];
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
    const details = { path: CHANGE_LOG_NAME, errno: 'EBADMSG', step: 'read', original_intact: true };
    throw new VaultgraphError('FILE_WRITE_FAILED', details, { cause: thrown });
  }
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
const NAME = /^(chg_([0-9a-z]{9})_[0-9a-f]{6})\.(\d+)\.(begun|committed|aborting|taken_back|done)$/;

/** Sorts after every id of an earlier time, and differs from others of the same millisecond. */
export function newId(began: number): string {
  return `${PREFIX}${began.toString(36).padStart(9, '0')}_${randomBytes(3).toString('hex')}`;
}

export const fileNameOf = ({ id, bytes, stage }: Omit<LogEntry, 'began'>): string => `${id}.${bytes}.${stage}`;

/** Undefined for a file that is not a logged change. */
export function parseFileName(name: string): LogEntry | undefined {
  const [, id, began, bytes, stage] = NAME.exec(name) ?? [];
  if (id === undefined || began === undefined) return undefined;
  return { id, began: Number.parseInt(began, 36), bytes: Number(bytes), stage: stage as Stage };
}

export const isCompleted = ({ stage }: LogEntry): boolean => stage === 'done' || stage === 'taken_back';

/** Whether a kill left this file while a change was being logged. */
export const isLeftover = (name: string): boolean => name.startsWith(PREFIX) && parseFileName(name) === undefined;
