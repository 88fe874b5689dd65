// What vaultgraph writes besides notes, each with a failing disk in mind: tokens, settings of clients, models, an index set aside, recovery.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openLogFile } from '../../src/app/log-file.ts';
import { openMetricsFile } from '../../src/app/metrics-file.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import { errnoOf } from '../../src/base/errno.ts';
import { editSettings } from '../../src/cli/install/settings-file.ts';
import { addModel } from '../../src/cli/models/add-model.ts';
import { runModels } from '../../src/cli/models/models-command.ts';
import { installRuntime } from '../../src/cli/models/runtime.ts';
import { HttpTokens } from '../../src/config/http-tokens.ts';
import { setAsideDamaged } from '../../src/providers/filesystem/writing/inverse-change.ts';
import { setAside } from '../../src/providers/sqlite/database/index-file.ts';
import { prepareDatabase } from '../../src/providers/sqlite/database/migrate-database.ts';
import { SCHEMA_STEPS } from '../../src/providers/sqlite/database/schema.ts';
import { seal } from '../../src/providers/sqlite/database/seal.ts';
import { openUnwritableIndex } from '../../src/providers/sqlite/database/unwritable-index.ts';
import { openModelHub } from '../fakes/model-hub.ts';
import { smallModel, writeModel } from '../fakes/model2vec-folder.ts';
import { packageFolder } from '../fakes/onnx-folder.ts';
import { vaultFolderAt } from '../providers/filesystem/vault-folder.ts';
import { fill, KINDS } from '../providers/filesystem/writing/change-kinds.ts';
import { logFolderOf } from '../providers/filesystem/writing/open-writer.ts';
import { openWorkbench } from '../providers/filesystem/writing/workbench.ts';

export interface Work {
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
  /** Whether the answer says that it is a part of what was asked for. */
  readonly isPart?: (answer: unknown) => boolean;
  /** The texts of a change that is in doubt stay in the vault. */
  readonly leavesDoubt?: true;
  /** A call once more after it failed although it was done may be refused. */
  readonly isRefusedTwice?: true;
}

export const TEMPORARY = /\.tmp$|\.part$|\.int8$|\.staged\+|vaultgraph-chg/;

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

export const hub = await openModelHub();

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

/** An interrupted change whose record is damaged. */
function damagedChange(root: string): () => Promise<unknown> {
  interrupted(FOLDER, 'committed')(root);
  const log = logFolderOf(vaultFolderAt(root));
  const [file = ''] = globSync(join(log, 'chg_*'));
  const content = readFileSync(file);
  content.writeUInt8(content.readUInt8(content.length - 9) ^ 1, content.length - 9);
  writeFileSync(file, content);
  return async () => setAsideDamaged({ log });
}

const nameInLog = (path: string, text: string): string => (path.startsWith('vault/') ? text : '');

const STEPS = ['CREATE TABLE one (x)', 'CREATE TABLE two (x)'];

/** An index of an earlier version. */
async function olderIndex(root: string): Promise<() => Promise<unknown>> {
  const file = join(root, 'index.db');
  await prepareDatabase(Database, file, NEVER, STEPS.slice(0, 1));
  return () => prepareDatabase(Database, file, NEVER, STEPS);
}

/** The copy of the earlier version may stay. */
const besideIndex = (path: string): string | undefined => (/-wal$|-shm$|\.schema-1$/.test(path) ? undefined : '');

async function closedIndex(root: string): Promise<() => Promise<unknown>> {
  const file = join(root, 'index.db');
  await prepareDatabase(Database, file, NEVER, STEPS);
  return () => seal(file);
}

/** Without it the next server checks the rows. */
const withoutSeal = (path: string): string | undefined => (path.endsWith('.seal') ? undefined : '');

function metricsIn(root: string): () => Promise<unknown> {
  const file = {
    path: join(root, 'own/metrics.prom'),
    key: 'metrics.file',
    place: { file: 'config.yaml', line: 1, column: 1 },
  } as const;
  return async () =>
    (
      await openMetricsFile(
        file,
        () => 'vaultgraph_calls_total 1\n',
        () => undefined,
      )
    ).close();
}

/** Each line finds the file too large, so that each moves it. @returns the errno of each line that was not written */
function logIn(root: string): () => Promise<readonly string[]> {
  const file = {
    path: join(root, 'own/vaultgraph.log'),
    key: 'log.file',
    place: { file: 'config.yaml', line: 1, column: 1 },
  } as const;
  return async () => {
    const faults: string[] = [];
    const log = openLogFile(file, (errno) => faults.push(errno), 1);
    for (let line = 0; line < 3; line += 1) log.write('a line\n');
    const [closed] = await Promise.allSettled([Promise.resolve().then(log.close)]);
    return closed.status === 'rejected' ? [...faults, errnoOf(closed.reason)] : faults;
  };
}

/** The copy of an index in a folder that cannot be written: read, and removed. */
async function copiedIndex(root: string): Promise<() => Promise<unknown>> {
  const file = join(root, 'index.db');
  await prepareDatabase(Database, file, NEVER, SCHEMA_STEPS);
  return async () => (await openUnwritableIndex(Database, file, NEVER)).close();
}

export const outsideLog = (path: string, text: string): string | undefined =>
  path.startsWith('vault/') ? text : undefined;
const FOLDER = 'move a folder of five, rewrite two, and leave no empty folder';

export const WORKS: readonly Work[] = [
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
  {
    title: 'a damaged change is set aside',
    isDurable: true,
    prepare: damagedChange,
    shown: nameInLog,
    leavesDoubt: true,
    hasSteps: true,
  },
  { title: 'an index of an earlier version is migrated', prepare: olderIndex, shown: besideIndex },
  { title: 'an index is sealed', prepare: closedIndex, shown: withoutSeal },
  { title: 'metrics are written', prepare: metricsIn },
  { title: 'lines are logged', prepare: logIn, isPart: (faults) => (faults as readonly string[]).length > 0 },
  { title: 'an index is copied to be read', prepare: copiedIndex, shown: besideIndex },
  {
    title: 'the library of ONNX models is installed',
    isDurable: true,
    prepare: (root) => {
      mkdirSync(join(root, 'models'));
      return () => installRuntime(join(root, 'models'), packageFolder, NEVER);
    },
    shown: (_path, text) => String(text.length),
    hasSteps: true,
    part: 0.2,
  },
  { title: 'a change that was begun is discarded', prepare: interrupted(FOLDER, 'prepared'), shown: outsideLog },
  { title: 'a change that was committed is finished', prepare: interrupted(FOLDER, 'committed'), shown: outsideLog },
  { title: 'a change that was half applied is finished', prepare: interrupted(FOLDER, 'applied'), shown: outsideLog },
];
