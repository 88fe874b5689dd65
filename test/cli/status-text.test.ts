// Checks the text of `vaultgraph status`: one short line for each part, what to run, and every problem.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StatusData, statusText } from '../../src/cli/status-command.ts';

const STORE = { capability: 'store', type: 'sqlite', ok: true, detail: '12 notes indexed' };
const INDEX = { complete: true, as_of: '2026-11-22T10:00:00.000Z', total: 12, indexed: 12, pending: 0 };
const SEEN: StatusData = {
  vault: { access: 'read-only' },
  capabilities: { present: [STORE] },
  index: INDEX,
  counts: { notes: 11, links: 30, unresolved: 2 },
};

test('a current index without models', () => {
  const [vault, index, compared, ...others] = statusText(SEEN, '/notes').split('\n');
  assert.equal(vault, 'vault      /notes (read-only)');
  assert.equal(index, 'index      11 notes, 30 links (2 unresolved)');
  assert.match(compared ?? '', /compared with the vault at 2026-11-\d\d \d\d:00; run `vaultgraph index` to add what/);
  assert.deepEqual(others, [
    'server     none keeps the index up to date now',
    'embedding  off (providers.embedding in the config turns it on)',
    'llm        off (providers.llm in the config turns it on)',
    'rerank     off (providers.rerank in the config turns it on)',
    '',
  ]);
});

test('a vault that was never indexed, and one that is being indexed', () => {
  const first = { complete: false, total: 0, indexed: 0, pending: 0 };
  const never = statusText({ ...SEEN, index: first }, '/notes');
  assert.match(never, /^index +no notes are indexed yet: run `vaultgraph index`, or start the server$/m);
  const holder = { client: 'Claude', pid: 7 };
  const building = statusText({ ...SEEN, index: { ...first, total: 9, indexed: 4, holder } }, '/notes');
  assert.match(building, /^index +the first index is being built: 4 of 9 notes$/m);
  assert.match(building, /^server +Claude \(process 7\) keeps the index up to date$/m);
});

test('vectors of another model, and an index that cannot be written', () => {
  const model = { capability: 'embedding', type: 'ollama', model: 'new', ok: true, detail: 'reachable' };
  const detail = '12 notes indexed; read from a private copy of 10:00, as its folder cannot be written';
  const vectors = { role: 'main', model: 'old', state: 'mismatched', embedded: 11, total: 11 };
  const seen = { ...SEEN, capabilities: { present: [{ ...STORE, detail }, model] }, embedding: [vectors] };
  const text = statusText(seen, '/notes');
  assert.match(
    text,
    /^embedding +ollama new: reachable\n +11 of 11 notes embedded with old by another model, so that/m,
  );
  assert.match(text, /^ +read from a private copy of 10:00, as its folder cannot be written$/m);
  assert.doesNotMatch(text, /vaultgraph index/);
});

test('how well the model suits the notes is shown with its date', () => {
  const model = { capability: 'embedding', type: 'model2vec', model: 'm', ok: true, detail: 'ready' };
  const fit = {
    measured_at: '2026-11-22T12:00:00.000Z',
    sentences: 50,
    found: 12,
    unknown_tokens: 0.554,
    poor: true,
  } as const;
  const vectors = { role: 'main', model: 'm', state: 'active', embedded: 60, total: 60, fit };
  const text = statusText({ ...SEEN, capabilities: { present: [STORE, model] }, embedding: [vectors] }, '/notes');
  assert.match(
    text,
    /12 of 50 sentences find their own note by meaning; 55 % of their tokens are unknown.*at 2026-11-2\d/,
  );
});

test('what cannot be read now is not described as an empty index that nobody keeps', () => {
  const first = { complete: false, total: 0, indexed: 0, pending: 0, holder_unknown: true };
  const unavailable = [{ part: 'counts', code: 'STORE_BUSY', message: 'locked' }];
  const text = statusText({ ...SEEN, index: first, unavailable }, '/notes');
  assert.match(text, /^index +it cannot be read now\nserver +which server .* cannot be read now$/m);
  assert.match(text, /counts cannot be shown: \[STORE_BUSY\] locked/);
});

test('every problem has a line', () => {
  const text = statusText(
    {
      ...SEEN,
      capabilities: { present: [{ ...STORE, ok: false, detail: 'gone' }] },
      quarantine: [{ path: 'Torn.canvas', code: 'CANVAS_INVALID', reason: 'no JSON' }],
      quarantine_total: 3,
      state_folder: { path: '~/state', errno: 'EACCES' },
      recovery: { unfinished: ['c1'] },
      last_crash: { time: '2026-11-22T10:00:00.000Z', kind: 'RangeError' },
      unavailable: [{ part: 'jobs', code: 'STORE_BUSY', message: 'locked' }],
    },
    '/notes',
  );
  const [, problems = ''] = text.split('problems   ');
  assert.deepEqual(
    problems
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME')
      .trimEnd()
      .split(/\n +/),
    [
      'Torn.canvas: [CANVAS_INVALID] no JSON',
      'and 2 others not read completely',
      'store: gone',
      '~/state cannot be written (EACCES): no note can be changed',
      'the change c1 is not finished',
      'a server crashed at TIME: RangeError',
      'jobs cannot be shown: [STORE_BUSY] locked',
    ],
  );
});
