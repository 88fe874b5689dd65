// Changes the vault of a simulation as other programs do, step by step: an editor in its five ways of saving, and a sync client.
import { closeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tryQuietly } from '../../src/providers/filesystem/writing/disk.ts';
import type { Model } from './model.ts';
import { type Means, MORE_CHANGES, moreSteps } from './more-changes.ts';
import { OTHER_FILES, otherFileSteps } from './other-files.ts';
import { OutsideFiles, type Written } from './outside-files.ts';
import { RARE_CHANGES, rareSteps } from './rare-changes.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import type { World } from './world.ts';

/** What is done at once, and milliseconds until the next step. */
export type Step = readonly [work: () => void, pause: number];

const SAVES = ['in place', 'rename', 'append', 'truncate', 'delete and create'] as const;
const SYNCS = ['renamed', 'folder away', 'deleted', 'conflict copy', 'placeholder', 'bulk arrival'] as const;
/** An editor saves more often than a sync client does something. */
const KINDS = [...SAVES, ...SAVES, ...SYNCS] as const;
/** A schedule has the kinds that there were when its seed was first run. */
const WITH_RARE = [...KINDS, ...MORE_CHANGES, ...RARE_CHANGES] as const;
const WITH_OTHERS = [...WITH_RARE, ...OTHER_FILES] as const;
const KINDS_BY_AGE = [KINDS, [...KINDS, ...MORE_CHANGES], WITH_RARE, WITH_OTHERS, WITH_OTHERS] as const;
type Kind = (typeof KINDS_BY_AGE)[3][number];
/** Of the kinds of a schedule: 0 for the first ones only. */
export type Age = 0 | 1 | 2 | 3 | 4;
const isOneOf = <K extends Kind>(kinds: readonly K[], kind: Kind): kind is K =>
  (kinds as readonly Kind[]).includes(kind);
const MAX_PAUSE_MS = 5;
/** A program may be slow, or its machine busy. */
const MAX_LONG_PAUSE_MS = 1_500;
const MAX_EVICTED_MS = 3_000;

export class OtherPrograms {
  readonly #world: World;
  readonly #model: Model;
  readonly #files: OutsideFiles;
  /** Steps that are still to come. */
  pending = 0;
  /** Texts that went to a file which a tool had replaced: only the server that did so can save them. */
  readonly late: string[] = [];
  #serial = 0;
  readonly #kinds: readonly Kind[];
  /** By path, a text that it once had. */
  readonly #earlier = new Map<string, string>();

  constructor(world: World, disk: SimulatedDisk, model: Model, age: Age) {
    this.#world = world;
    this.#model = model;
    this.#files = new OutsideFiles(disk, model);
    this.#kinds = KINDS_BY_AGE[age];
  }

  /** The notes that are there. */
  paths(): readonly [string, ...string[]] {
    const found = this.#files.paths();
    return found.length === 0 ? ['Note 0.md'] : (found as [string, ...string[]]);
  }

  /** One change by a random program. @returns its name */
  act(wanted?: Kind): string {
    const { random } = this.#world;
    const path = random.pick(this.paths());
    const kind = wanted ?? random.pick(this.#kinds as readonly [Kind, ...Kind[]]);
    this.#world.note(`${kind}: ${path}`);
    if (!this.#earlier.has(path)) this.#earlier.set(path, this.#files.text(path) ?? '');
    this.#run(this.#steps(kind, path));
    return kind;
  }

  /** As a user of a file manager does it. @returns its name */
  renameFolder(): string {
    this.#run([[() => this.#files.rename('Folder', `Other folder ${++this.#serial}`), 0]]);
    return 'folder renamed';
  }

  /**
   * Brings back what is still in the cloud: an index that is built from nothing does not know what was in it. Puts a note into an empty
   * vault, which no index follows before. @returns whether anything was done
   */
  bringBack(): boolean {
    const stubs = this.#files.stubs();
    for (const stub of stubs) {
      const path = stub.replace(/\.([^/]+)\.icloud$/, '$1');
      this.#files.rename(stub, this.#files.text(path) === undefined ? path : path.replace(/\.md$/, ' 2.md'));
    }
    const isEmpty = this.#files.paths().length === 0;
    if (isEmpty) this.#files.put('Last.md', 'omega\n');
    return isEmpty || stubs.length > 0;
  }

  #run([step, ...rest]: readonly Step[], after = 0): void {
    if (step === undefined) return;
    const [work, pause] = step;
    const perform = (): void => {
      this.pending -= 1;
      // A program gives up where the system refuses, as where a folder is in the way.
      if (tryQuietly(work)) this.#run(rest, pause);
    };
    this.pending += 1;
    this.#world.plan(after, perform, true);
  }

  #steps(kind: Kind, path: string): readonly Step[] {
    if (isOneOf(MORE_CHANGES, kind)) return moreSteps(kind, path, this.#means(path));
    if (isOneOf(RARE_CHANGES, kind)) return rareSteps(kind, path, this.#means(path));
    if (isOneOf(OTHER_FILES, kind)) return otherFileSteps(kind, path, this.#means(path));
    switch (kind) {
      case 'in place':
        return this.#inPlace(path);
      case 'rename':
        return this.#byRename(path);
      case 'append':
        return this.#append(path);
      case 'truncate':
        return this.#truncate(path);
      case 'delete and create':
        return this.#deleteAndCreate(path);
      default:
        return this.#sync(kind, path);
    }
  }

  #means(path: string): Means {
    return {
      files: this.#files,
      model: this.#model,
      pause: () => this.#pause(),
      edited: () => this.#edited(path),
      earlier: this.#earlier.get(path) ?? '',
      link: `[[${path}]]`,
      number: ++this.#serial,
      saved: (mark, written) => this.#saved(mark, written),
      awayMs: (max) => this.#world.random.below(max),
    };
  }

  #pause(): number {
    const { random } = this.#world;
    return random.chance(0.1) ? random.below(MAX_LONG_PAUSE_MS) : random.next() * MAX_PAUSE_MS;
  }

  /** The text as the user of the editor has it, who read the file a moment ago. */
  #edited(path: string): { readonly text: string; readonly mark: string } {
    const mark = this.#model.newMark();
    const link = `[[Note ${this.#world.random.below(12)}]]`;
    return { mark, text: `${this.#files.text(path) ?? ''}alpha ${mark} ${link}\n` };
  }

