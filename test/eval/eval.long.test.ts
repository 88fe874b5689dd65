// Checks the evaluation on our own vault: its judgements, the order of the methods, and the figures in the manual.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { smallModel, writeModel } from '../fakes/model2vec-folder.ts';
import { publicVault } from '../markdown/links/vault-folder.ts';
import { evaluate, type Row } from './evaluate.ts';
import { judgedVault, KINDS } from './judgements.ts';
import { detailsOf, setsOf, tableOf } from './table.ts';

const ROOT = join(import.meta.dirname, '../..');
const OURS = join(ROOT, 'vault-fixtures/island');
const QUIET = { manner: { quiet: true } };
const JUDGED = ['foam-docs', 'oldwinter-zh', 'johngrib-ko', 'kepano'];

function figure(rows: readonly Row[], method: string, queries = 'all') {
  const found = rows.find((row) => row.method.startsWith(method) && row.queries === queries);
  assert.ok(found?.figures, method);
  return found.figures;
}

const onTask = (rows: readonly Row[], task: Row['task']) => rows.filter((row) => row.task === task);

test('every judged note exists, every kind of query occurs, and ids are unique', () => {
  const { judged } = judgedVault(OURS);
  assert.deepEqual(new Set(judged.map(({ kind }) => kind)), new Set(KINDS));
  for (const folder of [
    OURS,
    ...JUDGED.map((name) => publicVault(name)).flatMap(({ folder, skip }) => (skip ? [] : folder)),
  ]) {
    const rows = judgedVault(folder).judged;
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
  assert.ok(text.ndcg10 > plain.ndcg10 && text.recall5 > plain.recall5 && text.mrr > plain.mrr);
  assert.ok(figure(known, 'text', 'short').ndcg10 > 0.9, 'a word of two characters finds its note');
  const [related, bm25] = [figure(held, 'related'), figure(held, 'plain')];
  context.diagnostic(`held-out links: ${related.ndcg10.toFixed(3)}, BM25 ${bm25.ndcg10.toFixed(3)}`);
  assert.ok(related.ndcg10 > bm25.ndcg10 + 0.096 && related.recall5 > bm25.recall5 && related.mrr > bm25.mrr);
  const dossier = figure(known, 'context');
  assert.ok(dossier.recall5 > 0.6 && (dossier.tokens ?? Number.POSITIVE_INFINITY) <= 2_000);
  assert.equal(known.find(({ method }) => method.startsWith('hybrid'))?.figures, undefined);
  const shown = /<!-- eval -->\n([\s\S]*?)<!-- \/eval -->/.exec(
    readFileSync(join(ROOT, 'docs/searching.md'), 'utf8'),
  )?.[1];
  const lines = new Set(shown?.split('\n'));
  for (const line of tableOf(rows).split('\n')) assert.ok(lines.has(line), `docs/searching.md lacks ${line}`);
});

test('with an embedding provider search and find_similar are measured too, and no question is refused', async (context) => {
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
  // The model has no token for Chinese: search answers these questions by words.
  assert.equal(figure(rows, 'hybrid').refused, 0);
});

test('a folder with notes/ and queries.json is measured by its own questions, whole, by halves and by kind', async (context) => {
  const set = mkdtempSync(join(tmpdir(), 'vaultgraph-set-'));
  context.after(() => rmSync(set, { recursive: true, force: true }));
  mkdirSync(join(set, 'notes'));
  writeFileSync(join(set, 'notes', 'Tides.md'), 'The water of the harbour rises twice a day.');
  writeFileSync(join(set, 'notes', 'Bread.md'), 'Flour and water rest for a night.');
  const queries = [
    {
      id: 'a',
      kind: 'question',
      query: 'When does the harbour rise?',
      notes: { 'Tides.md': 3 },
      answers: ['TWICE  a day'],
    },
    { id: 'b', kind: 'word', query: 'flour', notes: { 'Bread.md': 3 }, answers: ['a year'], more: 'keys are allowed' },
    { id: 'c', kind: 'word', query: '', notes: { 'Bread.md': 3 } },
  ];
  writeFileSync(join(set, 'queries.json'), JSON.stringify(queries));
  const rows = await evaluate(set, QUIET);
  assert.deepEqual([...new Set(rows.map(({ queries }) => queries))], ['all', 'even', 'odd', 'question', 'word']);
  assert.deepEqual(new Set(rows.map(({ task }) => task)), new Set(['known item']));
  for (const method of ['text', 'context']) {
    const { ndcg5, refused, lead } = figure(rows, method);
    assert.deepEqual([ndcg5, refused, lead?.mean], [2 / 3, 1, 0], method);
    assert.equal(figure(rows, method).answered, 1 / 2, method);
    assert.deepEqual([figure(rows, method, 'odd').ndcg5, figure(rows, method, 'question').refused], [1, 0], method);
  }
  const [first] = await evaluate(set, { ...QUIET, mostQueries: 2 });
  assert.equal(first?.n, 2);
  const again = (await evaluate(set, QUIET)).map(withoutTime);
  assert.deepEqual(again, rows.map(withoutTime));
  assert.match(detailsOf(rows), /\| word \| 2 \(1 refused\) \|/);
  const [, , line = ''] = setsOf(rows).split('\n');
  assert.deepEqual(line.split(' | ').slice(1, 11), [
    'English',
    '3',
    ...['0.667', '0.667', '', '', '0.667'],
    ...['0.500', '', '0.500'],
  ]);
  assert.match(line, /\| \d+\.\d \| {2}\| \d+\.\d \|$/);
});

const withoutTime = ({ figures, ...row }: Row) => ({ ...row, figures: figures && { ...figures, p50Ms: 0 } });

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
