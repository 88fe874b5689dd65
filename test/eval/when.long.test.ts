// Where the question set is beside the checkout: the day of the right note is among the first five passages of a timeline.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withVault } from './opened-vault.ts';

const DIARY = join(import.meta.dirname, '../../../shared/eval/diary');

interface Asked {
  readonly query: string;
  readonly notes: Readonly<Record<string, number>>;
}

interface Entry {
  readonly path: string;
  readonly date: string;
  readonly note_date?: string;
}

/** The notes are called as their days. */
const dayOf = (path: string): string => path.slice(-'2023-05-08.md'.length, -'.md'.length);

test('the day of the right note is among the first five passages for 90 % of the questions that ask when', {
  skip: !existsSync(DIARY),
}, async (context) => {
  const asked: readonly Asked[] = JSON.parse(readFileSync(join(DIARY, 'queries.json'), 'utf8'));
  const when = asked.filter(({ query }) => /^when\b/i.test(query));
  assert.ok(when.length > 50, String(when.length));
  await withVault(join(DIARY, 'notes'), undefined, {}, async ({ ask }) => {
    let found = 0;
    for (const { query: topic, notes } of when) {
      const { entries }: { readonly entries: readonly Entry[] } = await ask('get_timeline', { topic });
      const isRight = ({ path, date, note_date = date }: Entry): boolean => path in notes && note_date === dayOf(path);
      if (entries.slice(0, 5).some(isRight)) found += 1;
    }
    context.diagnostic(`${found} of ${when.length}`);
    assert.ok(found / when.length >= 0.9, `${found} of ${when.length}`);
  });
});
