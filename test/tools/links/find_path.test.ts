// find_path over a real vault: directed and undirected, several chains, none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPath } from '../../../src/tools/links/find_path.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = {
  'A.md': '[[B]] [[C]] ![[pic.png]]',
  'B.md': '[[D]]',
  'C.md': '[[D]]',
  'D.md': '---\naliases: [Goal]\n---\n',
  'Alone.md': '',
  'x/Twin.md': '',
  'y/Twin.md': '',
  'pic.png': '',
};

test('all shortest chains, in order', () =>
  withTools(FILES, async ({ ask }) => {
    const { hops, ...answer } = await ask(findPath, { from: 'A', to: 'Goal' });
    assert.deepEqual(
      hops.map(({ chain, hop, sentence }: Record<string, unknown>) => [chain, hop, sentence]),
      [
        [1, 1, '[[B]] [[C]] ![[pic.png]]'],
        [1, 2, '[[D]]'],
        [2, 1, '[[B]] [[C]] ![[pic.png]]'],
        [2, 2, '[[D]]'],
      ],
    );
    assert.deepEqual(answer, {
      found: true,
      from: 'A.md',
      to: 'D.md',
      length: 2,
      paths: [
        ['A.md', 'B.md', 'D.md'],
        ['A.md', 'C.md', 'D.md'],
      ],
    });
    assert.equal((await ask(findPath, { from: 'A', to: 'D', max_paths: 1 })).paths.length, 1);
    assert.deepEqual((await ask(findPath, { from: 'B', to: 'C' })).paths, [
      ['B.md', 'A.md', 'C.md'],
      ['B.md', 'D.md', 'C.md'],
    ]);
    assert.deepEqual((await ask(findPath, { from: 'A', to: 'A' })).paths, [['A.md']]);
  }));

test('no chain is a valid result', () =>
  withTools(FILES, async ({ ask }) => {
    assert.deepEqual(await ask(findPath, { from: 'D', to: 'A', directed: true }), {
      found: false,
      from: 'D.md',
      to: 'A.md',
      paths: [],
    });
    assert.equal((await ask(findPath, { from: 'A', to: 'D', directed: true })).found, true);
    assert.equal((await ask(findPath, { from: 'A', to: 'Alone' })).found, false);
  }));

test('errors name the wrong argument', () =>
  withTools(FILES, async ({ refusal, folder }) => {
    await refusal(findPath, { from: 'A', to: 'Nix' }, 'NOTE_NOT_FOUND');
    assert.equal((await refusal(findPath, { from: 'Twin', to: 'A' }, 'NOTE_AMBIGUOUS')).choices?.retryWith, 'from');
    assert.equal((await refusal(findPath, { from: 'A', to: 'Twin' }, 'NOTE_AMBIGUOUS')).choices?.retryWith, 'to');
    await refusal(findPath, { from: '/A', to: 'B' }, 'PATH_NOT_ALLOWED');
    folder.vanish();
    await refusal(findPath, { from: 'A', to: 'Nix' }, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));
