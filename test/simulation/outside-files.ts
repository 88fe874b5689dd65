// The files of a simulated vault for programs that know nothing of vaultgraph: what they overwrite, their users wanted to.
import { dirname, join } from 'node:path';
import type { Model } from './model.ts';
import { real, type SimulatedDisk } from './simulated-disk.ts';

/** Where a text went: into the vault, or into a file that a tool has replaced, or that another program has removed. */
export type Written = 'there' | 'replaced' | 'removed';

const pathOf = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

export class OutsideFiles {
  readonly #disk: SimulatedDisk;
  readonly #model: Model;

  constructor(disk: SimulatedDisk, model: Model) {
    this.#disk = disk;
    this.#model = model;
  }

  paths(): readonly string[] {
    const all = real.readdirSync(this.#model.root, { recursive: true }) as string[];
    const isNote = (path: string): boolean =>
      path.endsWith('.md') && !path.startsWith('.') && real.statSync(this.#at(path)).isFile();
    return all.filter(isNote).sort();
  }

  stubs(): readonly string[] {
    const all = real.readdirSync(this.#model.root, { recursive: true }) as string[];
    return all.filter((path) => path.endsWith('.icloud')).sort();
  }

  text(path: string): string | undefined {
    return real.existsSync(this.#at(path)) ? real.readFileSync(this.#at(path), 'utf8') : undefined;
  }

  /** @param flags `w` or `a` */
  open(path: string, flags: string): number {
    this.#makeFolder(dirname(path));
    const isNew = !real.existsSync(this.#at(path));
    if (flags === 'w') this.#model.replaces(this.text(path) ?? '', '');
    const descriptor = real.openSync(this.#at(path), flags);
    if (isNew || flags === 'w') this.#disk.changed(this.#at(path), false, isNew);
    return descriptor;
  }

  /** Keeps the content. */
  openToChange(path: string): number {
    return real.existsSync(this.#at(path)) ? real.openSync(this.#at(path), 'r+') : this.open(path, 'w');
  }

  write(descriptor: number, text: string, at: number | null = null): Written {
    return this.#change(descriptor, () => void real.writeSync(descriptor, text, at));
  }

  truncate(descriptor: number, length: number): void {
    this.#change(descriptor, () => real.ftruncateSync(descriptor, length));
  }

  rename(from: string, to: string): void {
    if (!real.existsSync(this.#at(from))) return;
    this.#makeFolder(dirname(to));
    const isFile = real.statSync(this.#at(from)).isFile();
    const [before, after] = isFile ? [this.text(to) ?? '', this.text(from) ?? ''] : ['', ''];
    real.renameSync(this.#at(from), this.#at(to));
    this.#model.replaces(before, after);
    this.#disk.changed(this.#at(from), true);
    this.#disk.moved(this.#at(to));
  }

  remove(path: string): void {
    const before = this.text(path);
    if (before === undefined) return;
    real.unlinkSync(this.#at(path));
    this.#model.replaces(before, '');
    this.#disk.changed(this.#at(path), true);
  }

  /** Only an empty one. */
  removeFolder(path: string): void {
    real.rmdirSync(this.#at(path));
    this.#disk.changed(this.#at(path), true);
  }

  /** Changes a text to one of the same size, whose file has the time of the earlier one, as after `cp -p`. */
  keepTimes(path: string, change: (text: string) => string): void {
    const text = this.text(path);
    if (text === undefined) return;
    real.writeFileSync(this.#at(path), change(text));
    this.setMode(path);
  }

  /** @param ms added to the time of the content */
  setTime(path: string, ms: number): void {
    this.#keepContent(path, (before) => before + ms);
  }

  /** The system notes when it changed. */
  setMode(path: string): void {
    this.#keepContent(path, (before) => before);
  }

  /** As other files with the same contents and the times of their contents, as a backup is restored. */
  restoreAll(): void {
    for (const path of this.paths()) this.#restore(path);
  }

  #restore(path: string): void {
    const text = this.text(path);
    if (text === undefined) return;
    const before = this.#disk.times.get(real.statSync(this.#at(path)).ino)?.m;
    const temporary = `${path}.restored`;
    this.put(temporary, text);
    const times = this.#disk.times.get(real.statSync(this.#at(temporary)).ino);
    if (times !== undefined && before !== undefined) times.m = before;
    this.rename(temporary, path);
  }

  put(path: string, text: string): void {
    const descriptor = this.open(path, 'w');
    this.write(descriptor, text);
    real.closeSync(descriptor);
  }

  #keepContent(path: string, timeAfter: (before: number) => number): void {
    if (!real.existsSync(this.#at(path))) return;
    const { ino } = real.statSync(this.#at(path));
    const before = this.#disk.times.get(ino)?.m ?? 0;
    this.#disk.changed(this.#at(path));
    const times = this.#disk.times.get(ino);
    if (times !== undefined) times.m = timeAfter(before);
  }

  #makeFolder(path: string): void {
    if (real.existsSync(this.#at(path))) return;
    this.#makeFolder(dirname(path));
    real.mkdirSync(this.#at(path));
    this.#disk.changed(this.#at(path), false, true);
  }

  #at(path: string): string {
    return join(this.#model.root, path);
  }

  #change(descriptor: number, work: () => void): Written {
    const text = (): string => real.readFileSync(pathOf(descriptor), 'utf8');
    const before = text();
    work();
    const written = this.#note(descriptor);
    this.#model.replaces(before, written === 'there' ? text() : '');
    return written;
  }

  #note(descriptor: number): Written {
    const { ino } = real.fstatSync(descriptor);
    const path = real.readlinkSync(pathOf(descriptor));
    this.#disk.touch(ino, this.#disk.timeNow);
    if (!real.existsSync(path)) return this.#disk.replaced.has(ino) ? 'replaced' : 'removed';
    this.#disk.changed(path);
    return 'there';
  }
}
