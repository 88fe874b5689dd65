// Runs `vaultgraph doctor --http`: what it finds before a server runs, while it runs, and when something is wrong.
import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openIssuer } from '../fakes/issuer.ts';
import { freePort, startHttp } from './http-process.ts';
import { configFile, copyOfFixture, ROOT, runBeside, temporaryFolder } from './session.ts';

type Checks = Readonly<Record<string, readonly [status: string, detail: string]>>;

async function doctor(context: TestContext, yaml: string, dataFolder = temporaryFolder(context)): Promise<Checks> {
  const args = ['doctor', '--http', '--json', '--config', configFile(context, yaml), '--data-dir', dataFolder];
  const { stdout, stderr } = await runBeside(context, args);
  assert.ok(stdout.startsWith('{'), stderr);
  const { checks } = JSON.parse(stdout) as { readonly checks: { check: string; status: string; detail: string }[] };
  return Object.fromEntries(
    checks
      .filter(({ check }) => check.startsWith('http'))
      .map(({ check, status, detail }) => [check, [status, detail]]),
  );
}

test('it says what is missing, and finds a server, a foreign program and an issuer', async (context) => {
  const vault = `vault: { path: ${JSON.stringify(copyOfFixture(context, 'tiny'))} }\n`;
  const port = await freePort();
  const bare = await doctor(context, `${vault}http: { port: ${port} }\n`);
  assert.deepEqual(bare.http, ['ok', `127.0.0.1, port ${port}; views: none`]);
  assert.deepEqual(bare['http tokens'], ['warning', 'there is no token, so every client is refused']);
  assert.match(bare['http server']?.[1] ?? '', /no server runs there \(ECONNREFUSED\)/);
  const open = await doctor(context, `${vault}http: { host: 192.0.2.1 }\n`);
  assert.match(open.http?.[1] ?? '', /nothing encrypts/);
  assert.equal(open.http?.[0], 'failing');
  const foreign = createServer((_, response) => void response.writeHead(404).end());
  context.after(() => foreign.close());
  await new Promise<void>((resolve) => void foreign.listen(port, '127.0.0.1', resolve));
  const taken = await doctor(context, `${vault}http: { port: ${port} }\n`);
  assert.deepEqual(taken['http server'], ['failing', 'another program answers there (status 404)']);
  const issuer = await openIssuer(context);
  const oauth = (url: string): string =>
    `${vault}http: { oauth: { issuer: "${url}", audience: "https://n.example/mcp" } }\n`;
  assert.deepEqual((await doctor(context, oauth(issuer.url)))['http issuer'], ['ok', `${issuer.url}: 1 key`]);
  issuer.mood = 'other_issuer';
  assert.match((await doctor(context, oauth(issuer.url)))['http issuer']?.[1] ?? '', /it names another issuer/);
});

test('it checks the certificate, the mode of the tokens, and the server that runs', async (context) => {
  const tls = join(ROOT, 'test/fakes/tls');
  const port = await freePort();
  const keys = `{ cert: ${tls}/localhost-cert.pem, key: ${tls}/localhost-key.pem }`;
  const yaml = `vault: { path: ${JSON.stringify(copyOfFixture(context, 'tiny'))} }\nhttp: { port: ${port}, tls: ${keys} }\n`;
  const config = configFile(context, yaml);
  const server = await startHttp(context, config, ['--port', String(port)]);
  server.addToken('desk');
  const run = async (): Promise<Checks> => {
    const { stdout } = await runBeside(context, [
      'doctor',
      '--http',
      '--json',
      '--config',
      config,
      '--data-dir',
      server.dataFolder,
    ]);
    const { checks } = JSON.parse(stdout) as { readonly checks: { check: string; status: string; detail: string }[] };
    return Object.fromEntries(checks.map(({ check, status, detail }) => [check, [status, detail]]));
  };
  const fine = await run();
  assert.deepEqual(fine['http tokens'], ['ok', '1: desk']);
  assert.match(fine['http certificate']?.join(' ') ?? '', /^ok DNS:localhost/);
  assert.deepEqual(fine['http server'], ['ok', 'it runs, and refuses requests without a token']);
  const state = join(server.dataFolder, 'state');
  const [tokens = ''] = readdirSync(state).filter((name) => name.startsWith('http-tokens'));
  chmodSync(join(state, tokens), 0o755);
  assert.match((await run())['http tokens']?.join(' ') ?? '', /^warning other users of this machine can read/);
});
