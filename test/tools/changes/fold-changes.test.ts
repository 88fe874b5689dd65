// Folding the records of the feed into one entry per file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import type { FeedRecord } from '../../../src/contracts/feed.ts';
import { foldChanges } from '../../../src/tools/changes/fold-changes.ts';

type Given = Partial<Omit<FeedRecord, 'path' | 'from'>> & { readonly path: string; readonly from?: string };

const records = (given: readonly Given[]): FeedRecord[] =>
  given.map(({ path, from, ...rest }, at) => ({
    ...{
      seq: at + 1,
      at,
      kind: 'edited',
      fileKind: 'note',
      title: path,
      tags: [],
      before: `${at}`,
      after: `${at + 1}`,
    },
    ...rest,
    path: path as NotePath,
    ...(from !== undefined && { from: from as NotePath }),
  }));

const CASES: Readonly<Record<string, readonly [given: readonly Given[], folded: readonly string[]]>> = {
  'several edits are one, and the newest comes first': [
    [{ path: 'A' }, { path: 'B' }, { path: 'A' }],
    ['edited A 2', 'edited B 1'],
  ],
  'a note that is created and edited is created': [[{ kind: 'created', path: 'A' }, { path: 'A' }], ['created A 2']],
  'a note that is created and deleted is told': [
    [
      { kind: 'created', path: 'A' },
      { kind: 'deleted', path: 'A' },
    ],
    ['created_and_deleted A 2'],
  ],
  'a file at the old path of a move whose first half is before the period is another file': [
    [
      { seq: 9, kind: 'created', path: 'A', after: 'other' },
      { seq: 10, kind: 'moved', path: 'B', from: 'A', before: 'x', after: 'y', replaces: 4 },
    ],
    ['moved A B 1', 'created A 1'],
  ],
  'a file that is gone after its copy was listed before the period has moved': [
    [
      { seq: 9, path: 'A', after: 'x' },
      { seq: 10, kind: 'moved', path: 'B', from: 'A', before: 'x', after: 'x', replaces: 4 },
    ],
    ['moved A B 2'],
  ],
  'a chain of moves is one move': [
    [{ kind: 'moved', from: 'A', path: 'B' }, { path: 'B' }, { kind: 'moved', from: 'B', path: 'C' }],
    ['moved A C 3'],
  ],
  'a note that is moved and moved back is edited': [
    [
      { kind: 'moved', from: 'A', path: 'B' },
      { kind: 'moved', from: 'B', path: 'A' },
    ],
    ['edited A 2'],
  ],
  'a moved note that is then deleted was where it came from': [
    [
      { kind: 'moved', from: 'A', path: 'B' },
      { kind: 'deleted', path: 'B' },
    ],
    ['deleted A B 2'],
  ],
  'a note that came to the path of one whose move was recognized later is created': [
    [
      { kind: 'deleted', path: 'A', after: null },
      { kind: 'created', path: 'A', before: null },
      { path: 'A' },
      { kind: 'moved', from: 'A', path: 'B', replaces: 1 },
    ],
    ['moved A B 1', 'created A 2'],
  ],
  'a deletion that was the first half of a move is not told': [
    [
      { kind: 'deleted', path: 'A' },
      { kind: 'moved', from: 'A', path: 'B', replaces: 1 },
    ],
    ['moved A B 1'],
  ],
  'nor is a creation that was the first half': [
    [{ kind: 'created', path: 'B' }, { path: 'B' }, { kind: 'moved', from: 'A', path: 'B', replaces: 1 }],
    ['moved A B 2'],
  ],
  'both paths of a file are told if the first half of its move was listed before': [
    [
      { kind: 'moved', from: 'A', path: 'B', seq: 5, replaces: 2 },
      { path: 'B', seq: 6 },
      { kind: 'moved', from: 'B', path: 'C', seq: 7 },
      { kind: 'moved', from: 'C', path: 'D', seq: 8 },
    ],
    ['moved A D 4', 'moved B D 2'],
  ],
  'so it is if the next one was first seen as a deletion, and another note came to the path': [
    [
      { kind: 'moved', from: 'A', path: 'B', seq: 5, replaces: 2 },
      { kind: 'deleted', path: 'B', seq: 6, after: null },
      { kind: 'created', path: 'B', seq: 7, before: null },
      { kind: 'moved', from: 'B', path: 'C', seq: 8, replaces: 6 },
    ],
    ['moved A C 2', 'moved B C 1', 'created B 1'],
  ],
  'so they are if the file is back': [
    [
      { kind: 'moved', from: 'A', path: 'B', seq: 5, replaces: 2 },
      { kind: 'moved', from: 'B', path: 'A', seq: 6 },
    ],
    ['edited A 2', 'moved B A 1'],
  ],
  'a note that takes the place of a deleted one is another entry only if it was moved there': [
    [
      { kind: 'deleted', path: 'B' },
      { kind: 'moved', from: 'A', path: 'B' },
    ],
    ['moved A B 1', 'deleted B 1'],
  ],
  'a note that was moved to the path of one that was gone stays there if that one is recognized later': [
    [
      { kind: 'created', path: 'A', before: null },
      { kind: 'deleted', path: 'B', after: null },
      { kind: 'deleted', path: 'A', after: null },
      { kind: 'moved', from: 'B', path: 'A', replaces: 2 },
      { kind: 'moved', from: 'A', path: 'C', replaces: 3 },
    ],
    ['created C 2', 'moved B A 1'],
  ],
  'so it is if it has been moved on by then, or edited, or another one has been there in between': [
    [
      { kind: 'deleted', path: 'A', after: null },
      { kind: 'created', path: 'A', before: null },
      { kind: 'deleted', path: 'A', after: null },
      { kind: 'moved', from: 'B', path: 'A' },
      { path: 'A' },
      { kind: 'moved', from: 'A', path: 'D' },
      { kind: 'moved', from: 'A', path: 'C', replaces: 1 },
    ],
    ['moved A C 1', 'moved B D 3', 'created_and_deleted A 2'],
  ],
  'what was at the new path of a move before is told apart, if it is gone': [
    [
      { kind: 'deleted', path: 'B', after: null },
      { kind: 'created', path: 'B', before: null },
      { path: 'B' },
      { kind: 'moved', from: 'A', path: 'B', replaces: 2 },
    ],
    ['moved A B 2', 'deleted B 1'],
  ],
  'a move that was first seen as a creation begins where the file came from': [
    [
      { kind: 'created', path: 'C', before: null },
      { kind: 'moved', from: 'A', path: 'B' },
      { kind: 'moved', from: 'B', path: 'C', replaces: 1 },
    ],
    ['moved A C 2'],
  ],
  'a file that may be known at the path of an early half is told from there on': [
    [
      { kind: 'deleted', path: 'A', after: null },
      { kind: 'moved', from: 'A', path: 'B', replaces: 1 },
      { kind: 'moved', from: 'B', path: 'C' },
    ],
    ['moved A C 2', 'moved B C 1'],
  ],
  'a note that is back with the same text is restored': [
    [
      { kind: 'deleted', path: 'A', before: 'x', after: null },
      { kind: 'created', path: 'A', before: 'x', after: 'x', replaces: 1 },
    ],
    ['restored A 1'],
  ],
};

