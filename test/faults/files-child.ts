// Started by a test: what else vaultgraph writes, with faults of its file operations: tokens, settings of clients, models, the index, recovery.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VaultgraphError } from '../../src/base/errors.ts';
import { editSettings } from '../../src/cli/install/settings-file.ts';
import { addModel } from '../../src/cli/models/add-model.ts';
import { runModels } from '../../src/cli/models/models-command.ts';
import { HttpTokens } from '../../src/config/http-tokens.ts';
import { setAside } from '../../src/providers/sqlite/database/index-file.ts';
import { openModelHub } from '../fakes/model-hub.ts';
import { smallModel, writeModel } from '../fakes/model2vec-folder.ts';
import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import { fill, KINDS } from '../providers/filesystem/writing/change-kinds.ts';
import { logFolderOf } from '../providers/filesystem/writing/open-writer.ts';
import { openWorkbench } from '../providers/filesystem/writing/workbench.ts';
import { beginRun, errnoOf, type Fault, printReport, tryFaults, withFault } from './faults.ts';

interface Work {
  readonly title: string;
  /** Fills an empty folder. @returns the work */
  readonly prepare: (root: string) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);
  /** What counts of a file: its bytes unless something in them is random. */
  readonly shown?: (path: string, text: string) => string | undefined;
  /** Which part of the chosen faults is tried, if a run takes long; by default all. */
  readonly part?: number;
  /** Of several steps, each of which is whole: after a failure those before it are done. */
  readonly hasSteps?: true;
  /** Whether what was answered survives a loss of power. */
  readonly isDurable?: true;
  /** A call once more after it failed although it was done may be refused. */
  readonly isRefusedTwice?: true;
}

type Files = Readonly<Record<string, string>>;

const TEMPORARY = /\.tmp$|\.part$|\.int8$|\.staged\+|vaultgraph-chg/;

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

const tokens = (root: string): HttpTokens => new HttpTokens(join(root, 'tokens'));
const withoutSecret = (path: string, text: string): string =>
  /token-.*json$/.test(path) ? String(JSON.parse(text).name) : text;

const settings = '{"mcpServers":{"other":{"command":"x"}}}';
/** Without backups, and the mark of a folder that `install` made: without it the folder only stays longer. */
const withoutBackups = (path: string, text: string): string | undefined =>
  /\.bak$|\.vaultgraph-folder$/.test(path) ? undefined : text;

/** Of a model the record and the config: when it was installed differs. */
const installed = (path: string, text: string): string | undefined => {
  // What is being collected may be half written.
  if (path.endsWith('vaultgraph-model.json') && !TEMPORARY.test(path))
    return JSON.stringify({ ...JSON.parse(text), installed_at: '' });
  return withoutBackups(path, text);
};

function modelIn(root: string, dims: number): string {
  const source = join(root, `source-${dims}`);
  writeModel(source, smallModel(dims));
  return source;
}

const addFrom = (root: string, from: string) => async (): Promise<unknown> => {
  const [vault, dataDir, config] = [join(root, 'notes'), join(root, 'data'), join(root, 'config.yaml')];
  return addModel('potion-base-8M', { vault, dataDir, config, from, quiet: true, replace: true }, undefined);
};

const hub = await openModelHub();

function preparedDownload(root: string): () => Promise<unknown> {
  const [vault, dataDir, config] = [join(root, 'notes'), join(root, 'data'), join(root, 'config.yaml')];
  mkdirSync(vault);
  writeFileSync(config, `vault:\n  path: ${vault}\n`);
  const options = { vault, dataDir, config, hub: hub.origin, yes: true, quiet: true, replace: true };
  return () => addModel('potion-base-8M', options, undefined);
}

async function preparedModels(root: string): Promise<() => Promise<unknown>> {
  mkdirSync(join(root, 'notes'));
  writeFileSync(join(root, 'config.yaml'), `vault:\n  path: ${join(root, 'notes')}\n`);
  const next = modelIn(root, 8);
  await addFrom(root, modelIn(root, 4))();
  return addFrom(root, next);
}

/** A change that was interrupted at a point, and a new process that finds it. */
const interrupted =
  (kind: string, point: string) =>
  (root: string): (() => Promise<unknown>) => {
    const folder = vaultFolderAt(root);
    mkdirSync(folder.root);
    fill(folder);
    const bench = openWorkbench(folder, [], logFolderOf(folder));
    const request = KINDS.find(({ title }) => title === kind)?.request(bench);
    assert.ok(request);
    const at = (reached: string): void => {
      if (reached === point) throw new TypeError('killed');
    };
    assert.throws(() => bench.apply(request, { at }), TypeError);
    const next = openWorkbench(folder, [], logFolderOf(folder));
    return async () => next.recover();
  };

