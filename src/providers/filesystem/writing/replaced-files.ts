// Looks once more at files that a change replaced: a program that opened one before may still write to it.
import { contentHash, contentHashOf } from '../../../base/content-hash.ts';
import { isErrno } from '../../../base/errno.ts';
import type { LateWrite } from '../file-task.ts';
import { type Disk, statsAt } from './disk.ts';
import { createDurably, hashOf, ownershipOf } from './file-content.ts';
import { type FolderHandle, inCreatedFolder } from './folder-handle.ts';
import { numberedNames, pathOf } from './place.ts';
import type { ReplacedFile } from './slot.ts';
import type { WriteContext } from './write-context.ts';

/** How long a replaced file is looked at. */
const WATCHED_MS = 10_000;
/** Each has an open descriptor. */
const MAX_FILES = 256;

interface Watched extends ReplacedFile {
  /** By the system clock, as the times of changes are. */
  readonly since: number;
  /** By a clock that is never set. */
  readonly until: number;
}

export class ReplacedFiles {
  readonly #disk: Disk;
  readonly #files: Watched[] = [];
  /** The content of files to which text was added, by path: no change of the log has it. */
  readonly #added = new Map<string, string>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get count(): number {
    return this.#files.length;
  }

  add(file: ReplacedFile): void {
    this.#files.push({ ...file, since: Date.now(), until: performance.now() + WATCHED_MS });
    if (this.#files.length > MAX_FILES) this.#close(this.#files[0] as Watched);
  }

  /** Whether another program has written to one of them. */
  hasChanged(): boolean {
    return this.#files.some((file) => this.#isChanged(file));
  }

  /** Saves what other programs have written meanwhile; to be called under the locks of the vault. */
  save(context: WriteContext): LateWrite[] {
    return this.#files.filter((file) => this.#isChanged(file)).flatMap((file) => this.#saveOne(file, context));
  }

  /** Closes the files that have been looked at long enough. */
  closeOld(): void {
    const now = performance.now();
    for (const file of this.#files.filter(({ until }) => until <= now)) this.#close(file);
    if (this.#files.length === 0) this.#added.clear();
  }

  #isChanged({ descriptor, size, modifiedNs }: Watched): boolean {
    const now = this.#disk.fstatSync(descriptor, { bigint: true });
    return Number(now.size) !== size || now.mtimeNs !== modifiedNs;
  }

  #close(file: Watched): void {
    this.#files.splice(this.#files.indexOf(file), 1);
    this.#disk.closeSync(file.descriptor);
  }

  #saveOne(file: Watched, context: WriteContext): LateWrite[] {
    const { modifiedNs, bytes } = this.#read(file);
    const seen = { size: bytes.byteLength, modifiedNs, hash: contentHash(bytes) };
    const isSame = seen.hash === file.hash;
    const later = isSame ? { ...file, ...seen } : { ...file, ...seen, ...this.#kept(file, bytes, context) };
    this.#files[this.#files.indexOf(file)] = later;
    if (isSame) return [];
    const isCarried = later.place === file.place;
    return [{ path: pathOf(later.place), outcome: isCarried ? 'carried_over' : 'kept_beside' }];
  }

  #read({ descriptor }: Watched) {
    const { size, mtimeNs } = this.#disk.fstatSync(descriptor, { bigint: true });
    const bytes = Buffer.alloc(Number(size));
    let done = 0;
    for (let read = -1; read !== 0 && done < bytes.byteLength; done += read)
      read = this.#disk.readSync(descriptor, bytes, done, bytes.byteLength - done, done);
    return { modifiedNs: mtimeNs, bytes: bytes.subarray(0, done) };
  }

  /** Where the bytes are now. Only text behind the text as it was is an addition. */
  #kept(file: Watched, bytes: Buffer, context: WriteContext): Pick<Watched, 'place' | 'expected'> {
    const isAddition = bytes.byteLength > file.size && contentHash(bytes.subarray(0, file.size)) === file.hash;
    return inCreatedFolder(context, file.place.folder, (folder) => {
      const added = isAddition ? this.#carryOver(file, bytes, folder, context) : undefined;
      return added === undefined ? keepBeside(file, bytes, folder, context) : { place: file.place, expected: added };
    });
  }

  /** @returns the hash of the file with the addition; undefined if it is not as a change of ours left it */
  #carryOver(file: Watched, bytes: Buffer, folder: FolderHandle, context: WriteContext): string | undefined {
    const path = pathOf(file.place);
    const target = folder.at(file.place.name);
    const now = hashOf(this.#disk, target, path, context.heartbeat);
    const isOurs =
      now !== null &&
      (now === file.expected || now === this.#added.get(path) || isLogged(path, now, file.since, context));
    if (!isOurs) return undefined;
    const descriptor = this.#disk.openSync(target, 'a+');
    try {
      append(this.#disk, descriptor, bytes, file.size, now === this.#added.get(path));
    } finally {
      this.#disk.closeSync(descriptor);
    }
    const after = hashOf(this.#disk, target, path, context.heartbeat) ?? contentHashOf([]);
    this.#added.set(path, after);
    return after;
  }
}

/**
 * The addition goes on with a line if the file ends with that, and is on a line of its own otherwise.
 * @param follows whether the file ends with what was added before
 */
function append(disk: Disk, descriptor: number, bytes: Buffer, from: number, follows: boolean): void {
  const { size } = disk.fstatSync(descriptor);
  const line = bytes.subarray(from === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, from - 1) + 1, from);
  const end = Buffer.alloc(Math.min(size, line.byteLength + 1));
  disk.readSync(descriptor, end, 0, end.byteLength, size - end.byteLength);
  const isWhole = end.byteLength === line.byteLength || end[0] === LINE_FEED;
  const endsWithLine = follows || (isWhole && end.subarray(-line.byteLength).equals(line));
  const needsEnd = size > 0 && end.at(-1) !== LINE_FEED && !(line.byteLength > 0 && endsWithLine);
  const addition = Buffer.concat([Buffer.from(needsEnd ? '\n' : ''), bytes.subarray(from)]);
  for (let done = 0; done < addition.byteLength; ) done += disk.writeSync(descriptor, addition, done);
  disk.fsyncSync(descriptor);
}

const LINE_FEED = 0x0a;

/** Whether a change that was made since then left the path with this content. A damaged record proves nothing. */
function isLogged(path: string, hash: string, since: number, { log, heartbeat }: WriteContext): boolean {
  const later = log.entries().filter(({ began }) => began >= since - WATCHED_MS);
  return later.some(({ id }) => {
    if (log.damageOf(id, heartbeat) !== undefined) return false;
    return log.intent(id)?.slots.some((slot) => pathOf(slot.place) === path && slot.after === hash) === true;
  });
}

function keepBeside(file: Watched, bytes: Buffer, folder: FolderHandle, { disk }: WriteContext) {
  for (const name of numberedNames(file.place.name)) {
    if (statsAt(disk, folder.at(name)) !== undefined) continue;
    try {
      createDurably(disk, folder.at(name), [bytes], ownershipOf(disk.fstatSync(file.descriptor)));
    } catch (thrown) {
      if (isErrno(thrown, 'EEXIST')) continue;
      throw thrown;
    }
    folder.sync();
    return { place: { ...file.place, name }, expected: contentHash(bytes) };
  }
  return { place: file.place, expected: null };
}
