// Long texts are read and edited on the compute thread: with the results, the refusals and the errors of the caller's thread.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import type { NotePath } from '../../src/base/note.ts';
import { jobs } from '../../src/compute/jobs.ts';
import { createCompute } from '../../src/compute/offload.ts';
import type { Compute } from '../../src/contracts/compute.ts';
import { assertEach } from '../assert-each.ts';

const never = new AbortController().signal;
let threads = 0;
const count = (): number => (threads += 1);
before(() => process.on('worker', count));
after(() => process.off('worker', count));

const FILLING = 'A line of the long note, as many others.\n';
const TEXT =
  '# Log\n\nThe tide and the Old Harbour of Bergen.\n\n## Day\n\nEbb.\n\n## Day\n\n- [ ] look at [[Hub]]\n\n';
const LONG = TEXT + FILLING.repeat(3_000);

/** What the job answers or refuses, about the short text and the long one. */
async function both(work: (compute: Compute, text: string) => Promise<unknown>): Promise<readonly unknown[]> {
  const compute = createCompute();
  const started = threads;
  try {
    const outcomes: unknown[] = [];
    for (const [text, expected] of [
      [TEXT, 0],
      [LONG, 1],
      [LONG, 1],
    ] as const) {
      const [outcome] = await Promise.allSettled([work(compute, text)]);
      outcomes.push(outcome.status === 'fulfilled' ? outcome.value : failure(outcome.reason));
      assert.equal(threads - started, expected, 'only long texts need a thread, and a refusal does not end it');
    }
    return outcomes;
  } finally {
    await compute.close();
  }
}

function failure(thrown: unknown) {
  assert.ok(thrown instanceof VaultgraphError, String(thrown));
  const { code, details, retry, choices, message } = thrown;
  return { code, details, retry, choices, message };
}

test('edits, properties and diffs', async () => {
  const edits = [{ op: 'append', target: '#Log', text: 'Flood.' }] as const;
  const [short, long] = await both((compute, text) => compute.run(jobs.edit, { path: 'A.md', text, edits }, never));
  assert.equal((long as { text: string }).text, `${(short as { text: string }).text}${FILLING.repeat(3_000)}`);
  const changes = { set: { a: 1 }, remove: ['b'] };
  const [named, longer] = await both((compute, text) =>
    compute.run(jobs.properties, { path: 'A.md', text, changes }, never),
  );
  const { text, notices } = named as { text: string; notices: string[] };
  assert.deepEqual(longer, { text: `${text}${FILLING.repeat(3_000)}`, notices });
  const [diff, other] = await both((compute, before) => {
    const files = [{ from: 'A.md', to: 'A.md', before, after: before.replace('Ebb', 'Flood') }];
    return compute.run(jobs.diff, { files, longest: 10_000 }, never);
  });
  assert.deepEqual(other, diff);
});

test('an edit compares both texts of a note or canvas as the comparison itself does', async (t) => {
  const compute = createCompute();
  t.after(() => compute.close());
  const edits = [{ op: 'append', text: 'See [[New]] and [[Old#a]].\n\n## More ^id' }] as const;
  for (const text of [
    '',
    '---\naliases: [A]\n---\n[[Old#a]] and [[Old]]\n# Day\n',
    `[[Old]]\n\n${FILLING.repeat(3_000)}`,
  ]) {
    const edited = await compute.run(jobs.edit, { path: 'A.md', text, edits }, never);
    const given = { path: 'A.md', before: text, after: edited.text };
    assert.deepEqual(edited.changes, await compute.run(jobs.compare_texts, given, never));
    assert.ok(edited.changes.links.some(({ link }) => link === 'New'));
    assert.deepEqual(edited.changes.dropped, []);
  }
  const given = { path: 'A.md', before: '[[A]] [[B]] [[A]] [[C]]', after: '[[B]] [[C]] [[A]] [[D]]' };
  const compared = await compute.run(jobs.compare_texts, given, never);
  assertEach(compared.links, ({ link }) => link, ['D']);
  const lost = await compute.run(jobs.compare_texts, { ...given, after: '[[B]] [[D]] [[C]]' }, never);
  assert.deepEqual(lost.dropped, ['A']);
  const text = JSON.stringify({ nodes: [{ id: 'a', type: 'text', text: '[[Old]]', x: 0, y: 0, width: 1, height: 1 }] });
  const canvas = await compute.run(
    jobs.edit,
    { path: 'A.canvas', text, edits: [{ op: 'append', target: '#^a', text: '[[New]]' }] },
    never,
  );
  assertEach(canvas.changes.links, ({ link }) => link, ['New']);
});

