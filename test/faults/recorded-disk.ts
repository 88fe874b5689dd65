// Records what a change asks of the disk, and builds the states in which a loss of power may leave it at any moment.
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../../src/providers/filesystem/writing/disk.ts';
import { quickDisk, wrapDisk } from '../providers/filesystem/writing/faulty-disks.ts';

/** A file or a folder, whatever its names are. */
type Inode = number;

/** `folders` are those whose flush makes an entry durable. */
type Event =
  | { readonly kind: 'entry'; readonly folders: readonly Inode[]; readonly add?: Entry; readonly remove?: Place }
  | { readonly kind: 'write'; readonly inode: Inode; readonly bytes: Buffer }
  | { readonly kind: 'flush'; readonly inode: Inode };

interface Place {
  readonly folder: Inode;
  readonly name: string;
}

interface Entry extends Place {
  readonly inode: Inode;
  readonly isFolder: boolean;
}

const DESCRIPTORS = '/proc/self/fd/';

/** What is on the disk at the start is durable. */
export class RecordedDisk {
  readonly disk: Disk;
  readonly events: Event[] = [];
  readonly #root: string;
  /** By absolute path, as programs see it. */
  readonly #inodes = new Map<string, Inode>();
  readonly #start: Entry[] = [];
  readonly #contents = new Map<Inode, Buffer>();
  readonly #open = new Map<number, string>();
  #next = 1;

  constructor(root: string) {
    this.#root = root;
    this.#inodes.set(root, 0);
    this.#scan(root);
    this.disk = wrapDisk(quickDisk, (name, call) => (...given) => {
      const paths = given.slice(0, 2).map((each) => this.#pathOf(each));
      const isNew = name === 'openSync' && /w/.test(String(given[1])) && !this.#inodes.has(paths[0] ?? '');
      const result = call(...given);
      this.#record(name, paths, given, result, isNew);
      return result;
    });
  }

  /**
   * Makes a folder as the disk may be if the power is lost after so many events.
   * @param random decides of everything that was not flushed
   */
  build(to: string, events: number, random: () => number): void {
    const happened = this.events.slice(0, events);
    const entries = new Map(this.#start.map((entry) => [keyOf(entry), entry]));
    const contents = new Map(this.#contents);
    const [keeps, style] = [random(), Math.floor(4 * random())];
    for (const [at, event] of happened.entries()) {
      const later = happened.slice(at + 1);
      if (event.kind === 'entry') {
        const isFlushed = later.some((flush) => flush.kind === 'flush' && event.folders.includes(flush.inode));
        if (isFlushed || random() < keeps) apply(entries, event);
      } else if (event.kind === 'write') {
        const isFlushed = later.some((flush) => flush.kind === 'flush' && flush.inode === event.inode);
        const bytes = isFlushed ? event.bytes : torn(event.bytes, style, random);
        contents.set(event.inode, Buffer.concat([contents.get(event.inode) ?? Buffer.alloc(0), bytes]));
      }
    }
    this.#materialize(to, 0, [...entries.values()], contents, new Map());
  }

  #scan(folder: string): void {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const isFolder = lstatSync(path).isDirectory();
      const inode = this.#next++;
      this.#inodes.set(path, inode);
      this.#start.push({ folder: this.#inodes.get(folder) ?? 0, name, inode, isFolder });
      if (isFolder) this.#scan(path);
      else this.#contents.set(inode, readFileSync(path));
    }
  }

  #materialize(
    to: string,
    folder: Inode,
    entries: readonly Entry[],
    contents: Map<Inode, Buffer>,
    made: Map<Inode, string>,
  ): void {
    mkdirSync(to, { recursive: true });
    for (const { name, inode, isFolder } of entries.filter((entry) => entry.folder === folder)) {
      const path = join(to, name);
      const other = made.get(inode);
      if (isFolder) this.#materialize(path, inode, entries, contents, made);
      else if (other !== undefined) linkSync(other, path);
      else writeFileSync(path, contents.get(inode) ?? '');
      made.set(inode, path);
    }
  }

  #pathOf(given: unknown): string | undefined {
    if (typeof given === 'number') return this.#open.get(given);
    const text = String(given);
    if (!text.startsWith(DESCRIPTORS)) return text.startsWith(this.#root) ? text : undefined;
    const [descriptor = '', ...rest] = text.slice(DESCRIPTORS.length).split('/');
    const folder = this.#open.get(Number(descriptor));
    return folder === undefined ? undefined : join(folder, ...rest);
  }

  #record(
    name: keyof Disk,
    [path, other]: readonly (string | undefined)[],
    given: readonly unknown[],
    result: unknown,
    isNew: boolean,
  ): void {
    if (path === undefined) return;
    if (name === 'openSync') this.#open.set(result as number, path);
    if (isNew) this.#add(path, this.#next++, false);
    if (name === 'mkdirSync') this.#add(path, this.#next++, true);
    if (name === 'linkSync' && other !== undefined) this.#add(other, this.#inodes.get(path) ?? 0, false);
    if (name === 'unlinkSync' || name === 'rmdirSync' || name === 'rmSync') this.#remove(path);
    if (name === 'renameSync' && other !== undefined) this.#rename(path, other);
    const inode = this.#inodes.get(path);
    if (name === 'fsyncSync' && inode !== undefined) this.events.push({ kind: 'flush', inode });
    if (name === 'writeSync' && inode !== undefined) {
      const [, bytes, offset = 0] = given as [number, Uint8Array, number?];
      this.events.push({
        kind: 'write',
        inode,
        bytes: Buffer.from(bytes.subarray(offset, offset + (result as number))),
      });
    }
  }

  #place(path: string): Place {
    return { folder: this.#inodes.get(dirname(path)) ?? 0, name: basename(path) };
  }

  #add(path: string, inode: Inode, isFolder: boolean): void {
    const place = this.#place(path);
    this.#inodes.set(path, inode);
    this.events.push({ kind: 'entry', folders: [place.folder], add: { ...place, inode, isFolder } });
  }

  #remove(path: string): void {
    if (!this.#inodes.delete(path)) return;
    const remove = this.#place(path);
    this.events.push({ kind: 'entry', folders: [remove.folder], remove });
  }

  /** One step, which a journal keeps or loses as a whole. */
  #rename(from: string, to: string): void {
    const inode = this.#inodes.get(from) ?? 0;
    const [remove, place] = [this.#place(from), this.#place(to)];
    this.#inodes.delete(from);
    this.#inodes.set(to, inode);
    const folders = [remove.folder, place.folder];
    this.events.push({ kind: 'entry', folders, remove, add: { ...place, inode, isFolder: false } });
  }
}

const keyOf = ({ folder, name }: Place): string => `${folder}/${name}`;

/** What was not there because an earlier step was lost, cannot be renamed or removed. */
function apply(entries: Map<string, Entry>, { add, remove }: Event & { readonly kind: 'entry' }): void {
  if (remove !== undefined && !entries.delete(keyOf(remove)) && add !== undefined) return;
  if (add !== undefined) entries.set(keyOf(add), add);
}

const BLOCK_BYTES = 512;

/** Nothing, zeros, some of the blocks, or all. */
function torn(bytes: Buffer, style: number, random: () => number): Buffer {
  if (style === 0) return Buffer.alloc(0);
  if (style === 1) return Buffer.alloc(bytes.length);
  if (style === 2) return bytes;
  const copy = Buffer.from(bytes);
  for (let at = 0; at < copy.length; at += BLOCK_BYTES)
    if (random() < 0.5) copy.fill(0, at, Math.min(at + BLOCK_BYTES, copy.length));
  return copy;
}
