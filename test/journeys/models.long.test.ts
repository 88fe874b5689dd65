// `vaultgraph models` as a new user runs it: from a fresh home to a search by meaning, and what it says when it cannot continue.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import { skip } from '../cli/terminal-under-test.ts';
import { openModelHub } from '../fakes/model-hub.ts';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');
const NAME = 'potion-base-8M';

async function freshHome(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-home-'));
  const hub = await openModelHub();
  context.after(async () => {
    await hub.close();
    rmSync(home, { recursive: true, force: true });
  });
  const notes = join(home, 'notes');
  mkdirSync(notes);
  writeFileSync(join(notes, 'Harbour.md'), 'The harbour lies quiet before morning tide.\n');
  writeFileSync(join(notes, 'Garden.md'), 'She planted beans along the southern wall.\n');
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmpdir() };
  /** @param limit size of the largest file in kB */
  const run = async (args: readonly string[], limit?: number) => {
    const command = limit === undefined ? [] : ['bash', '-c', `ulimit -f ${limit}; exec "$@"`, 'limited'];
    const [file = '', ...rest] = [...command, process.execPath, PROGRAM, ...args];
    const child = spawn(file, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { stdout, stderr, code };
  };
  /** Answers each question that ends with `[y/N]:` in a terminal. @returns what was on the screen */
  const converse = async (args: readonly string[], answers: readonly string[]): Promise<string> => {
    const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...env, TERM: 'xterm', HF_ENDPOINT: hub.origin },
    });
    let screen = '';
    let answered = 0;
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      screen += piece;
      while (answered < screen.split('[y/N]: ').length - 1) child.stdin.write(`${answers[answered++] ?? 'n'}\n`);
    });
    await new Promise((resolve) => child.once('close', resolve));
    return screen;
  };
  const models = join(home, '.local/share/vaultgraph/models');
  const config = join(home, '.config/vaultgraph/config.yaml');
  return { hub, notes, run, converse, models, config };
}

suite('vaultgraph models', () => {
  test('takes a new user from the list to a search by meaning, and back', async (context) => {
    const { hub, notes, run, models, config } = await freshHome(context);
    const listed = await run(['models']);
    assert.match(
      listed.stdout,
      /potion-base-8M\n {2}minishlab\/potion-base-8M · English · licence MIT · our score: not measured\n(?: {2}.+\n){2} {2}not installed/,
    );
    const added = await run(['models', 'add', NAME, '--vault', notes, '--hub', hub.origin, '--yes']);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /Next: .*index/);
    assert.match(added.stderr, /model\.safetensors {3}38,140 bytes, SHA-256 [\da-f]{64}/);
    const indexed = await run(['index', '--json', '--quiet']);
    assert.equal(JSON.parse(indexed.stdout).embedding.chunks.embedded, 2);
    const found = await run(['call', 'search', '{"query":"quiet harbour morning"}']);
    assert.equal(JSON.parse(found.stdout).data.hits[0].path, 'Harbour.md');
    const json = JSON.parse((await run(['models', '--json'])).stdout);
    assert.deepEqual([json.installed[0].name, json.folder], [NAME, models]);
    const mine = join(dirname(notes), 'mine');
    cpSync(join(models, NAME), mine, { recursive: true });
    const copied = await run(['models', 'add', '--from', mine, '--replace', '--json']);
    assert.equal(JSON.parse(copied.stdout).folder, join(models, 'mine'), copied.stderr);
    assert.equal((await run(['models', 'remove', 'mine'])).code, 0);
    assert.equal((await run(['models', 'add', NAME])).code, 0);
    const removed = JSON.parse((await run(['models', 'remove', NAME, '--json'])).stdout);
    assert.equal(removed.config, config);
    assert.deepEqual(readdirSync(models), []);
    assert.doesNotMatch(readFileSync(config, 'utf8'), /embedding/);
  });

  test('leaves nothing behind on a full disk', {
    skip: process.platform === 'win32' && 'no ulimit',
  }, async (context) => {
    const { hub, notes, run, models, config } = await freshHome(context);
    const full = await run(['models', 'add', NAME, '--vault', notes, '--hub', hub.origin, '--yes', '--json'], 16);
    const { error } = JSON.parse(full.stdout);
    assert.deepEqual([error.code, error.details.errno, full.code], ['FILE_WRITE_FAILED', 'EFBIG', 78]);
    assert.deepEqual([existsSync(join(models, NAME)), existsSync(config)], [false, false]);
    assert.equal((await run(['models', 'remove', NAME])).code, 0);
    assert.deepEqual(readdirSync(models), []);
  });

  test('is offered by init where Ollama does not answer', { skip }, async (context) => {
    const { hub, notes, converse, models, config } = await freshHome(context);
    const init = ['init', '--vault', notes, '--endpoint', 'http://127.0.0.1:9'];
    const screen = await converse(init, ['n', 'y', 'y', 'y']);
    assert.match(screen, /Install potion-(?:retrieval-32M|base-8M) \(English\)/);
    assert.match(screen, /embedding {2}potion-\S+, inside vaultgraph/);
    assert.match(screen, /embedding succeeded: 2 notes/);
    assert.match(readFileSync(config, 'utf8'), /type: model2vec/);
    rmSync(config);
    rmSync(models, { recursive: true });
    const count = hub.requests.length;
    assert.match(await converse(init, ['n', 'y', 'n']), /embedding {2}off \(Ollama does not answer/);
    assert.deepEqual([hub.requests.length, existsSync(models)], [count, false]);
  });

  test('names what is wrong with its arguments', async (context) => {
    const { hub, notes, run } = await freshHome(context);
    const cases: readonly (readonly [args: readonly string[], hint: RegExp])[] = [
      [['add', 'potion-base-8b', '--vault', notes], /Did you mean `potion-base-8M`/],
      [['add'], /models add NAME/],
      [['add', NAME, '--vault', notes, '--hub', hub.origin], /pass --yes/],
      [['remove', NAME], /no model named potion-base-8M is installed/],
      [['install', NAME], /Allowed choices are list, add, remove/],
      [['add', NAME, '--from-hub'], /unknown option '--from-hub'/],
    ];
    const ended = await Promise.all(cases.map(([args]) => run(['models', ...args])));
    for (const [at, { code, stderr }] of ended.entries()) {
      assert.equal(code, 64, stderr);
      assert.match(stderr, cases[at]?.[1] ?? /^$/);
    }
    assert.equal(hub.requests.length, 0);
  });
});