describe('folding changes', () => {
  for (const [title, [given, expected]] of Object.entries(CASES))
    it(title, async () => {
      const folded = (await foldChanges(records(given))).map(({ kind, from, path, records: own }) =>
        [kind, ...(from ? [from] : []), path, own.length].join(' '),
      );
      assert.deepEqual(folded, expected);
    });

  it('takes the file at an old path for another one if it came there before the period, or stayed in it', async () => {
    const told: Given[] = [{ seq: 9, kind: 'moved', path: 'B', from: 'A', replaces: 4 }];
    const came: Given[] = [
      { seq: 8, kind: 'moved', path: 'A', from: 'C', after: 'x' },
      { ...told[0], path: 'B', before: 'x' },
    ];
    const shown = async (given: readonly Given[]) =>
      (await foldChanges(records(given), new Set(['A']))).map(({ kind, from, path }) => [kind, from, path]);
    assert.deepEqual(await shown(told), [['created', undefined, 'B']]);
    assert.deepEqual(await shown(came), [
      ['moved', 'A', 'B'],
      ['moved', 'C', 'A'],
    ]);
  });

  it('adds up lines by sections, and none where one edit has none', async () => {
    const lines = (heading: string) => ({
      added: 1,
      removed: 2,
      sections: [{ heading, added: 1, removed: 2 }],
      sectionCount: 1,
    });
    const [sum] = await foldChanges(
      records([
        { path: 'A', lines: lines('x') },
        { path: 'A', lines: lines('x') },
      ]),
    );
    assert.deepEqual(sum?.lines, {
      added: 2,
      removed: 4,
      sections: [{ heading: 'x', added: 2, removed: 4 }],
      sectionCount: 1,
    });
    const [unknown] = await foldChanges(records([{ path: 'A', lines: lines('x') }, { path: 'A' }]));
    assert.equal(unknown?.lines, undefined);
  });
});
