// Registers the contract tests of vaults; the test of a provider runs them against its own files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contentHash } from '../../src/base/content-hash.ts';
import type { VaultgraphError } from '../../src/base/errors.ts';
import { fileKindOf, type NotePath } from '../../src/base/note.ts';
import { comparePaths } from '../../src/base/path-order.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import { firstLines, hashText } from '../../src/markdown/excerpt/text-signature.ts';
import { assertEach } from '../assert-each.ts';

export interface VaultUnderTest {
  readonly vault: Vault;
  put(path: string, content: string | Uint8Array): void;
  remove(path: string): void;
  /** Makes the whole vault go away, as a drive that is unplugged. */
  vanish(): void;
  close(): Promise<void>;
}

const NOTES: Readonly<Record<string, string>> = {
  'Harbour.md': '# Harbour\n\nSee [[Lighthouse]].\n',
  'Places/Lighthouse.md': 'The lamp turns.\r\nTwice.',
  'Places/灯塔.md': '灯光。\n',
  'Places/Sjö 🌊.md': 'Djupt.\n',
  'Board.canvas': '{}',
  'Shelf.base': 'views: []\n',
  'img/lamp.svg': '<svg/>',
  'Empty.md': '',
};

const FORBIDDEN = [
  '',
  '..',
  '../outside.md',
  'Places/../../outside.md',
  'Places/../Harbour.md',
  './Harbour.md',
  '/etc/hostname',
  'C:/Windows/win.ini',
  'C:\\Windows\\win.ini',
  'Places\\..\\..\\outside.md',
  'Places\\Lighthouse.md',
  'Places//Lighthouse.md',
  'Places/',
  'Harbour.md\0.png',
  '.obsidian/app.json',
  '.trash/Gone.md',
  'Places/.hidden.md',
  'node_modules/read me.md',
  'Places/half written.md.tmp',
];

const signal = new AbortController().signal;
const paths = (...given: string[]): readonly NotePath[] => given as NotePath[];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

interface Heard {
  readonly paths: Set<string>;
  readonly folders: Set<string>;
  readonly lost: string[];
  readonly ended: string[];
}

/** A watch and all it reported so far. */
export async function listenTo(vault: Vault) {
  const heard: Heard = { paths: new Set(), folders: new Set(), lost: [], ended: [] };
  const watch = await vault.watch((sign) => {
    if (sign.kind === 'hints') {
      for (const path of sign.paths) heard.paths.add(path);
      for (const path of sign.folders) heard.folders.add(path);
    } else if (sign.kind !== 'stalled') heard[sign.kind].push(sign.reason);
  }, signal);
  return {
    heard,
    close: watch.close,
    until: (isSo: () => boolean) => eventually(isSo, () => JSON.stringify(shown(heard))),
  };
}

const shown = ({ paths, folders, ...rest }: Heard) => ({ paths: [...paths], folders: [...folders], ...rest });

/** Waits far longer than any watcher should take to report. */
export async function eventually(isSo: () => boolean, what: () => string, limitMs = 60_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!isSo()) {
    if (performance.now() > deadline) assert.fail(`it never came: ${what()}`);
    await sleep(10);
  }
}

