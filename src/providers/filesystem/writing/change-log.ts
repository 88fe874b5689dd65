// The log of changes to the vault, outside it: what was meant, every byte that went, and how far it came.
import { join } from 'node:path';
import { VaultgraphError } from '../../../base/errors.ts';
import { attempt, type Disk, isErrno, removeIfThere, syncFolder } from './disk.ts';
import { createDurably, inReadFile, type ReadPart } from './file-content.ts';
import { type Images, type Intent, type LoggedChange, readDown, writtenDown } from './logged-change.ts';
import { isOver, isRemains, type LoggedName, nameOf, newId, readName, type Stage } from './logged-name.ts';

/** Ordered by id. Each step of a change is one rename of its file: it is taken, or it is not. */
export interface ChangeLog {
  /** Behind all that are there, whatever the clock says. */
  newId(now: number): string;
  /** @param beat called for each image; what it throws ends it, with nothing left */
  begin(intent: Intent, images: Images, beat: () => void): void;
  enter(id: string, stage: Exclude<Stage, 'begun'>): void;
  forget(id: string): void;
  /** Newest first. */
  names(): readonly LoggedName[];
  /** Undefined where it is not kept. @throws FILE_WRITE_FAILED with EBADMSG for one that nobody can read any more */
  intent(id: string): Intent | undefined;
  /** @throws CHANGE_NOT_FOUND when the bytes are not kept */
  image(id: string, hash: string): Uint8Array;
  /** Forgets the oldest changes that are over, beyond what is kept, and clears away what a kill left. The newest is always kept. */
  prune(now: number): void;
}

/** How much of what is over the log keeps. */
export interface Bounds {
  readonly bytes: number;
  readonly ms: number;
}

const BOUNDS: Bounds = { bytes: 256 * 1024 * 1024, ms: 90 * 24 * 60 * 60 * 1000 };
const BLOCK_BYTES = 4096;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const RECENT = 5;

/** @param folder absolute; made when it is missing */
export function openChangeLog(disk: Disk, folder: string, bounds: Bounds = BOUNDS): ChangeLog {
  disk.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  /** As far as is known here; another process may have come further. */
  const seen = new Map<string, LoggedName>();
  const read = new Map<string, LoggedChange>();
  const at = (name: LoggedName): string => join(folder, nameOf(name));

  const names = (): LoggedName[] =>
    disk
      .readdirSync(folder)
      .flatMap((name) => readName(name) ?? [])
      .sort((one, other) => (one.id < other.id ? 1 : -1));

  function look(id: string): LoggedName | undefined {
    const found = names().find((name) => name.id === id);
    if (found !== undefined) seen.set(id, found);
    return found;
  }

  function known(id: string): LoggedName {
    const found = seen.get(id) ?? look(id);
    if (found === undefined) throw notFound(id);
    return found;
  }

  function notFound(id: string): VaultgraphError {
    const recent = names().slice(0, RECENT);
    return new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: recent.map((name) => name.id) });
  }

  function begin(intent: Intent, images: Images, beat: () => void): void {
    const parts = writtenDown(intent, images);
    const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const took = Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
    const name: LoggedName = { id: intent.id, began: Date.parse(intent.time), bytes: took, stage: 'begun' };
    const unborn = join(folder, `${intent.id}.new`);
    try {
      createDurably(disk, unborn, parts, { mode: PRIVATE_FILE }, beat);
      disk.renameSync(unborn, at(name));
    } catch (thrown) {
      attempt(() => removeIfThere(disk, unborn));
      throw thrown;
    }
    seen.set(intent.id, name);
    syncFolder(disk, folder);
  }

  function enter(id: string, stage: Stage): void {
    const from = known(id);
    const to = { ...from, stage };
    disk.renameSync(at(from), at(to));
    seen.set(id, to);
    syncFolder(disk, folder);
  }

  function drop(name: LoggedName): void {
    disk.unlinkSync(at(name));
    seen.delete(name.id);
  }

  /** Undefined where it is not kept. Another process may rename it between two looks. */
  function inFile<T>(id: string, work: (read: ReadPart) => T): T | undefined {
    let last: string | undefined;
    for (let name = seen.get(id) ?? look(id); name !== undefined && at(name) !== last; name = look(id)) {
      last = at(name);
      try {
        return inReadFile(disk, last, work);
      } catch (thrown) {
        if (!isErrno(thrown, 'ENOENT')) throw thrown;
      }
    }
    return undefined;
  }

  function logged(id: string): LoggedChange | undefined {
    const found = read.get(id) ?? inFile(id, readDown);
    if (found !== undefined) read.set(id, found);
    return found;
  }

  function image(id: string, hash: string): Uint8Array {
    const place = logged(id)?.images[hash];
    const bytes = place && inFile(id, (readAt) => readAt(...place));
    if (bytes === undefined) throw notFound(id);
    return bytes;
  }

  function prune(now: number): void {
    for (const name of disk.readdirSync(folder).filter(isRemains)) removeIfThere(disk, join(folder, name));
    let bytes = 0;
    for (const [index, name] of names().entries()) {
      bytes += name.bytes;
      const isBeyond = bytes > bounds.bytes || now - name.began > bounds.ms;
      if (index > 0 && isBeyond && isOver(name)) drop(name);
    }
  }

  return Object.freeze({
    newId: (now: number) =>
      newId(
        Math.max(
          now,
          ...names()
            .slice(0, 1)
            .map(({ began }) => began + 1),
        ),
      ),
    begin,
    enter,
    forget: (id: string) => drop(known(id)),
    names,
    intent: (id: string) => logged(id)?.intent,
    image,
    prune,
  });
}
