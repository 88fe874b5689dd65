// Started by a test: calls each tool that writes with faults of its file operations, and checks the vault, the answer and the undo.
import assert from 'node:assert/strict';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { VaultgraphError } from '../../src/base/errors.ts';
import { declaredCodes } from '../../src/mcp/dispatch/dispatch.ts';
import { createNote } from '../../src/tools/write/create_note.ts';
import { undoChange } from '../../src/tools/write/undo_change.ts';
import { type Snapshot, snapshotOf } from '../providers/filesystem/writing/workbench.ts';
import { type ToolsUnderTest, withTools } from '../tools/tools-under-test.ts';
import { type Faulted, FILES, faultedTools } from './faulted-tools.ts';
import { beginRun, errnoOf, type Fault, isWanted, printReport, tryFaults, withFault } from './faults.ts';

const NEXT = 'Next.md';
/** Of the runs that left everything as it was, one in so many makes the next call. */
const EVERY = 8;

interface Skipped {
  readonly path: string;
}

interface Answer {
  readonly change_id?: string;
  readonly skipped?: readonly Skipped[];
}

type Outcome = PromiseSettledResult<Answer>;

class CallWithFaults {
  readonly #under: ToolsUnderTest;
  readonly #faulted: Faulted;
  #more: object = {};
  #untouched = 0;
  #half = 0;
  #made = 0;

  constructor(under: ToolsUnderTest, faulted: Faulted) {
    this.#under = under;
    this.#faulted = faulted;
  }