/** @param open a fresh, empty vault per law */
export function vaultLaws(name: string, open: () => Promise<VaultUnderTest>): void {
  const law = (title: string, check: (under: VaultUnderTest) => Promise<void>): void => {
    it(title, async () => {
      const under = await open();
      try {
        for (const [path, content] of Object.entries(NOTES)) under.put(path, content);
        await check(under);
      } finally {
        await under.close();
      }
    });
  };

  describe(`${name} meets the contract of a vault`, () => {
    law('lists every file once, with its kind, size and time, in the order of code points', async ({ vault }) => {
      const { files, skipped, unreadableFolders } = await vault.list(signal);
      assert.deepEqual(
        files.map(({ path, kind, sizeBytes }) => [path, kind, sizeBytes]),
        Object.entries(NOTES)
          .sort(([left], [right]) => comparePaths(left, right))
          .map(([path, content]) => [path, fileKindOf(path), Buffer.byteLength(content)]),
      );
      assert.ok(files.every(({ modifiedMs }) => modifiedMs > Date.parse('2000-01-01')));
      assert.ok(files.every(({ evicted, conflictCopy }) => !evicted && !conflictCopy));
      assert.deepEqual([skipped, unreadableFolders], [[], []]);
    });

    law('returns equal listings of an unchanged vault', async ({ vault }) => {
      assert.deepEqual(await vault.list(signal), await vault.list(signal));
    });

    law('finds some notes without listing the rest, or all of them', async ({ vault, put }) => {
      put('Far.md.icloud', '');
      const { files } = await vault.list(signal);
      const notes = files.filter(({ kind, evicted }) => kind !== 'attachment' && !evicted).map(({ path }) => path);
      const some = await vault.listSome(3, new Set(), signal);
      assert.equal(some.length, 3);
      assert.ok(some.every((path) => notes.includes(path)));
      assert.deepEqual(await vault.listSome(100, new Set(), signal), notes);
      const others = notes.filter((path) => !some.includes(path));
      assert.deepEqual(await vault.listSome(100, new Set(some), signal), others);
    });

    law('lists given paths like the whole listing, and nothing else', async ({ vault }) => {
      const { files } = await vault.list(signal);
      for (const file of files) {
        const part = await vault.listAt([file.path], signal);
        assert.deepEqual(part, { files: [file], skipped: [], unreadableFolders: [] });
      }
      const requested = paths(
        'img/lamp.svg',
        'Nowhere.md',
        'No folder/Nowhere.md',
        'Places',
        ...FORBIDDEN,
        'Harbour.md',
      );
      const part = await vault.listAt(requested, signal);
      assert.deepEqual(
        part.files,
        files.filter(({ path }) => ['img/lamp.svg', 'Harbour.md'].includes(path)),
      );
      assert.deepEqual([part.skipped, part.unreadableFolders], [[], []]);
    });

    law('lists and reads given paths in one step like in two, unless they are too large', async ({ vault }) => {
      const named = paths('img/lamp.svg', 'Nowhere.md', ...FORBIDDEN, 'Harbour.md');
      const listing = await vault.listAt(named, signal);
      const notes = listing.files.filter(({ kind }) => kind !== 'attachment');
      const bytes = notes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const contents = await vault.read(
        notes.map(({ path }) => path),
        signal,
      );
      assert.equal(contents.succeeded.length, 1);
      assert.deepEqual(await vault.listAndRead(named, bytes, signal), { listing, contents });
      assert.deepEqual(await vault.listAndRead(named, bytes - 1, signal), { listing });
    });

    law('reads every listed file, byte for byte, with the size and time of the listing', async ({ vault }) => {
      const { files } = await vault.list(signal);
      const { succeeded, failed } = await vault.read(
        files.map(({ path }) => path),
        signal,
      );
      assert.deepEqual(failed, []);
      assert.deepEqual(
        succeeded.map(({ id, result }) => [id, text(result.bytes), result.sizeBytes, result.modifiedMs]),
        files.map(({ path, sizeBytes, modifiedMs }) => [path, NOTES[path], sizeBytes, modifiedMs]),
      );
    });

    law('hashes the texts of the files that it can read', async ({ vault }) => {
      const requested = paths('Harbour.md', 'Nowhere.md', 'Empty.md', '../x.md', 'Places/Lighthouse.md');
      const { succeeded, failed } = await vault.read(requested, signal);
      const hashed = await vault.readHashes(requested, signal);
      assert.deepEqual(
        hashed.succeeded,
        succeeded.map(({ id, result }) => ({ id, result: { hash: contentHash(result.bytes) } })),
      );
      assert.deepEqual(
        hashed.failed.map(({ id, error }) => [id, error.code]),
        failed.map(({ id, error }) => [id, error.code]),
      );
      const all = succeeded.map(({ result }) => hashText(text(result.bytes)));
      const { words, lines, first } = hashed.texts;
      assert.deepEqual(
        [...words],
        all.flatMap((one) => [...one.words]),
      );
      assert.deepEqual(
        [...lines],
        all.flatMap((one) => [...one.lines]),
      );
      assert.deepEqual(
        [...first],
        all.flatMap((one) => [...firstLines(one)]),
      );
      assert.equal(hashed.texts.ends.length, 4 * succeeded.length);
      assert.deepEqual((await vault.readHashes([], signal)).succeeded, []);
    });

    law('reads a file before the first listing', async ({ vault }) => {
      const { succeeded } = await vault.read(paths('Places/Lighthouse.md'), signal);
      assertEach(succeeded, ({ result }) => text(result.bytes), [NOTES['Places/Lighthouse.md']]);
    });

    law('V9 refuses every path outside the vault', async ({ vault }) => {
      const { succeeded, failed } = await vault.read(paths(...FORBIDDEN), signal);
      assert.deepEqual(succeeded, []);
      assert.deepEqual(
        failed.map(({ id, error }) => [id, error.code]),
        FORBIDDEN.map((path) => [path, 'PATH_NOT_ALLOWED']),
      );
      for (const { id, error } of failed) {
        const { path, rule } = (error as VaultgraphError<'PATH_NOT_ALLOWED'>).details;
        assert.equal(path, id);
        assert.notEqual(rule, '');
      }
    });

    law('returns one row per input in order, also for failures and duplicates', async (under) => {
      const requested = paths('Harbour.md', 'Nowhere.md', 'Empty.md', '../x.md', 'Harbour.md', 'Nowhere.md');
      const { succeeded, failed } = await under.vault.read(requested, signal);
      assertEach(succeeded, ({ id }) => id, ['Harbour.md', 'Empty.md', 'Harbour.md']);
      assert.deepEqual(
        failed.map(({ id, error }) => [id, error.code]),
        [
          ['Nowhere.md', 'FILE_UNREADABLE'],
          ['../x.md', 'PATH_NOT_ALLOWED'],
          ['Nowhere.md', 'FILE_UNREADABLE'],
        ],
      );
    });

    law('returns an empty batch for an empty input', async ({ vault }) => {
      assert.deepEqual(await vault.read([], signal), { succeeded: [], failed: [] });
    });

    law('sees files that were added, changed and removed', async ({ vault, put, remove }) => {
      await vault.list(signal);
      put('Places/New.md', 'new');
      put('Harbour.md', 'changed');
      remove('Empty.md');
      const { files } = await vault.list(signal);
      const sizes = new Map<string, number>(files.map(({ path, sizeBytes }) => [path, sizeBytes]));
      assert.deepEqual([sizes.get('Places/New.md'), sizes.get('Harbour.md'), sizes.has('Empty.md')], [3, 7, false]);
      const { succeeded } = await vault.read(paths('Harbour.md'), signal);
      assertEach(succeeded, ({ result }) => text(result.bytes), ['changed']);
    });

    law('refuses a file over 32 MiB with its size, and reads one of exactly 32 MiB', async ({ vault, put }) => {
      const limit = 32 * 1024 * 1024;
      put('Huge.md', new Uint8Array(limit + 1));
      put('Large.md', new Uint8Array(limit).fill(97));
      const { succeeded, failed } = await vault.read(paths('Huge.md', 'Large.md'), signal);
      assertEach(succeeded, ({ id, result }) => [id, result.bytes.length], [['Large.md', limit]]);
      const [row] = failed;
      assert.equal(row?.error.code, 'LIMIT_EXCEEDED');
      const { actual, limit: held } = (row?.error as VaultgraphError<'LIMIT_EXCEEDED'>).details;
      assert.deepEqual([actual, held], [limit + 1, limit]);
    });

    law('an abort ends a call with its reason, and the next call works', async ({ vault }) => {
      const reason = new Error('enough');
      await assert.rejects(vault.list(AbortSignal.abort(reason)), reason);
      await assert.rejects(vault.read(paths('Harbour.md'), AbortSignal.abort(reason)), reason);
      const late = new AbortController();
      const listing = vault.list(late.signal);
      late.abort(reason);
      await assert.rejects(listing, reason);
      assert.equal((await vault.list(signal)).files.length, Object.keys(NOTES).length);
    });

    law(
      'the watch reports created, changed and removed files by their listing paths',
      async ({ vault, put, remove }) => {
        const { heard, until, close } = await listenTo(vault);
        // One by one: of several at once a watcher may lose one, which is for scans to find.
        put('Places/New.md', 'new');
        await until(() => heard.paths.has('Places/New.md'));
        put('Harbour.md', 'changed');
        await until(() => heard.paths.has('Harbour.md'));
        remove('Empty.md');
        await until(() => heard.paths.has('Empty.md'));
        await close();
        assert.deepEqual(heard.ended, []);
      },
    );

    law('the watch does not report excluded files, or files that were only listed or read', async ({ vault, put }) => {
      const { heard, until, close } = await listenTo(vault);
      await vault.list(signal);
      await vault.read(paths('Harbour.md', 'Places/Lighthouse.md'), signal);
      for (const path of ['.obsidian/app.json', '.trash/Gone.md', 'node_modules/read me.md', 'Places/half.md.tmp'])
        put(path, 'x');
      put('Last.md', 'last');
      await until(() => heard.paths.has('Last.md'));
      await close();
      assert.deepEqual([...heard.paths], ['Last.md']);
    });

    law('a closed watch reports nothing, and the vault can be watched again', async ({ vault, put }) => {
      const first = await listenTo(vault);
      await first.close();
      const second = await listenTo(vault);
      put('Late.md', 'late');
      await second.until(() => second.heard.paths.has('Late.md'));
      await second.close();
      assert.deepEqual([first.heard.paths.size, first.heard.folders.size, first.heard.ended], [0, 0, []]);
    });

    law(
      'V1 a watch ends with a reason when the vault disappears, and a new one is refused',
      async ({ vault, vanish }) => {
        const { heard, until, close } = await listenTo(vault);
        vanish();
        await until(() => heard.ended.length > 0);
        assert.match(heard.ended.join(), /^E[A-Z]+$/);
        await close();
        await assert.rejects(
          vault.watch(() => undefined, signal),
          (thrown) => (thrown as VaultgraphError).code === 'VAULT_UNAVAILABLE',
        );
      },
    );

    law('reads a settings file by its name, and does not list it as a note', async ({ vault, put, remove }) => {
      const path = '.obsidian/daily-notes.json';
      assert.deepEqual(await vault.settings('daily-notes', signal), { path, result: 'nothing' });
      put(path, '{"folder": "Log"}');
      assert.deepEqual(await vault.settings('daily-notes', signal), {
        path,
        result: 'text',
        text: '{"folder": "Log"}',
      });
      const templates = { path: '.obsidian/templates.json', result: 'nothing' };
      assert.deepEqual(await vault.settings('templates', signal), templates);
      assert.ok(!(await vault.list(signal)).files.some((file) => file.path === path));
      const { failed } = await vault.read(paths(path), signal);
      assertEach(failed, ({ error }) => error.code, ['PATH_NOT_ALLOWED']);
      put(path, 'x'.repeat(64 * 1024));
      assert.equal((await vault.settings('daily-notes', signal)).result, 'text');
      put(path, 'x'.repeat(64 * 1024 + 1));
      const large = await vault.settings('daily-notes', signal);
      assert.ok(large.result === 'fault' && /65536/.test(large.reason), JSON.stringify(large));
      remove(path);
      assert.equal((await vault.settings('daily-notes', signal, 60_000)).result, 'fault', 'read a moment ago');
      assert.deepEqual(await vault.settings('daily-notes', signal), { path, result: 'nothing' });
      assert.deepEqual(await vault.settings('daily-notes', signal, 60_000), { path, result: 'nothing' });
    });

    law('V1 fails to read the settings of an unavailable vault', async ({ vault, vanish }) => {
      vanish();
      await assert.rejects(
        vault.settings('daily-notes', signal),
        (thrown) => (thrown as VaultgraphError).code === 'VAULT_UNAVAILABLE',
      );
    });

    law('V1 reports an unavailable vault, never an empty one', async ({ vault, vanish }) => {
      await vault.list(signal);
      vanish();
      const unavailable = (thrown: unknown): boolean => (thrown as VaultgraphError).code === 'VAULT_UNAVAILABLE';
      await assert.rejects(vault.list(signal), unavailable);
      await assert.rejects(vault.read(paths('Harbour.md'), signal), unavailable);
    });
  });
}
