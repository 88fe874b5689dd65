// Checks the evaluation on our own vault: its judgements, the order of the methods, and the figures in the manual.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { smallModel, writeModel } from '../fakes/model2vec-folder.ts';
import { publicVault } from '../markdown/links/vault-folder.ts';
import { evaluate, type Row } from './evaluate.ts';
import { judgementsFor, KINDS } from './judgements.ts';
import { tableOf } from './table.ts';

const ROOT = join(import.meta.dirname, '../..');
const OURS = join(ROOT, 'vault-fixtures/island');
const QUIET = { manner: { quiet: true } };
const JUDGED = ['foam-docs', 'oldwinter-zh', 'johngrib-ko', 'kepano'];

function figure(rows: readonly Row[], method: string) {
  const found = rows.find((row) => row.method.startsWith(method));
  assert.ok(found?.figures, method);
  return found.figures;
}

const onTask = (rows: readonly Row[], task: Row['task']) => rows.filter((row) => row.task === task);

test('every judged note exists, every kind of query occurs, and ids are unique', () => {
  const judged = judgementsFor(OURS);
  assert.deepEqual(new Set(judged.map(({ kind }) => kind)), new Set(KINDS));
  for (const folder of [
    OURS,
    ...JUDGED.map((name) => publicVault(name)).flatMap(({ folder, skip }) => (skip ? [] : folder)),
  ]) {
    const rows = judgementsFor(folder);
    assert.ok(rows.length >= 20, folder);
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    assert.equal(new Set(rows.map(({ query }) => query)).size, rows.length);
    for (const { id, right } of rows) {
      assert.ok([...right.values()].includes(3), `${id} has what was asked for`);
      for (const path of right.keys()) assert.ok(existsSync(join(folder, path)), `${id} ${path}`);
    }
  }
});

test('on our vault each tool beats plain BM25, and docs/searching.md shows these figures', async (context) => {
  const rows = await evaluate(OURS, QUIET);
  const [known, held] = [onTask(rows, 'known item'), onTask(rows, 'held-out links')];
  const [text, plain] = [figure(known, 'text'), figure(known, 'plain')];
  assert.ok(text.ndcg10 > plain.ndcg10 && text.recall20 > plain.recall20 && text.mrr > plain.mrr);
  assert.ok((text.kinds?.short ?? 0) > 0.9, 'a word of two characters finds its note');
  const [related, bm25] = [figure(held, 'related'), figure(held, 'plain')];
  context.diagnostic(`held-out links: ${related.ndcg10.toFixed(3)}, BM25 ${bm25.ndcg10.toFixed(3)}`);
  assert.ok(related.ndcg10 > bm25.ndcg10 + 0.096 && related.recall20 > bm25.recall20 && related.mrr > bm25.mrr);
  const dossier = figure(known, 'context');
  assert.ok(dossier.recall20 > 0.6 && (dossier.tokens ?? Number.POSITIVE_INFINITY) <= 2_000);
  assert.equal(known.find(({ method }) => method.startsWith('hybrid'))?.figures, undefined);
  const shown = /<!-- eval -->\n([\s\S]*?)<!-- \/eval -->/.exec(
    readFileSync(join(ROOT, 'docs/searching.md'), 'utf8'),
  )?.[1];
  const lines = new Set(shown?.split('\n'));
  for (const line of tableOf(rows).split('\n')) assert.ok(lines.has(line), `docs/searching.md lacks ${line}`);
});

test('with an embedding provider search and find_similar are measured too, and rejected texts are counted', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-model-'));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  writeModel(join(home, 'model'), smallModel());
  const embedding = join(home, 'config.yaml');
  const lines = [
    'vault: { path: elsewhere }',
    'providers:',
    `  embedding: { type: model2vec, model: ${join(home, 'model')} }`,
  ];
  writeFileSync(embedding, lines.join('\n'));
  const rows = await evaluate(OURS, { ...QUIET, embedding, mostNotes: 10 });
  for (const method of ['semantic (vectors', 'hybrid', 'semantic (find_similar)']) {
    const { ndcg10 } = figure(rows, method);
    assert.ok(ndcg10 > 0 && ndcg10 < 1, method);
  }
  // The model has no token for Chinese.
  assert.ok(figure(rows, 'hybrid').failed > 0);
  assert.match(tableOf(rows), /\(\d+ failed\)/);
});

/** The margins of TF-IDF over BM25 when it was chosen. */
const { folder, skip } = publicVault('foam-docs');
test('on the documentation of Foam find_related beats plain BM25 by the margin for which it was chosen', {
  skip,
}, async (context) => {
  const rows = onTask(await evaluate(folder, QUIET), 'held-out links');
  const [related, bm25] = [figure(rows, 'related').ndcg10, figure(rows, 'plain').ndcg10];
  context.diagnostic(`${related.toFixed(3)}, BM25 ${bm25.toFixed(3)}`);
  assert.ok(related > bm25 + 0.18, `${related} against ${bm25}`);
});