  async run(): Promise<void> {
    await this.#reset();
    const { outcome, operations } = await withFault(undefined, () => this.#ask());
    if (outcome.status === 'rejected') throw outcome.reason;
    const after = this.#vault();
    await tryFaults(this.#faulted.title, operations, (fault) => this.#check(fault, after));
  }

  #vault(): Snapshot {
    return new Map([...snapshotOf(this.#under.folder.root)].filter(([path]) => path !== NEXT));
  }

  #log(): readonly string[] {
    return globSync(join(this.#under.folder.outside, 'state/**/chg_*'));
  }

  #ask(): Promise<Answer> {
    return this.#under.ask(this.#faulted.tool, { ...this.#faulted.input, ...this.#more });
  }

  /** A fresh copy of the vault, without changes, in the index. */
  async #reset(): Promise<Snapshot> {
    const { folder, run } = this.#under;
    for (const file of this.#log()) rmSync(file);
    for (const [path, found] of [...snapshotOf(folder.root)].reverse())
      if (!isOwn(path, found)) rmSync(join(folder.root, path), { recursive: true });
    const now = this.#vault();
    const missing = Object.entries(FILES).filter(([path]) => !now.has(path));
    for (const [path, text] of missing) folder.put(path, text);
    await run();
    this.#more = (await this.#faulted.prepare?.(this.#under)) ?? {};
    beginRun();
    return this.#vault();
  }

  async #check(fault: Fault, after: Snapshot): Promise<boolean> {
    const before = await this.#reset();
    const { outcome, hasFired } = await withFault<Answer>(fault, () => this.#ask());
    if (!hasFired) return false;
    const now = this.#vault();
    const isHalf = outcome.status === 'rejected' && !this.#isIntact(outcome.reason, fault);
    const wanted = outcome.status === 'fulfilled' ? withSkipped(after, before, outcome.value) : before;
    if (!isHalf) assert.deepEqual(visible(now, fault), visible(wanted, fault), `right after it: ${shown(outcome)}`);
    if (outcome.status === 'rejected' && this.#log().length === 0 && this.#untouched++ % EVERY !== 0) return true;
    if (isHalf && this.#faulted.tool !== undoChange && this.#half++ % 2 === 0) {
      await this.#undoHalf(before);
      return true;
    }
    if (outcome.status === 'fulfilled' && outcome.value.change_id !== undefined && this.#made++ % 2 === 0) {
      await this.#undo(outcome.value, before);
      return true;
    }
    await this.#under.ask(createNote, { path: NEXT, content: 'next\n' });
    const later = this.#vault();
    const allowed = isHalf ? [before, after] : [wanted];
    assert.ok(
      allowed.some((each) => isSame(each, later)),
      `after the next call: ${shown(outcome)} ${JSON.stringify([...later])}`,
    );
    assert.deepEqual(
      this.#log().filter((name) => !IS_COMPLETED.test(name)),
      [],
    );
    if (outcome.status === 'fulfilled' && outcome.value.change_id !== undefined)
      await this.#undo(outcome.value, before);
    return true;
  }

  async #undo({ change_id }: Answer, before: Snapshot): Promise<void> {
    await this.#under.ask(undoChange, { change_id, confirm: true });
    // The undo of an undo leaves out the folders that were empty.
    if (this.#faulted.tool !== undoChange) assert.deepEqual(this.#vault(), before, 'undone');
  }

  /** Undone if it was completed meanwhile; rolled back, there is nothing left to undo. */
  async #undoHalf(before: Snapshot): Promise<void> {
    const [outcome] = await Promise.allSettled([this.#under.ask(undoChange, { confirm: true })]);
    if (outcome?.status === 'rejected') assert.equal(outcome.reason.code, 'CHANGE_NOT_FOUND', String(outcome.reason));
    assert.deepEqual(this.#vault(), before, `half made, then ${JSON.stringify(outcome)}`);
  }

  /** Whether the error says that nothing has changed; it names the file and the cause. */
  #isIntact(error: unknown, fault: Fault): boolean {
    assert.ok(error instanceof VaultgraphError, String((error as Error).stack));
    assert.ok(error.code !== 'INTERNAL', `${error.stack} ${(error.cause as Error)?.stack ?? error.cause}`);
    assert.ok(declaredCodes(this.#faulted.tool).has(error.code), error.code);
    const details = error.details as { readonly path?: string; readonly original_intact?: boolean };
    assert.ok(JSON.stringify(details).includes(errnoOf(fault)), `the cause: ${error.code} ${JSON.stringify(details)}`);
    if (['FILE_WRITE_FAILED', 'FILE_UNREADABLE'].includes(error.code)) assert.ok(details.path, 'the file');
    return details.original_intact ?? true;
  }
}

const IS_COMPLETED = /\.(?:done|taken_back|partly_taken_back)$/;

const isOwn = (path: string, found: string): boolean =>
  path.endsWith('/')
    ? Object.keys(FILES).some((own) => own.startsWith(path))
    : found.slice(found.indexOf(' ') + 1) === FILES[path];

/** While a disk goes on failing, temporary files and folders cannot be removed: the next call does it. */
function visible(snapshot: Snapshot, { isOnce, kind }: Fault): Snapshot {
  const isLitter = (path: string): boolean => path.includes('.vaultgraph-') || path.endsWith('/');
  return isOnce && kind !== 'LATE' ? snapshot : new Map([...snapshot].filter(([path]) => !isLitter(path)));
}

const isSame = (one: Snapshot, other: Snapshot): boolean =>
  one.size === other.size && [...one].every(([path, found]) => other.get(path) === found);

/** A tool for several notes names those that it could not read. */
function withSkipped(after: Snapshot, before: Snapshot, { skipped: all = [] }: Answer): Snapshot {
  const skipped = all.filter(({ path }) => before.has(path));
  return new Map([...after, ...skipped.map(({ path }) => [path, before.get(path) ?? ''] as const)]);
}

const shown = (outcome: Outcome): string =>
  outcome.status === 'fulfilled' ? JSON.stringify(outcome.value) : `${outcome.reason.code} ${outcome.reason.message}`;

const work = async (under: ToolsUnderTest): Promise<void> => {
  for (const faulted of faultedTools().filter(({ title }) => isWanted(title)))
    await new CallWithFaults(under, faulted).run();
};
await withTools(FILES, work, { writes: true, fresh: true });
printReport();