  #saved(mark: string, written: Written): void {
    if (written === 'there') this.#model.set(mark, 'confirmed');
    if (written === 'replaced') this.late.push(mark);
  }

  #inPlace(path: string): readonly Step[] {
    const edited = { text: '', mark: '' };
    let file = 0;
    const open = (): void => {
      file = this.#files.openToChange(path);
    };
    return [
      [() => void Object.assign(edited, this.#edited(path)), this.#pause()],
      [open, this.#pause()],
      [() => this.#saved(edited.mark, this.#files.write(file, edited.text, 0)), this.#pause()],
      [() => this.#files.truncate(file, Buffer.byteLength(edited.text)), 0],
      [() => closeSync(file), 0],
    ];
  }

  #byRename(path: string): readonly Step[] {
    const temporary = join(dirname(path), `.~${++this.#serial}.tmp`);
    const edited = { text: '', mark: '' };
    const replace = (): void => {
      this.#files.rename(temporary, path);
      this.#model.set(edited.mark, 'confirmed');
    };
    return [
      [() => void Object.assign(edited, this.#edited(path)), this.#pause()],
      [() => this.#files.put(temporary, edited.text), this.#pause()],
      [replace, 0],
    ];
  }

  #append(path: string): readonly Step[] {
    const mark = this.#model.newMark();
    let file = 0;
    const open = (): void => {
      file = this.#files.open(path, 'a');
    };
    return [
      [open, this.#pause()],
      [() => this.#saved(mark, this.#files.write(file, `beta ${mark}\n`)), this.#pause()],
      [() => closeSync(file), 0],
    ];
  }

  #truncate(path: string): readonly Step[] {
    const edited = { text: '', mark: '' };
    let file = 0;
    const open = (): void => {
      file = this.#files.open(path, 'w');
    };
    const half = (): number => edited.text.length >> 1;
    return [
      [() => void Object.assign(edited, this.#edited(path)), this.#pause()],
      [open, this.#pause()],
      [() => void this.#files.write(file, edited.text.slice(0, half())), this.#pause()],
      [() => this.#saved(edited.mark, this.#files.write(file, edited.text.slice(half()))), this.#pause()],
      [() => closeSync(file), 0],
    ];
  }

  #deleteAndCreate(path: string): readonly Step[] {
    const edited = { text: '', mark: '' };
    return [
      [() => void Object.assign(edited, this.#edited(path)), this.#pause()],
      [() => this.#files.remove(path), this.#pause()],
      [() => this.#arrive(path, edited.text, edited.mark), 0],
    ];
  }

  #arrive(path: string, text: string, mark: string): void {
    this.#files.put(path, text);
    this.#model.set(mark, 'confirmed');
  }

  #sync(kind: (typeof SYNCS)[number], path: string): readonly Step[] {
    const [files, number] = [this.#files, ++this.#serial];
    const folder = dirname(path) === '.' ? '' : `${dirname(path)}/`;
    switch (kind) {
      case 'renamed':
        return [[() => files.rename(path, `${folder}Renamed ${number}.md`), 0]];
      case 'folder away':
        return [
          [() => files.rename('Folder', `Folder ${number}`), this.#pause()],
          [() => files.rename(`Folder ${number}`, 'Folder'), 0],
        ];
      case 'deleted':
        return [[() => files.remove(path), 0]];
      case 'conflict copy':
        return this.#conflict(path, path.replace(/\.md$/, ` (conflicted copy 2026-11-20 ${number}).md`));
      case 'placeholder':
        return this.#placeholder(path, `${folder}.${path.slice(folder.length)}.icloud`);
      default:
        return Array.from({ length: 3 + this.#world.random.below(12) }, (_, n) =>
          this.#bulk(`Bulk ${number}/Arrived ${n}.md`, n),
        );
    }
  }

  #conflict(path: string, copy: string): readonly Step[] {
    const mark = this.#model.newMark();
    return [
      [() => this.#files.rename(path, copy), this.#pause()],
      [() => this.#arrive(path, `# Remote\n\n${mark}\n`, mark), 0],
    ];
  }

  /** The file is in the cloud only, and comes back. */
  #placeholder(path: string, stub: string): readonly Step[] {
    const files = this.#files;
    let isAway = false;
    const evict = (): void => {
      isAway = files.text(path) !== undefined;
      files.rename(path, stub);
    };
    const bringBack = (): void => {
      if (isAway) files.rename(stub, files.text(path) === undefined ? path : path.replace(/\.md$/, ' 2.md'));
    };
    return [
      [evict, 200 + this.#world.random.below(MAX_EVICTED_MS)],
      [bringBack, 0],
    ];
  }

  #bulk(path: string, number: number): Step {
    const mark = this.#model.newMark();
    return [() => this.#arrive(path, `[[Note ${number}]] #bulk ${mark}\n`, mark), this.#world.random.next()];
  }
}
