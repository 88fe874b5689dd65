// Makes random calls to a server with a view of a vault and to one whose vault holds only what the view shows: the answers are the same.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSeededRandom, type Random } from '../bench/random.ts';
import { runs } from '../runner/effort.ts';
import type { Words } from './random-arguments.ts';
import { type RawReply, type RawServer, startRawServer, toolCall } from './raw-server.ts';
import { configFile, runProgram, temporaryFolder } from './session.ts';
import { firstDifference, type Message, masked, randomMessage, WORDS } from './views-calls.ts';
import { copyOfShown, writeVault } from './views-vault.ts';

const VIEWS: readonly (readonly string[])[] = [
  ['Work/**', '!Work/Diary/**'],
  ['!Work/Diary/**', '!home'],
  ['Home/**', '*.md', 'Work/Twin.md'],
  ['**/A*.md', 'Work/**'],
  ['{Work,Home}/*'],
];
const CALLS = 800;
const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_123);

interface Pair {
  readonly viewed: RawServer;
  readonly reduced: RawServer;
}

/** @param access of both servers; one that writes has the view in both, since a write outside of it is refused */
async function openPair(
  context: TestContext,
  read: readonly string[],
  access: 'read-only' | 'read-write',
): Promise<Pair> {
  const vault = join(temporaryFolder(context), 'Notes');
  mkdirSync(vault);
  writeVault(vault, SEED, access === 'read-write' ? read : undefined);
  const copy = copyOfShown(context, vault, read);
  const globs = `, read: ${JSON.stringify(read)}`;
  const yaml = (folder: string, view: string): string =>
    configFile(context, `vault: { path: ${JSON.stringify(folder)}, access: ${access}${view} }\n`);
  const config = yaml(vault, globs);
  const dataFolder = temporaryFolder(context);
  if (access === 'read-write') changeHidden(context, vault, dataFolder);
  const viewed = startRawServer(context, { config, dataFolder });
  const reduced = startRawServer(context, { config: yaml(copy, access === 'read-write' ? globs : '') });
  for (const server of [viewed, reduced]) {
    await server.begin();
    server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
    await server.reply(1);
  }
  return { viewed, reduced };
}

/** A change that the view does not show, in the change log of the same vault. */
function changeHidden(context: TestContext, vault: string, dataFolder: string): void {
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const given = JSON.stringify({ path: 'Home/Hidden.md', content: 'hidden' });
  const ended = runProgram(context, ['call', 'create_note', given, '--config', config, '--data-dir', dataFolder]);
  assert.equal(ended.status, 0, ended.stdout + ended.stderr);
}

/** Ids that the server gave last, for the placeholders in arguments. */
class Ids {
  readonly #last = new Map([
    ['$plan', 'plan_0'],
    ['$change', 'chg_0'],
    ['$etag', 'none'],
  ]);

  fill(given: unknown): unknown {
    const text = JSON.stringify(given) ?? 'null';
    return JSON.parse(text.replace(/\$(?:plan|change|etag)/g, (name) => this.#last.get(name) ?? name));
  }

  learn(reply: RawReply): void {
    const text = JSON.stringify(reply);
    const found = { $plan: /plan_[0-9a-f]{10}/, $change: /chg_[0-9a-z]{9}_[0-9a-f]{6}/, $etag: /"etag":"([^"]+)"/ };
    for (const [name, pattern] of Object.entries(found)) {
      const [all, inner = all] = pattern.exec(text) ?? [];
      if (inner !== undefined) this.#last.set(name, inner);
    }
  }
}

/** A write that usually succeeds, unless the view forbids it. */
function randomWrite(random: Random): Message {
  const path = (): string => random.pick(WORDS.filter((word) => word.endsWith('.md')) as unknown as Words);
  const [from, to] = random.pick<[string, string]>([
    ['log', 'diary/log'],
    ['diary/log', 'log'],
    ['place/work', 'place/home'],
    ['place', 'site'],
  ]);
  const [name, given] = random.pick<[string, object]>([
    [
      'create_note',
      { path: path().replace('.md', ` ${random.below(5)}.md`), content: 'See [[Twin]] and [[Anchor]]. #log' },
    ],
    ['edit_note', { note: path(), edits: [{ op: 'append', text: `Tide at [[${path()}]]. #place` }] }],
    ['set_properties', { notes: [path(), path()], set: { rank: random.below(9) }, confirm: true }],
    ['move_note', { note: path(), to: path(), confirm: true, allow_broken: random.chance(0.5) }],
    ['move_note', { note: random.pick(['Work/', 'Home/', 'Home/Plans/']), to: 'Home/Old/', confirm: true }],
    ['merge_notes', { notes: [path()], into: path(), confirm: true }],
    ['rename_tag', { from, to, confirm: true }],
    ['delete_note', { note: path(), confirm: true, ...(random.chance(0.5) && { redirect_to: path() }) }],
    ['undo_change', random.chance(0.5) ? {} : { change_id: '$change' }],
    ['replace_in_notes', { find: 'tide', replace: 'Tide', everywhere: true }],
    ['replace_in_notes', { plan_id: '$plan' }],
  ]);
  return { method: 'tools/call', params: { name, arguments: given } };
}

for (const [index, read] of VIEWS.entries()) {
  const access = index % 2 === 0 ? 'read-only' : 'read-write';
  const calls = runs(CALLS);
  test(`${calls} random calls with vault.read ${read.join(', ')}, ${access}, from seed ${SEED}`, async (suite) => {
    const context = suite as TestContext;
    const random = createSeededRandom(SEED + index);
    const { viewed, reduced } = await openPair(context, read, access);
    viewed.send({ id: 2, method: 'tools/list' });
    const { tools } = (await viewed.reply(2)).result;
    const pair = [viewed, reduced].map((server) => ({ server, ids: new Ids() }));
    const seen = new Map<string, number>();
    for (let id = 10; id < 10 + calls; id += 1) {
      const isWrite = access === 'read-write' && random.chance(0.4);
      const message = isWrite ? randomWrite(random) : randomMessage(random, tools, 0.3);
      const replies = await Promise.all(
        pair.map(async ({ server, ids }) => {
          server.send({ id, ...(ids.fill(message) as Message) });
          const reply = await server.reply(id);
          ids.learn(reply);
          return reply;
        }),
      );
      const [one = '', other = ''] = replies.map(masked);
      assert.equal(...firstDifference(one, other), `call ${id}: ${JSON.stringify(message)}`);
      const code = replies[0]?.error?.code ?? replies[0]?.result?.structuredContent?.error?.code ?? 'ok';
      seen.set(code, (seen.get(code) ?? 0) + 1);
    }
    context.diagnostic(JSON.stringify(Object.fromEntries(seen)));
    assert.ok((seen.get('ok') ?? 0) > calls / 5, 'many calls succeed');
  });
}
