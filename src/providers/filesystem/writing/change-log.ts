// The log of changes, kept outside the vault: what each was to do, every byte it replaced, and how far it got.
import { dirname, join } from 'node:path';
import { isErrno } from '../../../base/errno.ts';
import { VaultgraphError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import { type ChangedFile, MAX_CHANGE_AGE_DAYS } from '../../../contracts/writer.ts';
import { type Disk, namesIn, removeIfPresent, rename, statsAt, syncFolder, tryQuietly } from './disk.ts';
import { createDurably, type ReadRange, withOpenFile } from './file-content.ts';
import {
  asideNameOf,
  type Damage,
  damagedChange,
  fileNameOf,
  type Images,
  type Intent,
  isCompleted,
  isLeftover,
  isOfOtherVersion,
  type LogEntry,
  type LoggedChange,
  newId,
  parseChange,
  parseFileName,
  pathsInDamaged,
  type Stage,
  serializeChange,
  verifiedImage,
} from './logged-change.ts';

/** How much of the completed changes the log keeps. */
export interface Bounds {
  readonly bytes: number;
  readonly ms: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const BOUNDS: Bounds = { bytes: 256 * 1024 * 1024, ms: MAX_CHANGE_AGE_DAYS * DAY_MS };
/** A clock that is so much later than at the last changes may be wrong: it is believed once a change is a day old by it. */
const MAX_GAP_MS = 30 * DAY_MS;
const BLOCK_BYTES = 4096;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const MAX_RECENT = 5;
/** How a folder, a pipe, a device or a link in place of a file fails. */
const NO_FILE = ['EISDIR', 'ELOOP', 'ENXIO', 'ESPIPE'];

/** One file for each change, ordered by id. Each step renames the file, so that it happens completely or not at all. */
export class ChangeLog {
  readonly #disk: Disk;
  readonly folder: string;
  readonly #bounds: Bounds;
  /** The entries as last seen; another process may have moved them to another stage since. */
  readonly #seen = new Map<string, LogEntry>();
  readonly #parsed = new Map<string, LoggedChange>();

  /** @param folder absolute; without it the log is empty and can only be read */
  constructor(disk: Disk, folder: string, bounds: Bounds = BOUNDS) {
    this.#disk = disk;
    this.folder = folder;
    this.#bounds = bounds;
  }

  /** Creates the folder if it is missing. */
  create(): void {
    const first = makeFolder(this.folder, PRIVATE_FOLDER, this.#disk);
    if (first === undefined) return;
    // Without its name in the folder above it, a folder and what was synced in it can be lost.
    let created = this.folder;
    for (; created !== first; created = dirname(created)) this.#syncAbove(created);
    this.#syncAbove(created);
  }

  /** Sorts after all ids in the log, even if the clock was set back. */
  newId(now: number): string {
    const [newest] = this.entries();
    return newId(Math.max(now, newest === undefined ? now : newest.began + 1));
  }

  /** @param checkStop called for each image; if it throws, nothing is logged */
  begin(intent: Intent, images: Images, checkStop: () => void): void {
    const parts = serializeChange(intent, images);
    const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const bytes = Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES;
    const entry: LogEntry = { id: intent.id, began: Date.parse(intent.time), bytes, stage: 'begun' };
    const temporary = join(this.folder, `${intent.id}.new`);
    try {
      createDurably(this.#disk, temporary, parts, { mode: PRIVATE_FILE }, checkStop);
      rename(this.#disk, temporary, this.#fileOf(entry));
    } catch (thrown) {
      tryQuietly(() => removeIfPresent(this.#disk, temporary));
      throw thrown;
    }
    this.#seen.set(intent.id, entry);
    syncFolder(this.#disk, this.folder);
  }

  setStage(id: string, stage: Exclude<Stage, 'begun'>): void {
    const from = this.#present(id);
    const to = { ...from, stage };
    rename(this.#disk, this.#fileOf(from), this.#fileOf(to));
    this.#seen.set(id, to);
    syncFolder(this.#disk, this.folder);
  }

  remove(id: string): void {
    this.#remove(this.#present(id));
  }

  /** Newest first. */
  entries(): readonly LogEntry[] {
    return namesIn(this.#disk, this.folder)
      .flatMap((name) => parseFileName(name) ?? [])
      .sort((one, other) => (one.id < other.id ? 1 : -1));
  }

  /** Undefined if it is not kept. @throws FILE_WRITE_FAILED with EBADMSG if it is damaged */
  intent(id: string): Intent | undefined {
    return this.#change(id)?.intent;
  }

  /** @throws CHANGE_NOT_FOUND if the bytes are not kept */
  image(id: string, hash: string): Uint8Array {
    const bytes = this.findImage(id, hash);
    if (bytes === undefined) throw this.#notFound(id);
    return bytes;
  }

  /** Undefined if the bytes are not kept. @throws FILE_WRITE_FAILED with EBADMSG if they are damaged */
  findImage(id: string, hash: string): Uint8Array | undefined {
    const position = this.#change(id)?.images[hash];
    if (position === undefined) return undefined;
    const bytes = this.#read(id, (read) => ({ image: verifiedImage(read, hash, position) }));
    if (bytes !== undefined && bytes.image === undefined) throw damagedChange(this.damageOf(id));
    return bytes?.image;
  }

  /** Reads every kept text. @throws FILE_WRITE_FAILED with EBADMSG, which names the notes whose texts are damaged */
  verify(id: string, checkStop: () => void = () => undefined): void {
    const damage = this.damageOf(id, checkStop);
    if (damage !== undefined) throw damagedChange(damage);
  }

  /** Undefined if all that is kept of a change is as it was written, or nothing is kept. */
  damageOf(id: string, checkStop: () => void = () => undefined): Damage | undefined {
    return this.#read(id, (read) => damageIn(read, this.#entry(id), checkStop));
  }

  /** Takes a damaged change out of the log; its file stays under another name. */
  setAside(id: string): string {
    const entry = this.#entry(id);
    rename(this.#disk, this.#fileOf(entry), join(this.folder, asideNameOf(entry)));
    this.#forget(id);
    syncFolder(this.#disk, this.folder);
    return asideNameOf(entry);
  }

  /** When the log begins to have every change: a log that is half empty has lost none but those beyond its age. */
  completeSince(now: number): number {
    const entries = this.entries();
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    return bytes < this.#bounds.bytes / 2 ? now - this.#bounds.ms : (entries.at(-1)?.began ?? now);
  }

  /** Removes the oldest completed changes that exceed the bounds, but never the newest, and what a kill left behind. */
  prune(now: number): void {
    for (const name of this.#disk.readdirSync(this.folder).filter(isLeftover))
      removeIfPresent(this.#disk, join(this.folder, name));
    let bytes = 0;
    const entries = this.entries();
    const isBelieved = entries.some(({ began }) => now - began >= DAY_MS && now - began <= MAX_GAP_MS);
    for (const [index, entry] of entries.entries()) {
      bytes += entry.bytes;
      const isTooOld = isBelieved && now - entry.began > this.#bounds.ms;
      const isBeyond = bytes > this.#bounds.bytes || isTooOld;
      if (index > 0 && isBeyond && isCompleted(entry)) this.#remove(entry);
    }
  }

  #syncAbove(folder: string): void {
    tryQuietly(() => syncFolder(this.#disk, dirname(folder)));
  }

  #fileOf(entry: LogEntry): string {
    return join(this.folder, fileNameOf(entry));
  }

  #remove(entry: LogEntry): void {
    this.#disk.unlinkSync(this.#fileOf(entry));
    this.#forget(entry.id);
  }

  #forget(id: string): void {
    this.#seen.delete(id);
    this.#parsed.delete(id);
  }

  #refresh(id: string): LogEntry | undefined {
    const match = this.entries().find((entry) => entry.id === id);
    if (match !== undefined) this.#seen.set(id, match);
    return match;
  }

  #entry(id: string): LogEntry {
    const entry = this.#seen.get(id) ?? this.#refresh(id);
    if (entry === undefined) throw this.#notFound(id);
    return entry;
  }

  /** After a step that failed the file may have the next name all the same. */
  #present(id: string): LogEntry {
    const entry = this.#entry(id);
    return statsAt(this.#disk, this.#fileOf(entry)) === undefined ? (this.#refresh(id) ?? entry) : entry;
  }

  #notFound(id: string): VaultgraphError {
    const recent = this.entries().slice(0, MAX_RECENT);
    return new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: recent.map((entry) => entry.id) });
  }

  #change(id: string): LoggedChange | undefined {
    const parsed = this.#parsed.get(id);
    if (parsed !== undefined) return parsed;
    const record = this.#read(id, (read) => ({ change: parseChange(read, id) }));
    if (record === undefined) return undefined;
    if (record.change === undefined) throw damagedChange(this.damageOf(id));
    this.#parsed.set(id, record.change);
    return record.change;
  }

  /** Undefined if it is not kept. Looks again while another process renames the file. */
  #read<T>(id: string, work: (read: ReadRange) => T): T | undefined {
    let file: string | undefined;
    let entry = this.#seen.get(id) ?? this.#refresh(id);
    while (entry !== undefined && this.#fileOf(entry) !== file) {
      file = this.#fileOf(entry);
      try {
        return withOpenFile(this.#disk, file, work);
      } catch (thrown) {
        // What is not a file has nothing of the change.
        if (isErrno(thrown, ...NO_FILE)) return work(() => Buffer.alloc(0));
        if (!isErrno(thrown, 'ENOENT')) throw thrown;
      }
      entry = this.#refresh(id);
    }
    return undefined;
  }
}

function damageIn(read: ReadRange, entry: LogEntry, checkStop: () => void): Damage | undefined {
  const about = {
    change: entry.id,
    file: fileNameOf(entry),
    ...(!isCompleted(entry) && { unfinished: true as const }),
  };
  const change = parseChange(read, entry.id);
  if (change === undefined) {
    const other = isOfOtherVersion(read) && { other_version: true as const };
    return { ...about, ...other, damaged: other ? [] : pathsInDamaged(read, entry.id), intact: [] };
  }
  const bad = new Set<string>();
  for (const [hash, position] of Object.entries(change.images)) {
    checkStop();
    if (verifiedImage(read, hash, position) === undefined) bad.add(hash);
  }
  if (bad.size === 0) return undefined;
  const isDamaged = ({ before, after }: ChangedFile): boolean => bad.has(before ?? '') || bad.has(after ?? '');
  const paths = (files: readonly ChangedFile[]): readonly string[] => files.map(({ path }) => path);
  const { files } = change.intent;
  return { ...about, damaged: paths(files.filter(isDamaged)), intact: paths(files.filter((file) => !isDamaged(file))) };
}
