// Knows which texts must be in a vault at the end: those that were confirmed, and neither undone nor overwritten by a later save.
import { join } from 'node:path';
import { real } from './simulated-disk.ts';

/** `unknown`: it may be there or not, as of a call that was cut off. */
type Fate = 'written' | 'confirmed' | 'refused' | 'unknown';

const MARK = /\bmark-\d+\b/g;

const marksIn = (text: string): string[] => text.match(MARK) ?? [];

export class Model {
  readonly root: string;
  readonly #fates = new Map<string, Fate>();
  readonly #overwritten = new Set<string>();
  /** Of changes that a call may have undone while they were made: an answer that confirms one may come after that. */
  readonly #undoable = new Set<string>();
  #isUndoingAll = false;
  /** What a sync client has elsewhere and will bring back. */
  readonly elsewhere: string[] = [];
  #number = 0;

  constructor(root: string) {
    this.root = root;
  }

  /** A text that is nowhere else. */
  newMark(): string {
    const mark = `mark-${++this.#number}`;
    this.#fates.set(mark, 'written');
    if (this.#isUndoingAll) this.#undoable.add(mark);
    return mark;
  }

  set(mark: string, fate: Fate): void {
    if (this.#fates.get(mark) !== 'unknown') this.#fates.set(mark, fate);
  }

  /** Another program changes a file so: its user wanted that. */
  replaces(before: string, after: string): void {
    for (const mark of marksIn(before)) this.#overwritten.add(mark);
    for (const mark of marksIn(after)) this.#overwritten.delete(mark);
  }

  /** What an answer says of a text whose call was under way. */
  decide(mark: string, fate: Fate): void {
    this.#fates.set(mark, fate === 'confirmed' && this.#undoable.has(mark) ? 'unknown' : fate);
  }

  /** A call that undoes all changes of its session begins. */
  undoAll(): void {
    this.#isUndoingAll = true;
    for (const [mark, fate] of this.#fates) if (fate !== 'confirmed') this.#undoable.add(mark);
  }

  undoneAll(): void {
    this.#isUndoingAll = false;
  }

  /** Each text that is missing, or is there although its call was refused. */
  faults(): string[] {
    const there = new Set(this.elsewhere.flatMap(marksIn));
    for (const text of this.#texts()) for (const mark of marksIn(text)) there.add(mark);
    return [...this.#fates].flatMap(([mark, fate]) => {
      if (fate === 'confirmed' && !there.has(mark) && !this.#overwritten.has(mark)) return [`lost: ${mark}`];
      return fate === 'refused' && there.has(mark) ? [`refused, but there: ${mark}`] : [];
    });
  }

  *#texts(): Iterable<string> {
    for (const entry of real.readdirSync(this.root, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) yield real.readFileSync(join(entry.parentPath, entry.name), 'utf8');
  }
}
