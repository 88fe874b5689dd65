// Tests link resolution: names that differ in case, ties, paths out of the vault, and the names that are looked up.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { LinkKind, NotePath } from '../../../src/base/note.ts';
import { nameKeyOf } from '../../../src/markdown/links/fold.ts';
import { resolveLink } from '../../../src/markdown/links/resolve-link.ts';

function resolveAmong(paths: readonly string[], link: string, source = 'Start.md') {
  const byName = Map.groupBy(paths as readonly NotePath[], nameKeyOf);
  return resolveLink(link, source as NotePath, (key) => byName.get(key) ?? []);
}

function askedFor(link: string): string[] {
  const requested: string[] = [];
  resolveLink(link, 'Start.md' as NotePath, (key) => {
    requested.push(key);
    return [];
  });
  return requested;
}

suite('a link', () => {
  test('spelled in another case is reported as such', () => {
    assert.deepEqual(resolveAmong(['a/Tide.md'], 'tide'), { path: 'a/Tide.md', match: 'case' });
    assert.deepEqual(resolveAmong(['a/Tide.md'], 'Tide'), { path: 'a/Tide.md', match: 'exact' });
  });

  test('in Markdown leads to the file of exactly its name first, a wikilink to the note', () => {
    const byName = Map.groupBy(['LICENSE', 'LICENSE.md', 'only.md'] as NotePath[], nameKeyOf);
    const leadsTo = (link: string, kind: LinkKind) =>
      resolveLink(link, 'Start.md' as NotePath, (key) => byName.get(key) ?? [], kind).path;
    assert.deepEqual(
      [leadsTo('LICENSE', 'markdown'), leadsTo('license#a', 'reference'), leadsTo('LICENSE', 'wikilink')],
      ['LICENSE', 'LICENSE', 'LICENSE.md'],
    );
    assert.deepEqual([leadsTo('only', 'markdown'), leadsTo('LICENSE', 'embed')], ['only.md', 'LICENSE.md']);
  });

  test('prefers the file with the same case', () => {
    assert.deepEqual(resolveAmong(['Tide.md', 'tide.md'], 'tide'), { path: 'tide.md', match: 'exact' });
    assert.deepEqual(resolveAmong(['Tide.md', 'tide.md'], 'TIDE'), {
      path: 'Tide.md',
      match: 'ambiguous',
      others: ['tide.md'],
    });
  });

  test('that matches several files takes the first by code points and names the others', () => {
    assert.deepEqual(resolveAmong(['\u{10000}/T.md', '\uFFFDx/T.md'], 'T'), {
      path: '\uFFFDx/T.md',
      match: 'ambiguous',
      others: ['\u{10000}/T.md'],
    });
  });

  test('never leads out of the vault', () => {
    assert.deepEqual(resolveAmong(['Tide.md'], '../Tide', 'Start.md'), { path: null });
    assert.deepEqual(resolveAmong(['Tide.md'], '../../Tide', 'a/Start.md'), { path: null });
    assert.deepEqual(resolveAmong(['Tide.md'], '../Tide', 'a/Start.md'), { path: 'Tide.md', match: 'exact' });
  });

  test('to a folder is broken', () => {
    for (const link of ['a/', '/', './', '..', '.', 'a//'])
      assert.deepEqual(resolveAmong(['a/b.md'], link), { path: null });
  });

  test('into its own note needs no name', () => {
    assert.deepEqual(resolveAmong([], '#Ebb'), { path: 'Start.md', match: 'exact' });
    assert.deepEqual(askedFor('#Ebb'), []);
  });

  test('is looked up with `.md` before its name as written', () => {
    assert.deepEqual(askedFor('Places/Harbour#South'), ['harbour.md', 'harbour']);
    assert.deepEqual(askedFor('../x/ΔΡΟΜΟΣ.md'), ['δρομοσ.md.md', 'δρομοσ.md']);
  });

  test('looks up at most two names, and takes one of the candidates', () => {
    const name = fc.constantFrom(
      'a',
      'A',
      'b',
      'a.md',
      'x/a',
      'x/A',
      '../a',
      './b',
      '/a',
      'a#b',
      '#b',
      'é',
      'x/y/b',
      ' ',
      '//',
    );
    const paths = fc.uniqueArray(
      fc.constantFrom('a.md', 'A.md', 'x/a.md', 'x/y/b.md', 'b', 'é.md', 'x/b.md', 'y/b.md'),
    );
    fc.assert(
      fc.property(name, paths, fc.constantFrom('a.md', 'x/s.md', 'x/y/s.md'), (link, all, source) => {
        const requested: string[] = [];
        const found = resolveLink(link, source as NotePath, (key) => {
          requested.push(key);
          return (all as NotePath[]).filter((path) => nameKeyOf(path) === key);
        });
        assert.ok(requested.length <= 2);
        assert.ok(found.path === null || found.path === source || all.some((path) => path === found.path));
      }),
    );
  });
});
