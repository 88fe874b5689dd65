// The laws of an embedding provider, and of Ollama's wire, against a real Ollama: `OLLAMA_HOST`, `OLLAMA_MODEL`; and what of answers
// no script is needed for, with `OLLAMA_CHAT_MODEL`.
// Without one it says on stdout that it did not run, and why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_REQUEST } from '../../src/contracts/llm.ts';
import type { ProviderContext } from '../../src/contracts/provider.ts';
import { probeCall } from '../../src/contracts/provider-call.ts';
import { ollamaEmbeddingProvider, ollamaLlmProvider } from '../../src/providers/ollama/ollama-providers.ts';
import { embeddingLaws } from '../contracts/embedding.ts';
import { ollamaChatWireLaws } from '../contracts/ollama-chat-wire.ts';
import { ollamaWireLaws } from '../contracts/ollama-wire.ts';

const USUAL_PORT = '11434';
/** Whoever runs is asked for nothing more than a list from memory. */
const FIND_LIMIT_MS = 5_000;

/** As Ollama itself reads the variable: scheme and port may be missing, and "wherever I listen" means this machine. */
function originOf(given: string): string {
  const [, scheme = 'http', rest = given] = /^(https?):\/\/(.*)$/.exec(given) ?? [];
  const url = new URL(`${scheme}://${rest.startsWith(':') ? `127.0.0.1${rest}` : rest}`);
  const hasPort = /:\d+\/?$/.test(rest) || given.includes('://');
  const host = url.hostname.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^\[::\]$/, '[::1]');
  return `${scheme}://${host}${hasPort ? (url.port === '' ? '' : `:${url.port}`) : `:${USUAL_PORT}`}`;
}

const ask = async (origin: string, path: string, body?: object): Promise<Response> =>
  fetch(origin + path, {
    signal: AbortSignal.timeout(FIND_LIMIT_MS),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });

const WORKS = {
  embedding: { does: 'embeds', get: 'ollama pull embeddinggemma' },
  completion: { does: 'chats', get: 'ollama pull llama3.2' },
} as const;

/** @returns the first model that says it can; throws what went wrong on the way to it */
async function findModel(origin: string, wanted: string | undefined, capability: keyof typeof WORKS): Promise<string> {
  const { models } = (await (await ask(origin, '/api/tags')).json()) as { models: { name: string }[] };
  const names = wanted === undefined ? models.map(({ name }) => name) : [wanted];
  for (const name of names) {
    const shown = (await (await ask(origin, '/api/show', { model: name })).json()) as { capabilities?: string[] };
    if (shown.capabilities?.includes(capability)) return name;
  }
  const { does, get } = WORKS[capability];
  throw new Error(`no model that ${does} among ${names.join(', ') || 'none'}; \`${get}\` gets one`);
}

const context: ProviderContext = {
  vaultRoot: '/nowhere',
  dataFolder: '/nowhere',
  stateFolder: '/nowhere',
  log: () => undefined,
};

function runLaws(origin: string, model: string): void {
  const close = (): Promise<void> => Promise.resolve();
  ollamaWireLaws(`Ollama at ${origin} with ${model}`, async () => ({ origin, model, close }));
  embeddingLaws(`the ollama provider with ${model}`, async () => {
    const config = ollamaEmbeddingProvider.config.parse({ model, endpoint: origin, allow_remote: true });
    const { capability } = await ollamaEmbeddingProvider.open(config, context, new AbortController().signal);
    return { provider: capability, close };
  });
}

function runChatLaws(origin: string, model: string): void {
  const close = (): Promise<void> => Promise.resolve();
  ollamaChatWireLaws(`Ollama at ${origin} with ${model}`, async () => ({ origin, model, close }));
  test(`the ollama provider of answers with ${model} answers the same twice, in the shape asked for`, async () => {
    const config = ollamaLlmProvider.config.parse({ model, endpoint: origin, allow_remote: true });
    const never = new AbortController().signal;
    const { capability } = await ollamaLlmProvider.open(config, context, never);
    await capability.warmUp(never);
    assert.equal(await capability.loaded(never), true);
    const { value } = await capability.generate(SAMPLE_REQUEST, probeCall(), never);
    assert.deepEqual((await capability.generate(SAMPLE_REQUEST, probeCall(), never)).value, value);
  });
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const host = process.env.OLLAMA_HOST || `127.0.0.1:${USUAL_PORT}`;
const origin = originOf(host);

async function run(capability: keyof typeof WORKS, wanted: string | undefined, laws: typeof runLaws): Promise<void> {
  try {
    const model = await findModel(origin, wanted, capability);
    say(`Running against ${origin} with ${model}.`);
    laws(origin, model);
  } catch (thrown) {
    const { message, cause } = thrown as Error & { cause?: { code?: string } };
    say(`NOT RUN: no real Ollama that ${WORKS[capability].does} was tested. Asked ${host}: ${cause?.code ?? message}.`);
  }
}

await run('embedding', process.env.OLLAMA_MODEL || undefined, runLaws);
await run('completion', process.env.OLLAMA_CHAT_MODEL || undefined, runChatLaws);