const outsideLog = (path: string, text: string): string | undefined => (path.startsWith('vault/') ? text : undefined);
const FOLDER = 'move a folder of five, rewrite two, and leave no empty folder';

const WORKS: readonly Work[] = [
  {
    title: 'a token is added',
    isDurable: true,
    prepare: (root) => () => tokens(root).add('phone', undefined),
    shown: withoutSecret,
    isRefusedTwice: true,
  },
  {
    title: 'a token is revoked',
    isDurable: true,
    prepare: async (root) => {
      await tokens(root).add('phone', undefined);
      return () => tokens(root).revoke('phone');
    },
    shown: withoutSecret,
  },
  {
    title: 'settings of a client are edited',
    isDurable: true,
    prepare: (root) => {
      writeFileSync(join(root, 'settings.json'), settings);
      return () => editSettings(join(root, 'settings.json'), () => ({ text: '{"mcpServers":{}}' }));
    },
    shown: withoutBackups,
  },
  {
    title: 'settings of a client are made',
    isDurable: true,
    prepare: (root) => () => editSettings(join(root, 'a/b/settings.json'), () => ({ text: '{}' })),
    shown: withoutBackups,
  },
  {
    title: 'a model is replaced',
    isDurable: true,
    prepare: preparedModels,
    shown: installed,
    part: 0.1,
    hasSteps: true,
  },
  {
    title: 'a model is removed',
    prepare: async (root) => {
      await (await preparedModels(root))();
      const [vault, dataDir, config] = [join(root, 'notes'), join(root, 'data'), join(root, 'config.yaml')];
      return () => runModels('remove', 'potion-base-8M', { vault, dataDir, config, json: true });
    },
    shown: installed,
    part: 0.2,
    hasSteps: true,
    isRefusedTwice: true,
  },
  { title: 'a model is downloaded', prepare: preparedDownload, shown: installed, part: 0.1, hasSteps: true },
  {
    title: 'an index is set aside',
    prepare: (root) => {
      for (const suffix of ['', '-wal', '-shm', '.seal'])
        writeFileSync(join(root, `index.db${suffix}`), `of ${suffix}`);
      return async () => setAside(join(root, 'index.db'));
    },
    shown: (path, text) => `${path.replace(/\.\d{4}-.*\.aside/, '.aside')} ${text}`,
  },
  { title: 'a change that was begun is discarded', prepare: interrupted(FOLDER, 'prepared'), shown: outsideLog },
  { title: 'a change that was committed is finished', prepare: interrupted(FOLDER, 'committed'), shown: outsideLog },
  { title: 'a change that was half applied is finished', prepare: interrupted(FOLDER, 'applied'), shown: outsideLog },
];

const contents = (files: Files): string =>
  JSON.stringify(Object.values(files).sort().concat(Object.keys(files).map(withoutTime).sort()));
const withoutTime = (path: string): string => path.replace(/\.\d{4}-.*\.aside/, '.aside');

class WorkWithFaults {
  readonly #work: Work;
  constructor(work: Work) {
    this.#work = work;
  }

  async run(): Promise<void> {
    let operations: readonly string[] = [];
    let after: Files = {};
    await this.#inFolder(async (root, work) => {
      const counted = await withFault(undefined, work);
      if (counted.outcome.status === 'rejected') throw counted.outcome.reason;
      operations = counted.operations;
      if (this.#work.isDurable) assertDurable(operations);
      after = filesIn(root, this.#work.shown);
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
    if (again.status === 'fulfilled')
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

const NAMES: ReadonlySet<string> = new Set(['rename', 'link']);

/** The last new name is flushed, and so is the removal of the only one. */
function assertDurable(operations: readonly string[]): void {
  const named = operations.findLastIndex((name) => NAMES.has(name));
  const changed = named === -1 ? operations.lastIndexOf('unlink') : named;
  assert.ok(operations.slice(changed).includes('fsync'), `not flushed: ${operations.join(' ')}`);
  const isWritten = operations.slice(0, changed).some((name) => name === 'create' || name === 'writeFile');
  assert.ok(
    !isWritten || operations.slice(0, changed).includes('fsync'),
    `content not flushed: ${operations.join(' ')}`,
  );
}

function checkError(error: unknown, fault: Fault): void {
  assert.ok(error instanceof VaultgraphError, `not ours: ${(error as Error)?.stack}`);
  assert.ok(error.code !== 'INTERNAL', `${error.stack}`);
  assert.ok(
    JSON.stringify(error.details).includes(errnoOf(fault)),
    `the cause: ${error.code} ${JSON.stringify(error.details)}`,
  );
}

for (const work of WORKS) await new WorkWithFaults(work).run();
await hub.close();
printReport();