test('a refusal comes back with its code, details and choices', async () => {
  const edits = [{ op: 'append', target: '#Day', text: 'Flood.' }] as const;
  const [short, long, again] = await both((compute, text) =>
    compute.run(jobs.edit, { path: 'A.md', text, edits }, never),
  );
  assert.equal((short as { code: string }).code, 'EDIT_TARGET_AMBIGUOUS');
  assert.equal((short as { choices: { total: number } }).choices.total, 2);
  assert.deepEqual(long, short);
  assert.deepEqual(again, short);
});

test('mentions, names, tasks, quotes and links to insert', async () => {
  const names = ['Old Harbour', 'tide', 'Hub', 'Bergen'];
  const given = { names, from: 0, to: Number.POSITIVE_INFINITY, quotes: ['the Old\nHarbour', 'ebb', 'Ebb'] };
  const targets = [
    { path: 'Tide.md', spelling: 'Tide', words: 'tide' },
    { path: 'Ebb.md', spelling: undefined, words: 'Ebb' },
    { path: 'Hub.md', spelling: 'Hub', words: 'no such words' },
  ];
  for (const work of [
    (compute: Compute, text: string) =>
      compute.run(jobs.mentions, { text, names, skip: 1, limit: 1, maxSentence: 200 }, never),
    (compute: Compute, text: string) => compute.run(jobs.names, { text, names }, never),
    (compute: Compute, text: string) => compute.run(jobs.tasks, { text }, never),
    (compute: Compute, text: string) => compute.run(jobs.quotes, { ...given, text }, never),
    (compute: Compute, text: string) => compute.run(jobs.insert, { ...given, text, targets, maxSentence: 200 }, never),
  ]) {
    const [short, long] = await both(work);
    assert.deepEqual(long, short);
    assert.notDeepEqual(short, []);
  }
});

test('sections and chunks begin alike', async () => {
  const part = { title: 'Log', from: 0, firstLine: 1, maxTokens: 40, limit: 1 };
  const [short, long] = await both((compute, text) =>
    compute.run(jobs.sections, { ...part, text, to: text.length }, never),
  );
  assert.deepEqual(long, short);
  const terms = [{ text: 'ebb', kind: 'word' }] as const;
  const [lines] = await both((compute, text) =>
    compute.run(jobs.chunks, { notes: [{ title: 'Log', text }], terms }, never),
  );
  assert.deepEqual(lines, [[1, 11]]);
});

test('links that follow a move', async () => {
  const path = (name: string): NotePath => name as NotePath;
  const compute = createCompute();
  try {
    const followed = await compute.run(
      jobs.follow,
      {
        ...{ path: path('A.md'), bytes: Buffer.from(LONG), earlier: undefined, isLinking: true },
        ...{
          moved: new Map([[path('Hub.md'), path('Centre.md')]]),
          paths: [path('A.md'), path('Centre.md')],
          existing: [],
        },
      },
      never,
    );
    assert.equal(followed?.file.changed?.after, LONG.replace('[[Hub]]', '[[Centre]]'));
    assert.equal(Buffer.from(followed?.file.changed?.bytes ?? []).toString(), followed?.file.changed?.after);
    assert.deepEqual([followed?.broken, followed?.unparsed], [[], []]);
  } finally {
    await compute.close();
  }
});
