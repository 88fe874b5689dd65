// Checks the server of the graph page against other programs on the machine: without the secret they get nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as ask, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPageAnswers } from '../../src/cli/view/page-answers.ts';
import { type ServedVault, withServedVault } from './page-under-test.ts';

const FILES = { 'Home.md': 'Goes to [[Tide]] and [[Nowhere]].', 'Tide.md': 'Comes and goes.', 'Alone.md': '' };

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Requested {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the path unchanged, including dots. */
function get({ server }: Pick<ServedVault, 'server'>, path: string, { method = 'GET', headers = {} }: Requested = {}) {
  const { hostname, port, host } = new URL(server.url);
  return new Promise<Reply>((resolve, reject) => {
    const sent = ask({ hostname, port, path, method, headers: { host, ...headers }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const rootOf = ({ server }: ServedVault): string => new URL(server.url).pathname;
const callPath = (vault: ServedVault, tool: string, input: object): string =>
  `${rootOf(vault)}api/call/${tool}?input=${encodeURIComponent(JSON.stringify(input))}`;

test('without the secret every request is refused', () =>
  withServedVault(FILES, async (vault) => {
    assert.match(vault.server.url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const secret = rootOf(vault).slice(1, -1);
    const wrong = `/${'x'.repeat(secret.length)}/`;
    const paths = ['/', '/page.js', '/api/graph', wrong, `${wrong}api/graph`, `/${secret.slice(0, -1)}/`, `/${secret}`];
    for (const path of [...paths, `/once/${secret}`, `/?${secret}`, '//', `/a/../${secret}x/`]) {
      const { status, text } = await get(vault, path);
      assert.deepEqual([path, status], [path, 403]);
      assert.doesNotMatch(text, /Tide|<html/);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])
      assert.equal((await get(vault, '/api/graph', { method })).status, 403);
  }));

test('the graph is drawn before a page asks, once for all pages, and again after a failure', () =>
  withServedVault(FILES, async ({ core }) => {
    let drawings = 0;
    const picture: typeof core.picture = async (signal) => {
      drawings += 1;
      if (drawings === 1) throw new Error('the store is away');
      return core.picture(signal);
    };
    const answers = createPageAnswers({ ...core, picture });
    const graph = () => answers.answer('graph', new URLSearchParams(), new AbortController().signal);
    answers.prepare();
    const [one, other] = await Promise.all([graph(), graph()]);
    assert.deepEqual([one?.status, other?.status, drawings], [200, 200, 2]);
    await graph();
    assert.equal(drawings, 2);
  }));

test('a tool that the config switches off is not called, and the page says so; the graph does without', () =>
  withServedVault(
    FILES,
    async (vault) => {
      const { status, text } = await get(vault, callPath(vault, 'list_changes', {}));
      assert.deepEqual([status, /list_changes is switched off/.test(text)], [501, true], text);
      assert.equal((await get(vault, callPath(vault, 'read_notes', { notes: ['Tide'] }))).status, 501);
      assert.match((await get(vault, `${rootOf(vault)}api/graph`)).text, /"Tide\.md"/);
    },
    undefined,
    undefined,
    'tools: { only: [status] }\n',
  ));

test('a host name other than this machine, as in DNS rebinding, is refused even with the secret', () =>
  withServedVault(FILES, async (vault) => {
    const { port } = new URL(vault.server.url);
    for (const host of [
      'evil.test',
      `evil.test:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
      `[::1]:${port}`,
    ])
      assert.deepEqual([host, (await get(vault, rootOf(vault), { headers: { host } })).status], [host, 403]);
    assert.equal((await get(vault, rootOf(vault), { headers: { host: `localhost:${port}` } })).status, 200);
  }));

test('every response forbids everything that the page does not need', () =>
  withServedVault(FILES, async (vault) => {
    for (const path of [
      '/',
      rootOf(vault),
      `${rootOf(vault)}page.js`,
      `${rootOf(vault)}api/graph`,
      `${rootOf(vault)}nix`,
    ]) {
      const { headers } = await get(vault, path);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      assert.match(policy, /frame-ancestors 'none'; base-uri 'none'; form-action 'none'$/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers['access-control-allow-origin'], undefined);
      assert.equal(headers['set-cookie'], undefined);
    }
  }));

test('it is read-only: other methods are refused, and no write tool can be called', () =>
  withServedVault(FILES, async (vault) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      const { status, headers } = await get(vault, `${rootOf(vault)}api/graph`, { method });
      assert.deepEqual([method, status, headers.allow], [method, 405, 'GET']);
    }
    for (const tool of ['create_note', 'delete_note', 'reindex', 'ask_vault', 'nix', '__proto__', ''])
      assert.equal((await get(vault, callPath(vault, tool, {}))).status, 404);
    assert.equal((await get(vault, `${rootOf(vault)}api/call/read_notes/more`)).status, 404);
  }));

test('it keeps a layout beside the index, from its own page only', () =>
  withServedVault(FILES, async (vault) => {
    const graph = JSON.parse((await get(vault, `${rootOf(vault)}api/graph`)).text).data;
    const path = `${rootOf(vault)}api/places?revision=${graph.revision}`;
    const rows = async (at = path): Promise<unknown> => JSON.parse((await get(vault, at)).text).data.rows;
    assert.deepEqual(await rows(), Array(9).fill(null));
    const good = [1, 2, 0, 3.5, -4, 1, 0, 0, 1];
    const own = new URL(vault.server.url).origin;
    const post = (body: unknown, headers: Record<string, string> = {}, at = path): Promise<Response> =>
      fetch(new URL(at, vault.server.url), {
        ...{ method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
        headers: { origin: own, 'content-type': 'application/json', ...headers },
      });
    const statuses = {
      'no secret': (await post(good, {}, '/wrong/api/places')).status,
      'another origin': (await post(good, { origin: 'http://evil.test' })).status,
      'no origin': (await post(good, { origin: 'null' })).status,
      'a form': (await post(good, { 'content-type': 'text/plain' })).status,
      'another revision': (await post(good, {}, `${rootOf(vault)}api/places?revision=0`)).status,
      'too few': (await post([1, 2, 3])).status,
      'no numbers': (await post(good.map(String))).status,
      'no JSON': (await post('{')).status,
      'too long': (await post(' '.repeat(8_000_001))).status,
    };
    assert.deepEqual(Object.values(statuses), [403, 403, 403, 415, 200, 400, 400, 400, 413], JSON.stringify(statuses));
    assert.deepEqual(await rows(), Array(9).fill(null));
    assert.equal((await post(good)).status, 204);
    assert.deepEqual(await rows(), good);
    vault.write({ 'Middle.md': 'New.' });
    await vault.core.indexer.catchUp(new AbortController().signal);
    // The watcher of the vault may make one more revision at any time.
    const later = async (): Promise<unknown> => {
      const { revision } = JSON.parse((await get(vault, `${rootOf(vault)}api/state`)).text).data;
      const found = (await rows(`${rootOf(vault)}api/places?revision=${revision}`)) as unknown[];
      return found.length === 0 ? later() : found;
    };
    assert.deepEqual(await later(), [...good.slice(0, 6), null, null, null, ...good.slice(6)]);
    assert.deepEqual(await rows(), []);
    const file = join(vault.core.config.dataFolder, 'layout.json');
    const whole = readFileSync(file, 'utf8');
    const broken = ['{"Home.md": [1, "x", 2]', '{"Home.md": [1, 2, 3]}', '[]', 'null', '', whole.slice(0, -1)];
    const lastDigit = whole.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
    for (const text of [...broken, lastDigit, whole.slice(1)]) {
      writeFileSync(file, text);
      assert.deepEqual(await later(), Array(12).fill(null), text);
    }
    if (process.platform === 'win32') return;
    rmSync(file);
    execFileSync('mkfifo', [file]);
    assert.deepEqual(await later(), Array(12).fill(null), 'a pipe in its place is not waited for');
  }));

test('a page that is closed while it sends its layout changes nothing, and the next page is served', () =>
  withServedVault(FILES, async (vault) => {
    const { host, hostname, port, origin } = new URL(vault.server.url);
    const head = [`Host: ${host}`, `Origin: ${origin}`, 'Content-Type: application/json', 'Content-Length: 100'];
    const socket = connect(Number(port), hostname);
    socket.write(
      [`POST ${rootOf(vault)}api/places?revision=1 HTTP/1.1`, ...head, 'Expect: 100-continue', '', ''].join('\r\n'),
    );
    await once(socket, 'data');
    socket.end('[1, 2,');
    await once(socket, 'close');
    assert.equal((await get(vault, `${rootOf(vault)}api/state`)).status, 200);
  }));

test('it serves only its own files: no path leads out of their folder', () =>
  withServedVault(FILES, async (vault) => {
    const root = rootOf(vault);
    const ways = [
      '../package.json',
      '..%2f..%2fpackage.json',
      '%2e%2e/x',
      'page.js/../../x',
      '/etc/passwd',
      'constructor',
    ];
    for (const way of [...ways, 'page.ts', 'page.js%00', '..\\x', 'api', 'api/', 'api/nix'])
      assert.deepEqual([way, (await get(vault, root + way)).status > 400], [way, true]);
    for (const name of [
      '',
      'page.html',
      'page.css',
      'page.js',
      'layout-thread.js',
      'markdown.js',
      'math.js',
      'code.js',
    ])
      assert.deepEqual([name, (await get(vault, root + name)).status], [name, 200]);
  }));

test('it serves images of the vault, and other files only to save them; nothing in them runs', () =>
  withServedVault(
    { ...FILES, 'deep/a b.svg': '<svg><script>1</script></svg>', 'x.pdf': '%PDF', 'x.html': 'x' },
    async (vault) => {
      const file = (path: string) => get(vault, `${rootOf(vault)}file/${path}`);
      const svg = await file('deep/a%20b.svg');
      assert.deepEqual([svg.status, svg.headers['content-type']], [200, 'image/svg+xml']);
      assert.match(String(svg.headers['content-security-policy']), /^default-src 'none'.*; sandbox$/);
      assert.equal(svg.headers['x-content-type-options'], 'nosniff');
      assert.equal((await file('x.pdf')).headers['content-disposition'], 'attachment');
      const refused = [
        'x.html',
        'Home.md',
        'no.png',
        '../x.png',
        '..%2f..%2fx.png',
        '%2fetc%2fx.png',
        '.obsidian/x.json',
        'x.png%00',
        '',
      ];
      for (const path of refused) assert.deepEqual([path, (await file(path)).status >= 400], [path, true]);
    },
  ));

test('the graph and the tools use the same contract and the same errors', () =>
  withServedVault(FILES, async (vault) => {
    const graph = JSON.parse((await get(vault, `${rootOf(vault)}api/graph`)).text);
    assert.deepEqual(
      graph.data.notes.map(({ path, title }: { path: string; title: string }) => [path, title]),
      [
        ['Alone.md', 'Alone'],
        ['Home.md', 'Home'],
        ['Tide.md', 'Tide'],
      ],
    );
    assert.deepEqual(graph.data.links, [1, 2, 1]);
    assert.deepEqual(graph.data.unresolved, [{ name: 'Nowhere', sources: [1] }]);
    const state = JSON.parse((await get(vault, `${rootOf(vault)}api/state`)).text);
    assert.deepEqual([state.data.revision, state.data.complete], [graph.data.revision, true]);
    const read = await get(vault, callPath(vault, 'read_notes', { notes: ['Tide'] }));
    assert.equal(JSON.parse(read.text).data.succeeded[0].result.content, 'Comes and goes.');
    const missing = await get(vault, callPath(vault, 'get_neighbors', { note: 'Tyde' }));
    const { error } = JSON.parse(missing.text);
    assert.deepEqual([missing.status, error.code], [404, 'NOTE_NOT_FOUND']);
    assert.match(error.hint, /Tide/);
    const strict = await get(vault, callPath(vault, 'get_neighbors', { nix: 1 }));
    assert.deepEqual([strict.status, JSON.parse(strict.text).error.code], [400, 'INVALID_INPUT']);
    assert.equal((await get(vault, `${rootOf(vault)}api/call/read_notes?input={`)).status, 400);
    const away = await get(vault, callPath(vault, 'read_notes', { notes: ['../package.json'] }));
    assert.equal(JSON.parse(away.text).ok, false);
  }));

test('the address given to the browser opens the page only once', () =>
  withServedVault(FILES, async (vault) => {
    const { pathname } = new URL(vault.server.onceUrl());
    assert.ok(!pathname.includes(rootOf(vault).slice(1, -1)));
    assert.equal((await get(vault, pathname, { method: 'POST' })).status, 403);
    const first = await get(vault, pathname);
    assert.deepEqual([first.status, first.headers.location], [303, vault.server.url]);
    assert.equal((await get(vault, pathname)).status, 403);
  }));

test('a change of the vault gives a new revision and a new graph', () =>
  withServedVault(FILES, async (vault) => {
    const ask = async (what: string) => JSON.parse((await get(vault, `${rootOf(vault)}api/${what}`)).text).data;
    const before = await ask('graph');
    vault.write({ 'Nowhere.md': 'Now it is.' });
    await vault.core.indexer.catchUp(new AbortController().signal);
    assert.notEqual((await ask('state')).revision, before.revision);
    const after = await ask('graph');
    assert.deepEqual(
      [after.notes.length, after.links.length / 3, after.unresolved, after.bases],
      [4, 2, [], undefined],
    );
    vault.write({ 'Tides.base': 'views: []\n' });
    await vault.core.indexer.catchUp(new AbortController().signal);
    const counted = await ask('graph');
    assert.deepEqual([counted.notes.length, counted.bases], [4, 1]);
  }));

test('an empty vault gives an empty graph', () =>
  withServedVault({}, async (vault) => {
    const { status, text } = await get(vault, `${rootOf(vault)}api/graph`);
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text).data.notes, []);
  }));
