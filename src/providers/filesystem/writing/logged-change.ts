// The file format of one logged change: its name holds id, size and stage; its content the intent and every old and new byte.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { contentHash } from '../../../base/content-hash.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { shownPath } from '../../../base/local-path.ts';
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

/** A folder of its own, also if data and state are in one. */
export const logFolders = ({ stateFolder }: Pick<ProviderContext, 'stateFolder'>): LogFolders => ({
  log: join(stateFolder, 'change-log'),
});

/** The log's name in errors. */
export const CHANGE_LOG_NAME = 'the change log';
/** With its folder, for the user who has to make it readable or writable. */
export const logNameAt = (folder: string): string => `${CHANGE_LOG_NAME} in ${shownPath(folder)}`;
/** Begins the file; a later form begins with another number. */
const FORM = 'vaultgraph-change 1 ';
const LENGTH_DIGITS = 12;
const HASH_DIGITS = 64;
/** A change of every note of a large vault has a record of some ten megabytes. */
const MAX_RECORD_BYTES = 2 ** 30;
const HEADER_BYTES = FORM.length + LENGTH_DIGITS + 1 + HASH_DIGITS + 1;

/** The length and the checksum of the JSON that follows; each image is checked by the hash that names it. */
function headerOf(json: Uint8Array): string {
  return `${FORM}${String(json.byteLength).padStart(LENGTH_DIGITS, '0')} ${checksum(json)}\n`;
}

const checksum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The parts of the file, in order. */
export function serializeChange(intent: Intent, images: Images): readonly Uint8Array[] {
  const positions: Record<string, [number, number]> = {};
  let offset = 0;
  for (const [hash, bytes] of images) {
    positions[hash] = [offset, bytes.byteLength];
    offset += bytes.byteLength;
  }
  const json = Buffer.from(JSON.stringify({ intent, images: positions }));
  return [Buffer.from(headerOf(json)), json, ...images.values()];
}

/** Reads the record of a change, not its images; undefined if it is damaged, or has another form. */
export function parseChange(read: ReadRange, id: string): LoggedChange | undefined {
  const { json, isIntact } = readRecord(read);
  if (!isIntact) return undefined;
  const { intent, images } = JSON.parse(json.toString()) as LoggedChange;
  if (intent.id !== id) return undefined;
  const start = HEADER_BYTES + json.byteLength;
  const positions = Object.entries(images).map(([hash, [offset, size]]) => [hash, [start + offset, size]] as const);
  return { intent, images: Object.fromEntries(positions) };
}

/** The paths in a record that may be damaged, as far as it can be read: for a person, who compares these notes. */
export function pathsInDamaged(read: ReadRange, id: string): readonly string[] {
  try {
    const { intent } = JSON.parse(readRecord(read).json.toString()) as LoggedChange;
    return intent.id === id ? intent.slots.map(({ path }) => String(path)) : [];
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) return [];
    throw thrown;
  }
}

function readRecord(read: ReadRange): { readonly json: Buffer; readonly isIntact: boolean } {
  const header = read(0, HEADER_BYTES).toString('latin1');
  const digits = header.slice(FORM.length, FORM.length + LENGTH_DIGITS);
  const json = read(HEADER_BYTES, /^\d+$/.test(digits) ? Math.min(Number(digits), MAX_RECORD_BYTES) : 0);
  return { json, isIntact: header === headerOf(json) };
}

/** Whether a record that cannot be read begins as those of other versions do: with another number, or, before the first release, without one. */
export function isOfOtherVersion(read: ReadRange): boolean {
  const header = read(0, HEADER_BYTES).toString('latin1');
  return !header.startsWith(FORM) && /^(?:vaultgraph-change \d+ |\d{12}\{"intent")/.test(header);
}

/** Undefined if the bytes are not those that were kept. */
export function verifiedImage(
  read: ReadRange,
  hash: string,
  [offset, length]: readonly [offset: number, length: number],
): Uint8Array | undefined {
  const bytes = read(offset, length);
  return bytes.byteLength === length && contentHash(bytes) === hash ? bytes : undefined;
}

/** What of a change cannot be trusted; paths are those of notes. */
export interface Damage {
  readonly change: string;
  /** The name of its file in the change log. */
  readonly file: string;
  /** Those whose kept texts are damaged; empty if the record itself is, so that it is unknown. */
  readonly damaged: readonly string[];
  readonly intact: readonly string[];
  /** Whether it was interrupted, so that the notes may be in either state. */
  readonly unfinished?: true;
  /** Whether another version of the program seems to have written its file. */
  readonly other_version?: true;
}

const DAMAGED = 'EBADMSG';

export function damagedChange(damage: Damage | undefined): VaultgraphError {
  const details = { path: CHANGE_LOG_NAME, errno: DAMAGED, step: 'verify', original_intact: true };
  return new VaultgraphError('FILE_WRITE_FAILED', { ...details, ...damage });
}

export const isDamagedChange = (thrown: unknown): boolean =>
  thrown instanceof VaultgraphError && (thrown.details as { readonly errno?: unknown }).errno === DAMAGED;

/**
 * `begun`: nothing of the vault is touched but for temporary files · `committed`: to be rolled forward · `aborting`: to be rolled
 * back · `done`, `taken_back` and `partly_taken_back`: completed.
 */
export type Stage = 'begun' | 'committed' | 'aborting' | 'taken_back' | 'partly_taken_back' | 'done';

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
const NAME = /^(chg_[0-9a-z]{9}_[0-9a-f]{6})\.(\d+)\.(begun|committed|aborting|taken_back|partly_taken_back|done)$/;

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

const COMPLETED: readonly Stage[] = ['done', 'taken_back', 'partly_taken_back'];

export const isCompleted = ({ stage }: LogEntry): boolean => COMPLETED.includes(stage);

const SET_ASIDE = '.damaged';

/** The name of a damaged file that no change is read from any more. */
export const asideNameOf = (entry: Omit<LogEntry, 'began'>): string => `${fileNameOf(entry)}${SET_ASIDE}`;

/** Whether a kill left this file while a change was being logged. */
export const isLeftover = (name: string): boolean =>
  name.startsWith(PREFIX) && !name.endsWith(SET_ASIDE) && parseFileName(name) === undefined;
