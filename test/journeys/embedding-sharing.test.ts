// S8: rebuilds and switches the vectors while another server on the same index searches them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddedSession, ollamaFor, outcomeOf, search } from './embedding-session.ts';
import { type Answer, openSession } from './session.ts';

const SWITCHES = 4;

/** Repeats one query until `isOver`, and returns the answers. */
async function whileUnder(isOver: () => boolean, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (!isOver()) answers.push(await ask());
  return answers;
}

const generations = (answers: readonly Answer[]): number[] =>
  answers.flatMap(({ structured }) => (structured.ok ? [structured.meta.index.generation as number] : []));

test('S8 during the switch a search of another server uses the old or the new vectors, and the next one the new vectors', async (context) => {
  const ollama = await ollamaFor(context);
  const leader = await embeddedSession(context, ollama);
  const follower = await openSession(context, leader);
  assert.equal(outcomeOf(await search(follower)), 'ok');
  let isOver = false;
  const hybrid = whileUnder(
    () => isOver,
    () => search(follower),
  );
  const similar = whileUnder(
    () => isOver,
    () => follower.call('find_similar', { note: 'Harbour' }),
  );
  for (let at = 1; at <= SWITCHES; at += 1) {
    ollama.change('embeddinggemma', { digest: `${at}${at + 4}`.repeat(32) });
    const job = (await leader.call('reindex', { wait_ms: 20_000 })).structured.data;
    assert.equal(job.embedding.state, 'succeeded', JSON.stringify(job));
  }
  isOver = true;
  const [searched, compared] = [await hybrid, await similar];
  // Between the pull of another model and its new vectors, a query cannot be compared with anything.
  for (const answer of searched) assert.ok(['ok', 'EMBEDDER_MISMATCH'].includes(outcomeOf(answer)), answer.text);
  for (const answer of compared) {
    assert.equal(outcomeOf(answer), 'ok', answer.text);
    assert.notDeepEqual(answer.structured.data.related, [], answer.text);
  }
  for (const seen of [generations(searched), generations(compared)])
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => one - other),
    );
  const last = await search(follower);
  assert.equal(outcomeOf(last), 'ok', last.text);
  assert.ok(last.structured.meta.index.generation > (generations(compared)[0] ?? 0), last.text);
  assert.equal(last.structured.meta.index.writer, 'other');
});
