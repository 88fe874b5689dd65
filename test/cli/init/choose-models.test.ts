// Checks which installed models `init` offers, and what an empty answer chooses.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { chooseModels } from '../../../src/cli/init/first-config.ts';
import { askPerson } from '../../../src/cli/init/questions.ts';

const INSTALLED = { embedding: ['embeddinggemma', 'nomic'], llm: ['llama3.2', 'qwen3'] };
const WANTED = { endpoint: 'http://127.0.0.1:11434' };

async function chosenWith(answers: readonly string[]): Promise<readonly (string | undefined)[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const person = askPerson(input, output);
  const left = [...answers];
  // Each question ends with a colon and a space.
  output.on('data', (shown: Buffer) => {
    if (/: $/.test(String(shown))) input.write(`${left.shift() ?? ''}\n`);
  });
  const { embedding, llm } = await chooseModels(WANTED, INSTALLED, person);
  person.close();
  return [embedding?.model, llm?.model];
}

test('every installed model can be chosen; empty answers choose an embedding model and no language model', async () => {
  assert.deepEqual(await chosenWith(['', '']), ['embeddinggemma', undefined]);
  assert.deepEqual(await chosenWith(['2', '3']), ['nomic', 'qwen3']);
  assert.deepEqual(await chosenWith(['3', '2']), [undefined, 'llama3.2']);
});

test('without questions the first embedding model is chosen, and no language model', async () => {
  const { embedding, llm } = await chooseModels(WANTED, INSTALLED, undefined);
  assert.deepEqual([embedding?.model, llm], ['embeddinggemma', undefined]);
});
