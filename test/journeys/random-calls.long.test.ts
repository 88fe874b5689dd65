// M16: makes thousands of random valid and invalid calls from a fixed seed: every answer is well-formed and none reports an internal error.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSeededRandom } from '../bench/random.ts';
import { brokenLaws, type Laws } from '../soak/answer-laws.ts';
import { provokingVault } from './provoking-vault.ts';
import { argumentsFor } from './random-arguments.ts';
import { type RawReply, startRawServer, toolCall } from './raw-server.ts';
import { configFile, runProgram, temporaryFolder } from './session.ts';

interface Run {
  readonly access: 'read-only' | 'read-write';
  readonly calls: number;
  /** How often an optional argument is given. */
  readonly given: number;
  readonly codes: readonly string[];
}

const RUNS: readonly Run[] = [
  {
    ...{ access: 'read-only', calls: 4_000, given: 0.25 },
    codes: ['ok', 'INVALID_INPUT', 'BATCH_FAILED', 'NOTE_AMBIGUOUS', 'PATH_NOT_ALLOWED', 'INVALID_QUERY'],
  },
  {
    ...{ access: 'read-write', calls: 3_000, given: 0.5 },
    codes: ['ok', 'INVALID_INPUT', 'CONFIRMATION_REQUIRED', 'CHANGE_NOT_FOUND', 'PATH_NOT_ALLOWED'],
  },
];
const AT_ONCE = 20;
const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_121);

const WORDS: readonly [string, ...string[]] = [
  'Harbour',
  'harbour',
  'Places/Harbour.md',
  'Harbour#Berths',
  'Harbour#^outer-berth',
  'Harbour:2-5',
  'Harbour:9-2',
  'Twin',
  'A/Twin',
  'Parts#Same',
  'The quay',
  'Nobody',
  'Gone',
  'Huge',
  'Board.canvas',
  'img/lamp.svg',
  '@today',
  '#log',
  'log',
  'place',
  'place/coast',
  'Places',
  'Places/',
  './Places',
  '../Places',
  '/etc/passwd',
  'C:\\x',
  '.obsidian',
  '',
  ' ',
  '.',
  '..',
  '#',
  '##',
  '^',
  ':',
  ':1-2',
  '|',
  '[[Harbour]]',
  '[[',
  ']]',
  '\0',
  '\ud800',
  '\u202eabc',
  '🌊',
  '潮',
  'e\u0301',
  'tide',
  '-tide',
  '"spring tide"',
  '"',
  'ti*',
  '*',
  'tide OR log',
  'NEAR(tide log)',
  'today',
  'yesterday',
  '7d',
  '2026-11-20',
  '2026-13-40',
  '2026-11-20T25:00',
  '0y',
  '99999y',
  'name',
  'asc',
  'desc',
  'any',
  'all',
  'pagerank',
  'unresolved',
  'in',
  'out',
  'both',
  'full',
  'content',
  '__proto__',
  'constructor',
  'toString',
  '0.AAAAAAAAAAAA',
  'zzzzzzzz-zzzzzzzz.AAAAAAAAAAAA',
  'x'.repeat(300),
  'job_00000000',
  'plan_00000000',
];
/** Checks the shape that every answer has. */
function assertWellFormed({ result, error }: RawReply, requested: string, laws: Laws): void {
  if (error === undefined) assert.deepEqual(brokenLaws(result, laws), [], requested);
  else assert.ok(error.code === -32602 || error.code === -32600, `${requested}: ${JSON.stringify(error)}`);
}

for (const { access, calls, given: often, codes } of RUNS) {
  test(`M16 ${calls} random calls in a ${access} vault from seed ${SEED}`, async (suite) => {
    const context = suite as TestContext;
    const random = createSeededRandom(SEED);
    const { vault, forget } = provokingVault(context);
    const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: ${access} }\n`);
    const server = startRawServer(context, { config });
    await server.begin();
    server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
    server.send({ id: 2, method: 'tools/list' });
    await server.reply(1);
    forget();
    const { tools } = (await server.reply(2)).result;
    const laws = { listed: new Set<string>(tools.map(({ name }: { name: string }) => name)), secret: [vault] };
    const seen = new Set<string>();
    for (let from = 0; from < calls; from += AT_ONCE) {
      // The vault changes during the calls, as a person's vault does.
      // Only an index that was built before the eviction can resolve a link to the evicted note.
      const linked = random.pick(WORDS).replace(/^Gone$/, 'Harbour');
      writeFileSync(join(vault, `Note ${random.below(9)}.md`), `[[${linked}]] #${random.pick(WORDS)}\n`);
      const requested = Array.from({ length: AT_ONCE }, (_, at) => {
        const { name, inputSchema } = tools[random.below(tools.length)];
        const given = argumentsFor(random, WORDS, inputSchema, often) as object;
        // Waiting would only slow down the test.
        if (name === 'reindex' && 'wait_ms' in Object(given)) Object.assign(given, { wait_ms: random.below(3) - 1 });
        return { id: 10 + from + at, name, given };
      });
      for (const { id, name, given } of requested) server.send(toolCall(id, name, given));
      for (const { id, name, given } of requested) {
        const reply = await server.reply(id);
        assertWellFormed(reply, `${name} ${JSON.stringify(given)}`, laws);
        seen.add(reply.result?.structuredContent.error?.code ?? 'ok');
      }
    }
    context.diagnostic([...seen].sort().join(' '));
    for (const code of codes) {
      assert.ok(seen.has(code), `${code} was among the answers`);
    }
    const defects = server
      .stderr()
      .split('\n')
      .filter((line) => /"undeclared":true|INTERNAL|"stdout_violations/.test(line));
    assert.deepEqual(defects, []);
    for (const line of server.lines()) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    server.child.stdin?.end();
    assert.equal(await server.ended, 0);
    // The index keeps what it knew of the evicted note, unless one of the calls rebuilt it.
    const exported = (dataFolder: string): string[] =>
      runProgram(context, ['export', '--vault', vault, '--data-dir', dataFolder])
        .stdout.split('\n')
        .filter((line) => !line.startsWith('{"path":"Gone.md"'));
    const [known, cold] = [exported(server.dataFolder), exported(temporaryFolder(context))];
    assert.ok(cold.length > 10);
    assert.deepEqual(known, cold, 'the index equals a cold rebuild');
  });
}
