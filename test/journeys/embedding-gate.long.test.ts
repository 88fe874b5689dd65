// Checks the gate with an embedding provider in every state: the tool list depends only on the config, and each call reports the exact fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '../fakes/http/exchange.ts';
import { hang, html } from '../fakes/http/faults.ts';
import { vectors } from '../fakes/ollama/faults.ts';
import type { OllamaServer } from '../fakes/ollama-server.ts';
import { assertTextToolsWork, embeddedSession, ollamaFor, outcomeOf, search } from './embedding-session.ts';
import { listedTools } from './listed-tools.ts';
import { openSession, type Session } from './session.ts';

/** Long enough for any healthy call on a busy machine. */
const LIMIT_MS = 6_000;

interface State {
  readonly name: string;
  /** Puts the provider into the state; the vault was embedded while the provider was healthy. */
  readonly bring: (ollama: OllamaServer) => Promise<void> | void;
  readonly code: string;
}

const on = (fault: Fault, path?: string) => (ollama: OllamaServer) => ollama.fail(fault, path ? { on: path } : {});

const STATES: readonly State[] = [
  { name: 'up', bring: () => undefined, code: 'ok' },
  { name: 'down', bring: (ollama) => ollama.refuse(), code: 'PROVIDER_UNAVAILABLE' },
  { name: 'hanging', bring: on(hang()), code: 'PROVIDER_TIMEOUT' },
  { name: 'hanging during embedding', bring: on(hang(), '/api/embed'), code: 'PROVIDER_TIMEOUT' },
  { name: 'answering with HTML', bring: on(html(200)), code: 'PROVIDER_BAD_RESPONSE' },
  { name: 'returning one vector too few', bring: on(vectors.oneTooFew(), '/api/embed'), code: 'PROVIDER_BAD_RESPONSE' },
  {
    name: 'returning null in its vectors',
    bring: on(vectors.nanAsNull('every'), '/api/embed'),
    code: 'PROVIDER_BAD_RESPONSE',
  },
  { name: 'without the model', bring: (ollama) => ollama.remove('embeddinggemma'), code: 'PROVIDER_MODEL_MISSING' },
];

async function assertState(session: Session, { name, code }: State): Promise<void> {
  assert.deepEqual(await session.toolNames(), listedTools({ embedding: true }), name);
  const answer = await search(session);
  assert.equal(outcomeOf(answer), code, `${name}: ${answer.text}`);
  await assertTextToolsWork(session);
  assert.deepEqual(await session.toolNames(), listedTools({ embedding: true }), name);
}

async function backToHealth(ollama: OllamaServer): Promise<void> {
  ollama.heal();
  ollama.install({});
  await ollama.refuse();
  await ollama.reopen();
}

for (const state of STATES) {
  test(`gate: embedding ${state.name} while the server runs, and healthy again without a restart`, async (context) => {
    const ollama = await ollamaFor(context);
    const session = await embeddedSession(context, ollama, { embedding: `timeout: ${LIMIT_MS}` });
    await state.bring(ollama);
    await assertState(session, state);
    await backToHealth(ollama);
    assert.equal(outcomeOf(await search(session)), 'ok');
  });

  test(`gate: embedding ${state.name} at the start`, async (context) => {
    const ollama = await ollamaFor(context);
    const first = await embeddedSession(context, ollama, { embedding: `timeout: ${LIMIT_MS}` });
    await first.close();
    await state.bring(ollama);
    const session = await openSession(context, first);
    await assertState(session, state);
    await backToHealth(ollama);
    assert.equal(outcomeOf(await search(session)), 'ok');
  });
}

test('a hanging provider does not delay initialize, tools/list or other tools', async (context) => {
  const ollama = await ollamaFor(context);
  // The server waits longer for the provider than this client for an answer, which is 60 s.
  const first = await embeddedSession(context, ollama, { embedding: 'timeout: 290000, load_timeout: 290000' });
  await first.close();
  ollama.fail(hang());
  const session = await openSession(context, first);
  await session.toolNames();
  let isSearching = true;
  const searching = search(session).then(
    () => {
      isSearching = false;
    },
    () => undefined,
  );
  // `status` probes the provider for at most 1.5 s; calls that need only the index must not be delayed.
  for (let round = 0; round < 20; round += 1) {
    assert.equal(outcomeOf(await session.call('search_text', { query: 'tide' })), 'ok');
    assert.equal(outcomeOf(await session.call('get_neighbors', { note: 'Harbour' })), 'ok');
  }
  assert.ok(isSearching, 'the provider still hangs');
  await session.close();
  await searching;
});
