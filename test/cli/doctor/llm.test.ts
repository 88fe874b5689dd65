// Checks what `vaultgraph doctor` reports about a language-model provider on loopback, each finding with a hint.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { doctorChecks } from '../../../src/cli/doctor/checks.ts';
import { hang } from '../../fakes/http/faults.ts';
import { endedBy } from '../../fakes/ollama/chat-faults.ts';
import { CHATTING } from '../../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../../fakes/ollama-server.ts';
import { startOpenai } from '../../fakes/openai-server.ts';

const TINY = join(import.meta.dirname, '../../../vault-fixtures/tiny');
const CHAT = '/api/chat';

/** @param providers the YAML below `providers:`, for the server's address */
async function place(
  context: TestContext,
  providers: (origin: string) => string = (origin) =>
    `  llm: { type: ollama, model: llama3.2, endpoint: ${origin}, timeout: 4000, load_timeout: 4000 }\n`,
) {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-doctor-'));
  const server = await startOllama({ models: [{ ...CHATTING, loadMs: 100 }] });
  context.after(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });
  cpSync(TINY, join(home, 'Notes'), { recursive: true });
  const config = join(home, 'config.yaml');
  writeFileSync(config, `vault: { path: Notes }\nproviders:\n${providers(server.origin)}`);
  const check = async () => {
    const found = doctorChecks({ config, dataDir: join(home, 'data') }).find((each) => each.name === 'llm');
    assert.ok(found);
    return found.run();
  };
  return { server, check };
}

test('without the config section there are no findings', async (context) => {
  const { check, server } = await place(context, () => '  store: { type: sqlite }\n');
  assert.deepEqual(await check(), {
    status: 'ok',
    detail: 'not configured; providers.llm adds summarize_notes, ask_vault and others',
    hint: 'nothing to do',
  });
  assert.equal(server.requests.length, 0);
});

test('a healthy model is loaded and called once, for one word that no note contains', async (context) => {
  const { check, server } = await place(context);
  const { status, detail } = await check();
  assert.equal(status, 'ok', detail);
  assert.match(detail, /^providers\.llm ollama llama3\.2: reachable, Ollama 0\.33\.0 answers/);
  assert.match(
    detail,
    /; model present and able to chat, .*; answers follow the JSON schema, once the model was loaded$/,
  );
  const [, requested] = server.requestsTo(CHAT);
  assert.match(requested?.body.messages[1].content, /^<text>harbour<\/text>$/);
});

test('a server that reads less than the config says is measured, with advice', async (context) => {
  const openai = await startOpenai({ flavour: 'ollama', model: 'llama3.2', contextTokens: 4_096 });
  context.after(() => openai.close());
  const section = `type: openai-compatible, model: llama3.2, endpoint: ${openai.endpoint}`;
  const { check } = await place(context, () => `  llm: { ${section} }\n`);
  const { status, detail, hint } = await check();
  assert.equal(status, 'warning', detail);
  assert.match(detail, /; it reads 4096 of the 8192 tokens in `context`; answers follow the JSON schema/);
  assert.match(hint, /^load the model with a context of 8192 tokens, or set providers\.llm\.context to 4096$/);
  openai.change({ contextTokens: 8_192 });
  const whole = await check();
  assert.equal(whole.status, 'ok', whole.detail);
  assert.match(whole.detail, /; it reads 8192 tokens; answers/);
});

const FAILING: readonly {
  readonly name: string;
  readonly spoil: (server: OllamaServer) => unknown;
  readonly detail: RegExp;
  readonly hint: RegExp;
}[] = [
  {
    name: 'a closed port',
    spoil: (server) => server.refuse(),
    detail: /: not reachable: \[PROVIDER_UNAVAILABLE\] cannot reach .+: is it running\?/,
    hint: /^start ollama there, or correct providers\.llm\.endpoint$/,
  },
  {
    name: 'a missing model',
    spoil: (server) => server.remove('llama3.2'),
    detail: /; the model is missing or cannot chat: \[PROVIDER_MODEL_MISSING\]/,
    hint: /^run `ollama pull llama3\.2`, or name another model in providers\.llm\.model$/,
  },
  {
    name: 'P11 a model that cannot chat',
    spoil: (server) => server.install({ name: 'llama3.2' }),
    detail: /; the model is missing or cannot chat: \[PROVIDER_MODEL_UNSUITABLE\]/,
    hint: /providers\.llm\.model/,
  },
  {
    name: 'a model that hangs during loading',
    spoil: (server) => server.fail(hang(), { on: CHAT }),
    detail: /; answers do not follow the JSON schema: \[PROVIDER_TIMEOUT\]/,
    hint: /providers\.llm\.load_timeout/,
  },
  {
    name: 'a truncated answer',
    spoil: (server) => server.fail(endedBy('length'), { on: CHAT, when: ({ body }) => body.messages.length > 0 }),
    detail: /; answers do not follow the JSON schema: \[PROVIDER_BAD_RESPONSE\]/,
    hint: /./,
  },
];

for (const { name, spoil, detail, hint } of FAILING)
  test(`${name} is reported at its level with a hint`, async (context) => {
    const { server, check } = await place(context);
    await spoil(server);
    const found = await check();
    assert.equal(found.status, 'failing', found.detail);
    assert.match(found.detail, detail);
    assert.match(found.status === 'failing' ? found.hint : '', hint);
  });
