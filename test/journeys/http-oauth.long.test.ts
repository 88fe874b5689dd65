// Goes through OAuth with the SDK's HTTP client: from the refusal over the metadata and the issuer to a call.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Issuer, openIssuer } from '../fakes/issuer.ts';
import { freePort, INITIALIZE, post, startHttp } from './http-process.ts';
import { configFile, copyOfFixture } from './session.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';

/** Keeps everything in memory; its user approves at once. */
class TestProvider implements OAuthClientProvider {
  code = '';
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { redirect_uris: [REDIRECT], client_name: 'test', token_endpoint_auth_method: 'none' };
  readonly #kept = new Map<string, never>();
  clientInformation = () => this.#kept.get('client');
  saveClientInformation = (client: object): void => void this.#kept.set('client', client as never);
  tokens = () => this.#kept.get('tokens');
  saveTokens = (tokens: object): void => void this.#kept.set('tokens', tokens as never);
  saveCodeVerifier = (verifier: string): void => void this.#kept.set('verifier', verifier as never);
  codeVerifier = (): string => this.#kept.get('verifier') ?? '';
  async redirectToAuthorization(url: URL): Promise<void> {
    const response = await fetch(url, { redirect: 'manual' });
    this.code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }
}

async function start(context: TestContext, issuer: Issuer) {
  const vault = copyOfFixture(context, 'tiny');
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/mcp`;
  const oauth = `{ issuer: "${issuer.url}", audience: "${audience}", views: { "vaultgraph:phone": phone } }`;
  const yaml = `vault: { path: ${JSON.stringify(vault)}, access: read-write }\nviews: { phone: { read: ["Places/**"], access: read-only } }\nhttp: { port: ${port}, oauth: ${oauth} }\n`;
  return { audience, server: await startHttp(context, configFile(context, yaml), ['--port', String(port)]) };
}

test('the SDK\u2019s client finds the issuer by itself, gets a token and calls a tool', async (context) => {
  const issuer = await openIssuer(context, '/realms/home');
  const { server } = await start(context, issuer);
  const provider = new TestProvider();
  const first = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: provider });
  await assert.rejects(new Client({ name: 'o', version: '1' }).connect(first as never), UnauthorizedError);
  await first.finishAuth(provider.code);
  const client = new Client({ name: 'o', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { authProvider: provider }) as never);
  context.after(() => client.close());
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'edit_note'));
  assert.equal((await client.callTool({ name: 'list_notes', arguments: {} })).isError, false);
});

test('tokens of the issuer and of the server are valid side by side; others are refused with where to get one', async (context) => {
  const issuer = await openIssuer(context);
  const { server, audience } = await start(context, issuer);
  const status = async (token: string): Promise<number> =>
    (await post(server.url, INITIALIZE, { authorization: `Bearer ${token}` })).status;
  assert.equal(await status(await issuer.token({ aud: audience, scope: 'vaultgraph' })), 200);
  assert.equal(await status(server.addToken('own')), 200);
  const viewing = await post(server.url, INITIALIZE, {
    authorization: `Bearer ${await issuer.token({ aud: audience, scope: 'vaultgraph:phone' })}`,
  });
  assert.match(await viewing.text(), /, read-only\)/);
  assert.equal(await status(await issuer.token({ aud: 'https://other.example', scope: 'vaultgraph' })), 401);
  const lacking = await post(server.url, INITIALIZE, {
    authorization: `Bearer ${await issuer.token({ aud: audience, scope: 'x' })}`,
  });
  assert.equal(lacking.status, 403);
  assert.match(lacking.headers.get('www-authenticate') ?? '', /error="insufficient_scope".*scope="vaultgraph"/);
  const refused = await post(server.url, INITIALIZE);
  const [, url = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const metadata = (await (await fetch(url)).json()) as { readonly resource: string };
  assert.equal(metadata.resource, audience);
  assert.equal((await fetch(new URL('/.well-known/oauth-protected-resource', server.url))).status, 200);
  assert.doesNotMatch(server.stderr(), /eyJ/);
});
