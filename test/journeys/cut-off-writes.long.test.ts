// Cuts off large changes at every point and compares what the answer says is written with what is.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { type GraphCore, openGraphCore } from '../../src/app/graph-core.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import { readConfig } from '../../src/config/config.ts';
import { providerCatalog } from '../../src/providers/catalog.ts';
import { placeFor } from '../lifecycle/sample-providers.ts';

const NOTES = 120;
const HOLDER = join(import.meta.dirname, '../providers/filesystem/writing/hold-lock-child.ts');

// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
type Answer = any;

interface Place {
  readonly core: GraphCore;
  /** The folder of changes of the state folder. */
  readonly log: string;
  call(tool: string, args: object, signal?: AbortSignal, limitMs?: number): Promise<Answer>;
  /** Every file of the vault that is not a temporary one, with its text. */
  texts(): ReadonlyMap<string, string>;
  hasTemporaryFiles(): boolean;
  /** Another process holds the lock of the vault. @returns lets it go */
  hold(): Promise<() => Promise<void>>;
}

async function place(context: TestContext): Promise<Place> {
  const { vault, home, write, sources } = placeFor(context);
  mkdirSync(join(vault, 'Log'));
  writeFileSync(join(vault, 'Hub.md'), '# Hub\n');
  for (let at = 0; at < NOTES; at += 1)
    writeFileSync(join(vault, `Log/Day ${at}.md`), `Seen from [[Hub]], day ${at}.\n`);
  const file = write(`vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const config = await readConfig(sources({ config: file, dataDir: join(home, 'data') }), providerCatalog);
  const core = await openGraphCore(config, () => undefined);
  const { id } = await core.indexer.start({ kind: 'catch_up' });
  await core.indexer.ended(id, NEVER);
  const files = (): string[] =>
    readdirSync(vault, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  const isTemporary = (path: string): boolean => path.includes('.vaultgraph-');
  return {
    core,
    log: join(config.stateFolder, 'change-log'),
    call: async (tool, args, signal = NEVER, limitMs = Number.POSITIVE_INFINITY) =>
      (await core.call(tool, args, { signal, limitMs, client: 'a test', session: 'a session' })).structured,
    texts: () =>
      new Map(
        files()
          .filter((path) => !isTemporary(path))
          .map((path) => [path, readFileSync(path, 'utf8')]),
      ),
    hasTemporaryFiles: () => files().some(isTemporary),
    hold: async () => {
      const outside = join(home, `held-${Math.random()}`);
      mkdirSync(outside);
      const child: ChildProcess = spawn(process.execPath, [HOLDER, vault, outside], { stdio: 'ignore' });
      while (!existsSync(join(outside, 'held'))) await pause(5);
      context.after(() => child.kill('SIGKILL'));
      return async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      };
    },
  };
}

/** Large changes of every kind. Some are only made by a plan. */
const CHANGES: readonly (readonly [name: string, tool: string, args: object, isPlanned?: true])[] = [
  ['a rename with many backlinks', 'move_note', { note: 'Hub', to: 'Centre', confirm: true }],
  ['a folder', 'move_note', { note: 'Log/', to: 'Diary', confirm: true }],
  [
    'properties of many notes',
    'set_properties',
    { filter: { folder: 'Log' }, set: [{ property: 'seen', value: true }], confirm: true },
  ],
  ['a text in many notes', 'replace_in_notes', { find: 'Seen', replace: 'Known', everywhere: true }, true],
  ['a note', 'create_note', { path: 'New', content: 'x' }],
  ['an undo', 'undo_change', { confirm: true }],
  ['several undos', 'undo_change', { session: true, confirm: true }],
];

const REASONS = {
  limit: undefined,
  cancel: 'the user pressed stop',
  shutdown: new VaultgraphError('SHUTTING_DOWN', {}),
};

/** Of several undos none. */
const CUT_OFF = ['DEADLINE_EXCEEDED', 'CANCELLED', 'SHUTTING_DOWN', 'BATCH_FAILED'];

test('a write that is cut off before it begins says that nothing is written, and undo agrees', async (context) => {
  const { core, call, texts, hold } = await place(context);
  try {
    for (const [name, tool, args, isPlanned] of CHANGES) {
      const isUndo = tool === 'undo_change';
      if (isUndo) assert.equal((await call('move_note', { note: 'Hub', to: 'Centre', confirm: true })).ok, true);
      const before = texts();
      for (const [how, reason] of Object.entries(REASONS)) {
        const planned = isPlanned ? await planOf(call, tool, args) : args;
        const release = await hold();
        const stop = new AbortController();
        const answer = call(tool, planned, stop.signal, reason === undefined ? 700 : undefined);
        if (reason !== undefined) setTimeout(() => stop.abort(reason), 500);
        const { error } = await answer;
        assert.ok(CUT_OFF.includes(error?.code), `${name} ${how}: ${JSON.stringify(error)}`);
        assert.doesNotMatch(error.message, /written/, `${name} ${how}`);
        await release();
        if (!isUndo) {
          const undone = await call('undo_change', { confirm: true });
          assert.equal(undone.error?.code, 'CHANGE_NOT_FOUND', `${name} ${how}`);
        }
        assert.deepEqual(texts(), before, `${name} ${how}`);
      }
      if (isUndo) assert.equal((await call(tool, args)).ok, true, name);
    }
  } finally {
    await core.close();
  }
});

async function planOf(call: Place['call'], tool: string, args: object): Promise<object> {
  const { data } = await call(tool, args);
  return { plan_id: data.plan_id };
}

const inLog = (log: string, stage: string): boolean =>
  existsSync(log) && readdirSync(log).some((name) => name.endsWith(`.${stage}`));

const POINTS: readonly (readonly [name: string, isReached: (place: Place) => boolean])[] = [
  ['once its log is written', ({ log }) => inLog(log, 'begun')],
  ['once it has written a temporary file', (under) => under.hasTemporaryFiles()],
  ['once it is committed', ({ log }) => inLog(log, 'committed')],
];

test('a write that is cut off in the middle says what becomes of it, and undo agrees', async (context) => {
  const under = await place(context);
  const { core, call, texts, log } = under;
  try {
    for (const [point, isReached] of POINTS)
      for (const [name, tool, args, isPlanned] of CHANGES.filter(([, each]) => each !== 'undo_change')) {
        const before = texts();
        const planned = isPlanned ? await planOf(call, tool, args) : args;
        const stop = new AbortController();
        let answer: Answer;
        const answered = call(tool, planned, stop.signal).then((given) => {
          answer = given;
        });
        while (answer === undefined && !isReached(under)) await setImmediate();
        const isCommitted = inLog(log, 'committed');
        stop.abort('the user pressed stop');
        await answered;
        const written = answer.ok ? 'all' : answer.error.details.committed;
        assert.ok(['none', 'partial', 'all'].includes(written), `${name} ${point}: ${JSON.stringify(answer)}`);
        if (isCommitted) assert.notEqual(written, 'none', `${name} ${point}`);
        const undone = await call('undo_change', { confirm: true });
        assert.equal(undone.error?.code, written === 'none' ? 'CHANGE_NOT_FOUND' : undefined, `${name} ${point}`);
        assert.deepEqual(texts(), before, `${name} ${point}`);
      }
  } finally {
    await core.close();
  }
});
