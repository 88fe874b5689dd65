// resolve_names over a real vault: matches by path, name and alias, and errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveNames } from '../../../src/tools/notes/resolve_names.ts';
import { assertEach } from '../../assert-each.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = {
  'Places/Harbour.md': '---\naliases: [Quay, Port]\n---\n# Berths\nOne.\n# Twice\n# Twice\n',
  'Quay.md': '[[Harbuor]] [[Someday]]',
  'x/Twin.md': '',
  'y/Twin.md': '',
  'Tide.md': '---\naliases: [Port]\n---\n',
};

test('path, name, then alias; exact matches before matches ignoring case', () =>
  withTools(FILES, async ({ ask }) => {
    const names = [
      'Places/Harbour.md',
      'places/harbour',
      'Harbour',
      'harbour',
      'Quay',
      '[[Harbour]]',
      'Harbour#Berths',
    ];
    const { succeeded, failed } = await ask(resolveNames, { names });
    assert.deepEqual(failed, []);
    assert.deepEqual(
      succeeded.map(({ result }: { result: { path: string; match: string } }) => [result.path, result.match]),
      [
        ['Places/Harbour.md', 'exact'],
        ['Places/Harbour.md', 'case'],
        ['Places/Harbour.md', 'exact'],
        ['Places/Harbour.md', 'case'],
        ['Quay.md', 'exact'],
        ['Places/Harbour.md', 'exact'],
        ['Places/Harbour.md', 'exact'],
      ],
    );
    assert.deepEqual(succeeded[6].result.lines, [4, 5]);
  }));

test('every unresolved name says why and what to do', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.put('New.md', '');
    const names = ['Harbuor', 'Someday', 'Port', 'Twin', '..', '.git/x', 'Harbour#Nix', 'Harbour#Twice', 'New'];
    const { failed } = await ask(resolveNames, { names });
    const codes = failed.map(({ id, error }: { id: string; error: { code: string } }) => [id, error.code]);
    assert.deepEqual(codes, [
      ['Harbuor', 'NOTE_NOT_FOUND'],
      ['Someday', 'NOTE_NOT_FOUND'],
      ['Port', 'NOTE_AMBIGUOUS'],
      ['Twin', 'NOTE_AMBIGUOUS'],
      ['..', 'PATH_NOT_ALLOWED'],
      ['.git/x', 'PATH_NOT_ALLOWED'],
      ['Harbour#Nix', 'NOTE_PART_NOT_FOUND'],
      ['Harbour#Twice', 'NOTE_PART_AMBIGUOUS'],
      ['New', 'NOTE_NOT_FOUND'],
    ]);
    for (const { error } of failed) assert.ok(resolveNames.fails.includes(error.code));
    assert.deepEqual(failed[0].error.details, {
      ref: 'Harbuor',
      suggestions: ['Places/Harbour.md'],
      unresolved_link: true,
    });
    assert.equal(failed[1].error.details.unresolved_link, true);
    assert.equal(failed[2].error.details.ref_kind, 'alias');
    assertEach(failed[3].error.choices.items, ({ value }: { value: string }) => value, ['x/Twin.md', 'y/Twin.md']);
    const again = await ask(resolveNames, { names: ['x/Twin.md', 'y/Twin.md'] });
    assert.equal(again.succeeded.length, 2);
  }));

test('a part of a note that cannot be read fails alone', () =>
  withTools(FILES, async ({ ask, folder }) => {
    folder.remove('Places/Harbour.md');
    folder.put('Tide.md', new Uint8Array(33 * 1024 * 1024));
    const { succeeded, failed } = await ask(resolveNames, { names: ['Harbour#Berths', 'Tide#x', 'Harbour'] });
    assertEach(failed, ({ error }: { error: { code: string } }) => error.code, ['FILE_UNREADABLE', 'LIMIT_EXCEEDED']);
    assert.equal(succeeded[0].id, 'Harbour');
    folder.vanish();
    const gone = await ask(resolveNames, { names: ['Nix'] });
    assert.equal(gone.failed[0].error.code, 'VAULT_UNAVAILABLE');
    folder.comeBack();
  }));

test('suggestions are updated when the index changes, even if only an alias changed', () =>
  withTools(FILES, async ({ ask, folder, run }) => {
    const suggestions = async () =>
      (await ask(resolveNames, { names: ['Breakwatr'] })).failed[0].error.details.suggestions;
    assert.deepEqual(await suggestions(), []);
    folder.put('Tide.md', '---\naliases: [Breakwater]\n---\n');
    await run({ kind: 'notes', paths: ['Tide.md'] as never });
    assert.deepEqual(await suggestions(), ['Tide.md']);
  }));
