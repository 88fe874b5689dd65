// Tests what clients that announce MCP Apps are offered by the built program, and that nothing changes for others.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { APP_URI, SHOWS_APPS } from '../view/app-under-test.ts';
import { startHttp } from './http-process.ts';
import { type RawReply, STATELESS, startRawServer, VERSIONS } from './raw-server.ts';
import { configFile, copyOfFixture, openSession } from './session.ts';

const CALLS: Readonly<Record<string, object>> = {
  find_path: { from: 'Home', to: 'Tide pool' },
  get_communities: {},
  get_hubs: {},
  get_neighbors: { note: 'Home', depth: 2 },
};
const META = 'io.github.vaultgraph/graph';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

type Ask = (method: string, params?: object) => Promise<RawReply>;

/** A server of its own, with an index, and a client that announces these capabilities. */
async function connected(
  context: TestContext,
  version: string,
  capabilities: object,
  start: { readonly vault?: string; readonly config?: string } = { vault: copyOfFixture(context, 'tiny') },
): Promise<Ask> {
  const server = startRawServer(context, start);
  await server.begin(version, capabilities);
  let lastId = 0;
  const ask: Ask = (method, params = {}) => {
    lastId += 1;
    const _meta = version === STATELESS ? { _meta: { [CAPABILITIES]: capabilities } } : {};
    server.send({ id: lastId, method, params: { ...params, ..._meta } });
    return server.reply(lastId);
  };
  const { result } = await ask('tools/call', { name: 'reindex', arguments: { wait_ms: 45_000 } });
  assert.equal(result?.isError, false);
  return ask;
}

/** Two servers index at different times. */
const timeless = (value: object): string => JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

/** Without what an announcing client is offered. */
const withoutApp = (reply: RawReply): object => {
  const { tools, resources, ...result } = reply.result;
  return {
    ...result,
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
    ...(tools && { tools: tools.map(({ _meta: { ui, ...meta }, ...tool }: any) => ({ ...tool, meta })) }),
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    ...(resources && { resources: resources.filter(({ uri }: any) => uri !== APP_URI) }),
  };
};

for (const version of VERSIONS) {
  test(`under ${version} only a client that announces MCP Apps is offered the page`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const plain = await connected(context, version, {}, { vault });
    const other = await connected(context, version, { extensions: { 'io.modelcontextprotocol/ui': {} } }, { vault });
    const app = await connected(context, version, SHOWS_APPS, { vault });
    for (const method of ['tools/list', 'resources/list']) {
      const [without, unclear, shown] = [await plain(method), await other(method), await app(method)];
      assert.doesNotMatch(JSON.stringify(without.result), /ui:\/\/|"ui"/);
      assert.equal(JSON.stringify(unclear.result), JSON.stringify(without.result), 'without its type of page');
      assert.notEqual(JSON.stringify(shown.result), JSON.stringify(without.result));
      assert.deepEqual(withoutApp(shown), withoutApp(without));
    }
    // biome-ignore lint/suspicious/noExplicitAny: a test reads the reply as it came.
    const drawn = (await app('tools/list')).result.tools.filter(({ _meta }: any) => _meta?.ui?.resourceUri === APP_URI);
    assert.deepEqual(drawn.map(({ name }: { readonly name: string }) => name).sort(), Object.keys(CALLS));
    for (const ask of [plain, other])
      assert.match((await ask('resources/read', { uri: APP_URI })).error.message, /URI/);
    const [page] = (await app('resources/read', { uri: APP_URI })).result.contents;
    assert.deepEqual([page.uri, page.mimeType], [APP_URI, 'text/html;profile=mcp-app']);
    assert.deepEqual(page._meta.ui.csp, { connectDomains: [], resourceDomains: [] });
    assert.doesNotMatch(page.text, /<script src|<link|app\.(?:css|js) \*\//);
  });

  test(`under ${version} the answers of the four tools carry the graph only for such a client, and are else the same`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const plain = await connected(context, version, {}, { vault });
    const app = await connected(context, version, SHOWS_APPS, { vault });
    for (const [name, given] of Object.entries(CALLS)) {
      const [without, shown] = [
        await plain('tools/call', { name, arguments: given }),
        await app('tools/call', { name, arguments: given }),
      ];
      assert.equal(without.result._meta?.[META], undefined);
      const { notes, links } = shown.result._meta[META];
      assert.ok(notes.length > 1 && links.length > 0 && links.length % 3 === 0, name);
      for (const half of ['content', 'structuredContent'])
        assert.equal(timeless(shown.result[half]), timeless(without.result[half]), name);
    }
    const other = await app('tools/call', { name: 'list_notes', arguments: {} });
    assert.equal(other.result._meta?.[META], undefined);
    const failed = await app('tools/call', { name: 'get_neighbors', arguments: { note: 'No such note' } });
    assert.deepEqual([failed.result.isError, failed.result._meta?.[META]], [true, undefined]);
  });
}

test('without the structured half of answers there is no page', async (context) => {
  const path = JSON.stringify(copyOfFixture(context, 'tiny'));
  const config = configFile(context, `vault: { path: ${path} }\nmcp: { structured_content: text }\n`);
  const ask = await connected(context, '2025-11-25', SHOWS_APPS, { config });
  assert.doesNotMatch(JSON.stringify((await ask('tools/list')).result), /ui:\/\//);
  assert.ok((await ask('resources/read', { uri: APP_URI })).error);
});

test('with several vaults the graph is of the vault that the call is about', async (context) => {
  const [one, two] = [copyOfFixture(context, 'tiny'), copyOfFixture(context, 'links')].map((path) =>
    JSON.stringify(path),
  );
  const config = configFile(context, `vaults: { one: { path: ${one} }, two: { path: ${two} } }\n`);
  const { client, indexed } = await openSession(context, { config, capabilities: SHOWS_APPS });
  await indexed();
  for (const vault of ['one', 'two']) {
    await client.callTool({ name: 'reindex', arguments: { vault, wait_ms: 45_000 } });
    const { _meta, structuredContent } = await client.callTool({ name: 'get_hubs', arguments: { vault } });
    const { hubs } = (structuredContent as { readonly data: { readonly hubs: readonly { readonly path: string }[] } })
      .data;
    const { notes, links } = _meta?.[META] as {
      readonly notes: readonly { readonly path: string }[];
      readonly links: object;
    };
    assert.deepEqual(
      notes.map(({ path }) => path),
      hubs.map(({ path }) => path),
    );
    assert.ok(Array.isArray(links) && links.length > 0);
  }
});

test('over HTTP each session is offered the page by what it announces', async (context) => {
  const config = configFile(context, `vault: { path: ${JSON.stringify(copyOfFixture(context, 'tiny'))} }\n`);
  const server = await startHttp(context, config);
  const token = server.addToken('desk');
  const [plain, app] = [await server.connect(token), await server.connect(token, SHOWS_APPS)];
  assert.equal((await app.call('reindex', { wait_ms: 45_000 })).isError, false);
  const uris = async ({ client }: typeof app) => (await client.listResources()).resources.map(({ uri }) => uri);
  assert.deepEqual([(await uris(app)).includes(APP_URI), (await uris(plain)).includes(APP_URI)], [true, false]);
  const { _meta } = await app.client.callTool({ name: 'get_hubs', arguments: {} });
  assert.ok(_meta?.[META] !== undefined);
  const [page] = (await app.client.readResource({ uri: APP_URI })).contents;
  assert.equal(page?.mimeType, 'text/html;profile=mcp-app');
  await assert.rejects(plain.client.readResource({ uri: APP_URI }), /URI/);
});
