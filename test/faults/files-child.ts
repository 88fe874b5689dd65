// Started by a test: what vaultgraph writes besides notes, with faults of its file operations.
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { Done } from './fault-cells.ts';
import { COMMANDS } from './faulted-commands.ts';
import { hub, outsideLog, TEMPORARY, WORKS, type Work } from './faulted-files.ts';
import { beginRun, errnoOf, type Fault, isWanted, printReport, tryFaults, withFault } from './faults.ts';
import { unflushed } from './unflushed.ts';

type Files = Readonly<Record<string, string>>;

function filesIn(root: string, shown: Work['shown'] = (_path, text) => text): Files {
  const paths = globSync('**', { cwd: root, exclude: () => false }).concat(globSync('**/.*/**', { cwd: root }));
  const files = [...new Set([...paths, ...globSync('**/.*', { cwd: root })])].filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  return Object.fromEntries(
    files.sort().flatMap((path) => {
      const text = shown(path, readFileSync(join(root, path), 'latin1').replaceAll(root, ''));
      return text === undefined ? [] : [[path, text]];
    }),
  );
}

const contents = (files: Files): string =>
  JSON.stringify(Object.values(files).sort().concat(Object.keys(files).map(withoutTime).sort()));
const withoutTime = (path: string): string =>
  path.replace(/\.\d{4}-.*\.aside/, '.aside').replace(/chg_[0-9a-z]+_[0-9a-f]+/, 'chg');

class WorkWithFaults {
  readonly #work: Work;
  constructor(work: Work) {
    this.#work = work;
  }

  async run(): Promise<void> {
    let operations: readonly string[] = [];
    let after: Files = {};
    await this.#inFolder(async (root, work) => {
      const before = this.#files(root);
      const counted = await withFault(undefined, work);
      if (counted.outcome.status === 'rejected') throw counted.outcome.reason;
      operations = counted.operations;
      after = filesIn(root, this.#work.shown);
      if (this.#work.isDurable) assertDurable(root, counted.done, { before, after });
    });
    const check = async (fault: Fault): Promise<boolean> => {
      let hasFired = false;
      await this.#inFolder(async (root, work) => {
        hasFired = await this.#check(root, work, fault, after);
      });
      return hasFired;
    };
    await tryFaults(this.#work.title, operations, check, this.#work.part);
  }

  async #inFolder(use: (root: string, work: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const root = mkdtempSync(join(tmpdir(), 'work-'));
    try {
      const work = await this.#work.prepare(root);
      beginRun();
      await use(root, work);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  async #check(root: string, work: () => Promise<unknown>, fault: Fault, after: Files): Promise<boolean> {
    const before = this.#files(root);
    const { outcome, hasFired } = await withFault(fault, work);
    if (!hasFired) return false;
    if (outcome.status === 'fulfilled' && this.#work.isPart?.(outcome.value)) return true;
    const now = this.#settled(root);
    const isAfter = contents(now) === contents(withoutTemporary(after));
    const isBefore = contents(now) === contents(withoutTemporary(before));
    if (outcome.status === 'rejected') checkError(outcome.reason, fault);
    const shown = `${outcome.status === 'rejected' ? outcome.reason.message : 'done'}: ${Object.keys(now).join()}`;
    const isStep = this.#work.hasSteps === true || this.#work.shown === outsideLog;
    if (outcome.status === 'fulfilled') assert.ok(isAfter, `done, and not as after: ${shown}`);
    else if (fault.isOnce && fault.kind !== 'LATE' && !isStep)
      assert.ok(isBefore, `failed, and not as before: ${shown}`);
    await this.#again(root, work, after, isAfter);
    return true;
  }

  /** The next call works, and removes what the failing disk kept. */
  async #again(root: string, work: () => Promise<unknown>, after: Files, isDone: boolean): Promise<void> {
    for (const path of globSync('**/*.tmp', { cwd: root })) utimesSync(join(root, path), 0, 0);
    const [again] = await Promise.allSettled([work()]);
    if (again.status === 'rejected' && !(isDone && this.#work.isRefusedTwice)) throw again.reason;
    const now = this.#files(root);
    assert.deepEqual(contents(now), contents(after), 'after the next call');
    if (again.status === 'fulfilled' && !this.#work.leavesDoubt)
      assert.deepEqual(
        Object.keys(filesIn(root)).filter((path) => TEMPORARY.test(path)),
        [],
      );
  }

  #files(root: string): Files {
    return filesIn(root, this.#work.shown);
  }

  #settled(root: string): Files {
    return withoutTemporary(this.#files(root));
  }
}

const withoutTemporary = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).filter(([path]) => !TEMPORARY.test(path) && !path.endsWith('.vaultgraph-folder')),
  );

/** What was answered of it survives a loss of power: the files before and after the work differ only by what is flushed. */
function assertDurable(
  root: string,
  calls: readonly Done[],
  { before, after }: Record<'before' | 'after', Files>,
): void {
  const { contents, names } = unflushed(calls);
  const isKept = (path: string): boolean => path in before || path in after;
  const isFolder = (path: string): boolean =>
    !(path in before) && Object.keys(after).some((file) => file.startsWith(`${path}/`));
  const lost = [...contents, ...names].map((path) => relative(root, path));
  assert.deepEqual(
    lost.filter((path) => !TEMPORARY.test(path) && (isKept(path) || isFolder(path))),
    [],
    'not flushed',
  );
}

function checkError(error: unknown, fault: Fault): void {
  assert.ok(error instanceof VaultgraphError, `not ours: ${(error as Error)?.stack}`);
  assert.ok(error.code !== 'INTERNAL', `${error.stack} ${(error.cause as Error)?.stack ?? error.cause}`);
  assert.ok(
    JSON.stringify(error.details).includes(errnoOf(fault)),
    `the cause: ${error.code} ${JSON.stringify(error.details)}`,
  );
}

for (const work of [...WORKS, ...COMMANDS].filter(({ title }) => isWanted(title))) await new WorkWithFaults(work).run();
await hub.close();
printReport();
