// Makes random calls with two tokens at once to one server over HTTP: each gets what a server on the files of its view answers.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSeededRandom } from '../bench/random.ts';
import { runs } from '../runner/effort.ts';
import { openByHand, post, startHttp } from './http-process.ts';
import { type RawReply, type RawServer, startRawServer, toolCall } from './raw-server.ts';
import { configFile, temporaryFolder } from './session.ts';
import { firstDifference, masked, randomMessage } from './views-calls.ts';
import { copyOfShown, writeVault } from './views-vault.ts';

const VIEWS = { office: ['Work/**', '!Work/Diary/**'], home: ['Home/**', '*.md', 'Work/Twin.md'] } as const;
const CALLS = 1_500;
const SEED = Number(process.env.VAULTGRAPH_TEST_SEED ?? 20_261_124);

interface Viewer {
  /** What a server on a copy with only the files of the view answers. */
  readonly reduced: RawServer;
  readonly headers: Record<string, string>;
}

async function ask(url: string, headers: Record<string, string>, message: object): Promise<RawReply> {
  const text = await (await post(url, { jsonrpc: '2.0', ...message }, headers)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return JSON.parse(lines.at(-1)?.slice('data: '.length) ?? text) as RawReply;
}

async function openReduced(context: TestContext, vault: string, read: readonly string[]): Promise<RawServer> {
  const copy = copyOfShown(context, vault, read);
  const config = configFile(context, `vault: { path: ${JSON.stringify(copy)} }\n`);
  const server = startRawServer(context, { config });
  await server.begin('2025-11-25');
  server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
  await server.reply(1);
  return server;
}

test(`${runs(CALLS)} random calls of two tokens with two views, from seed ${SEED}`, async (suite) => {
  const context = suite as TestContext;
  const vault = join(temporaryFolder(context), 'Notes');
  mkdirSync(vault);
  writeVault(vault, SEED, undefined);
  const views = Object.entries(VIEWS).map(([name, read]) => `  ${name}: { read: ${JSON.stringify(read)} }\n`);
  const yaml = `vault: { path: ${JSON.stringify(vault)} }\nviews:\n${views.join('')}`;
  const { url, addToken } = await startHttp(context, configFile(context, yaml));
  const viewers: Viewer[] = [];
  for (const [name, read] of Object.entries(VIEWS)) {
    const headers = await openByHand(url, { authorization: `Bearer ${addToken(name, name)}` });
    await ask(url, headers, toolCall(1, 'reindex', { wait_ms: 45_000 }));
    viewers.push({ headers, reduced: await openReduced(context, vault, read) });
  }
  const random = createSeededRandom(SEED);
  const { tools } = (await ask(url, viewers[0]?.headers ?? {}, { id: 2, method: 'tools/list' })).result;
  for (let id = 10; id < 10 + runs(CALLS); id += 1) {
    const message = { id, ...randomMessage(random, tools, 0.7) };
    // Both at once: neither may see what the other does.
    await Promise.all(
      viewers.map(async ({ headers, reduced }) => {
        reduced.send(message);
        const [seen, expected] = await Promise.all([ask(url, headers, message), reduced.reply(id)]);
        const [one, other] = [seen, expected].map(masked) as [string, string];
        assert.ok(one === other, `${JSON.stringify(message)}\n${firstDifference(one, other).join('\n\n')}`);
      }),
    );
  }
});
