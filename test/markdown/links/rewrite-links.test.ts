// Tests how links are rewritten when files move, which are left alone, and which are refused.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { NotePath } from '../../../src/base/note.ts';
import { nameKeyOf } from '../../../src/markdown/links/fold.ts';
import { createMovedFiles } from '../../../src/markdown/links/link-changes.ts';
import { rewriteLinks, targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
import { assertEach } from '../../assert-each.ts';

const FILES = ['Root.md', 'a/Note.md', 'a/Beside.md', 'b/Other.md', 'img/pic 1.png'];

interface Move {
  readonly files?: readonly string[];
  readonly moved: Readonly<Record<string, string>>;
  /** The file that holds the text, as it is called before the move. */
  readonly in?: string;
}

function candidates(files: readonly string[]) {
  const byName = Map.groupBy(files as readonly NotePath[], nameKeyOf);
  return (nameKey: string): readonly NotePath[] => byName.get(nameKey) ?? [];
}

function rewrite(text: string, { files = FILES, moved, in: holder = 'b/Other.md' }: Move) {
  const all = [...new Set([...files, holder])];
  const after = candidates(all.map((path) => moved[path] ?? path));
  const links = targetedLinks(holder as NotePath, text, candidates(all));
  const map = new Map(Object.entries(moved)) as ReadonlyMap<string, string> as ReadonlyMap<NotePath, NotePath>;
  return rewriteLinks(holder as NotePath, text, links, createMovedFiles(map, after));
}

function becomes(before: string, after: string, move: Move): void {
  const { text, refused } = rewrite(before, move);
  assert.deepEqual(refused, []);
  assert.equal(text, after);
}

const renamed = { moved: { 'a/Note.md': 'c/New name.md' } };
const moved = { moved: { 'a/Note.md': 'c/Note.md' } };

suite('a wikilink', () => {
  test('by name stays a name, and keeps its subpath and display text', () => {
    becomes('[[Note]] [[Note.md]] [[ note |x]]', '[[New name]] [[New name.md]] [[ New name |x]]', renamed);
    becomes(
      '[[Note#H#I]] [[Note#^b|c]] ![[Note|100x20]]',
      '[[New name#H#I]] [[New name#^b|c]] ![[New name|100x20]]',
      renamed,
    );
    becomes('[[Note]] [[NOTE|x]]', '[[Note]] [[NOTE|x]]', moved);
  });

  test('by path stays a path, from the root or with as many segments', () => {
    becomes('[[a/Note]] [[/a/Note]]', '[[c/New name]] [[/c/New name]]', renamed);
    const deep = { files: ['x/y/z/Note.md'], moved: { 'x/y/z/Note.md': 'p/q/r/Note.md' } };
    becomes('[[x/y/z/Note]] [[y/z/Note]] [[z/Note]]', '[[p/q/r/Note]] [[q/r/Note]] [[r/Note]]', deep);
    becomes('[[a/Note]]', '[[Note]]', { moved: { 'a/Note.md': 'Note.md' } });
  });

  test('relative to the note stays relative, whichever of the two moves', () => {
    becomes('[[../a/Note]] [[./Other]]', '[[../c/New name]] [[./Other]]', renamed);
    becomes('[[../a/Note]] [[./Other#H]]', '[[../../a/Note]] [[./Other#H]]', {
      moved: { 'b/Other.md': 'b/d/Other.md' },
    });
    becomes('[[../a/Note]]', '[[./Note]]', { moved: { 'b/Other.md': 'a/Other.md' }, files: ['a/Note.md'] });
  });

  test('becomes the shortest unique path if its name is no longer unique', () => {
    const files = ['x/yy/Note.md', 'Note.md'];
    becomes('[[yy/Note]]', '[[q/Note]]', { files, moved: { 'x/yy/Note.md': 'p/q/Note.md' } });
    becomes('[[Note]]', '[[z/Note]]', { files: ['a/Note.md', 'b/Note.md'], moved: { 'b/Note.md': 'y/z/Note.md' } });
  });

  test('stays as short as possible if it was', () => {
    const files = ['a/Note.md', 'b/c/Note.md'];
    becomes('[[c/Note]]', '[[Unique]]', { files, moved: { 'b/c/Note.md': 'b/c/Unique.md' }, in: 'S.md' });
  });

  test('is adjusted if another file would take precedence', () => {
    const files = ['deep/er/Note.md', 'x/Far.md'];
    becomes('[[Note]]', '[[er/Note]]', { files, moved: { 'x/Far.md': 'Note.md' } });
    becomes('[[Note]]', '[[er/Note]]', { files, moved: { 'x/Far.md': 'deep/es/Note.md' } });
  });

  test('in a table keeps the escape of its bar', () => {
    becomes('| a |\n|---|\n| [[Note\\|x]] |', '| a |\n|---|\n| [[New name\\|x]] |', renamed);
  });

  test('to an attachment keeps the extension', () => {
    becomes('![[pic 1.png|100]]', '![[b.jpg|100]]', { moved: { 'img/pic 1.png': 'img/b.jpg' } });
  });
});

suite('a Markdown link', () => {
  test('relative to the note is updated when its target or the note moves', () => {
    becomes('[t](../a/Note.md#H "T")', '[t](../c/New%20name.md#H "T")', renamed);
    becomes('[t](../a/Note.md) ![](../img/pic%201.png)', '[t](../../a/Note.md) ![](../../img/pic%201.png)', {
      moved: { 'b/Other.md': 'q/r/Other.md' },
    });
    becomes('[t](Beside.md)', '[t](../a/Beside.md)', { moved: { 'a/Note.md': 'b/Note.md' }, in: 'a/Note.md' });
  });

  test('that is not a valid relative path is resolved by name', () => {
    becomes('[t](Note.md) [u](Other.md)', '[t](Note.md) [u](Other.md)', { moved: { 'b/Other.md': 'q/Other.md' } });
    becomes('[t](a/Note.md)', '[t](c/New%20name.md)', renamed);
    becomes('[t](Note)', '[t](New%20name)', renamed);
  });

  test('keeps its kind of encoding', () => {
    const files = ['é ü/Note.md'];
    const move = { files, moved: { 'é ü/Note.md': 'ö/N (1).md' } };
    becomes('[t](../é%20ü/Note.md)', '[t](../ö/N%20%281%29.md)', move);
    becomes('[t](<../é ü/Note.md>)', '[t](<../ö/N (1).md>)', move);
    becomes('[t](../%C3%A9%20%C3%BC/Note.md)', '[t](../%C3%B6/N%20%281%29.md)', move);
    becomes('[t](../%c3%a9%20%c3%bc/Note.md)', '[t](../%c3%b6/N%20%281%29.md)', move);
    const kept = { files: ['a/N%20(x).md', 'a/N (x).md'], moved: { 'a/N (x).md': 'c/N (x).md' } };
    becomes('[t](../a/N%20(x).md)', '[t](../c/N%20(x).md)', kept);
  });

  test('and an embed in its text are both rewritten', () => {
    becomes('[![[pic 1.png]]](../a/Note.md)', '[![[p.png]]](../c/N.md)', {
      moved: { 'img/pic 1.png': 'img/p.png', 'a/Note.md': 'c/N.md' },
    });
  });

  test('by reference is rewritten in its definition', () => {
    becomes('[t][1] [1]\n\n> [1]: <../a/Note.md#H> "T"\n', '[t][1] [1]\n\n> [1]: <../c/New name.md#H> "T"\n', renamed);
  });

  test('to a name with a colon does not become an external link', () => {
    becomes('[t](../a/Note.md) [u](Note.md)', '[t](../a/T:%20x.md) [u](a/T:%20x.md)', {
      moved: { 'a/Note.md': 'a/T: x.md' },
    });
    becomes('[u](Note.md)', '[u](./T:%20x.md)', { moved: { 'a/Note.md': 'a/T: x.md' }, in: 'a/S.md' });
  });
});

suite('links are not changed', () => {
  test('in code, math and HTML, or if they are plain names', () => {
    const text = '`[[Note]]` $[[Note]]$ <!-- [[Note]] --> Note a/Note.md\n\n```\n[[Note]]\n```\n\n    [[Note]]\n';
    becomes(text, text, renamed);
  });

  test('if they are broken, external, or within their note', () => {
    const text = '[[None]] [[b/Note]] [x](https://a.example/Note.md) [[#H]] [y](#H) [[Other#H]]';
    becomes(text, text, { ...renamed, moved: { ...renamed.moved, 'b/Other.md': 'q/Other.md' } });
  });

  test('if they still lead to the same file', () => {
    const text = '[[a/Note]] [[Beside]] [t](../a/Note.md)';
    becomes(text, text, { moved: { 'a/Beside.md': 'q/Beside.md' } });
    becomes('[[Beside]] [t](Beside.md)', '[[Beside]] [t](Beside.md)', {
      moved: { 'a/Note.md': 'q/Note.md', 'a/Beside.md': 'q/Beside.md' },
      in: 'a/Note.md',
    });
  });
});

suite('a property link', () => {
  const front = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n`;

  test('is rewritten between its quotes', () => {
    const quoted = { moved: { 'a/Note.md': `c/"q" 's'.md` } };
    becomes(
      front('a: "[[Note|x]]" # c', "b: '[[a/Note#H]]'"),
      front(`a: "[[\\"q\\" 's'|x]]" # c`, `b: '[[c/"q" ''s''#H]]'`),
      quoted,
    );
    becomes(
      front('a:', '  - "[[Note]]"', '  - "[t](../a/Note.md)"'),
      front('a:', '  - "[[New name]]"', '  - "[t](../c/New%20name.md)"'),
      renamed,
    );
    becomes(
      front('a: ["[[Note]]", "\\u0022"]', 'b: |', '  [[Note]]'),
      front('a: ["[[New name]]", "\\u0022"]', 'b: |', '  [[New name]]'),
      renamed,
    );
  });

  test('shared by several properties is rewritten once', () => {
    const { text, rewritten, refused } = rewrite(front('a: &x "[[Note]]"', 'b: *x'), renamed);
    assert.equal(text, front('a: &x "[[New name]]"', 'b: *x'));
    assert.deepEqual([rewritten.length, refused.length], [2, 0]);
  });

  test('written over two lines is refused, and the others are rewritten', () => {
    const { text, rewritten, refused } = rewrite(
      front('a: "[[a/', '  Note]]"', 'b: "[[My', '  Note]]"', 'c: "[[My Note]]"'),
      {
        files: ['a/Note.md', 'My Note.md'],
        moved: { 'My Note.md': 'Mine.md' },
      },
    );
    assert.equal(text, front('a: "[[a/', '  Note]]"', 'b: "[[My', '  Note]]"', 'c: "[[Mine]]"'));
    assert.deepEqual(rewritten, [{ line: 6, column: 5, from: 'My Note', to: 'Mine' }]);
    assertEach(refused, ({ line, link }) => ({ line, link }), [{ line: 4, link: 'My Note' }]);
  });
});

suite('a canvas', () => {
  const canvas = (...nodes: object[]) => JSON.stringify({ nodes, edges: [] }, null, '\t');

  test('has its file cards rewritten, in JSON', () => {
    const card = (file: string, text: string) => canvas({ type: 'file', file, subpath: '#H' }, { type: 'text', text });
    const before = card('a/Note.md', 'see "[[Note|x]]"\n[t](a/Note.md "T") [[a/Note]]');
    const after = card('c/"N".md', 'see "[["N"|x]]"\n[t](c/"N".md "T") [[c/"N"]]');
    becomes(before, after, { moved: { 'a/Note.md': 'c/"N".md' }, in: 'z.canvas' });
  });

  test('keeps its escaped slashes', () => {
    const text = '{"nodes":[{"type":"file","file":"a\\/Note.md"}]}';
    becomes(text, '{"nodes":[{"type":"file","file":"c\\/d\\/N.md"}]}', {
      moved: { 'a/Note.md': 'c/d/N.md' },
      in: 'z.canvas',
    });
  });

  test('contains whole vault paths, so a card never matches by name', () => {
    const text = canvas({ type: 'file', file: 'Note.md' });
    becomes(text, text, { ...renamed, in: 'z.canvas' });
  });
});

suite('a link is refused', () => {
  test('if no link can express the path, with its position; the others are rewritten', () => {
    const { text, rewritten, refused } = rewrite('[[Note]] [t](../a/Note.md)\n[[Root]]', {
      moved: { 'a/Note.md': 'a/N#1.md', 'Root.md': 'Top.md' },
    });
    assert.equal(text, '[[Note]] [t](../a/Note.md)\n[[Top]]');
    assertEach(refused, ({ line, column, link }) => [line, column, link], [
      [1, 1, 'Note'],
      [1, 10, '../a/Note.md'],
    ]);
    assert.equal(rewritten.length, 1);
    for (const name of ['N|x', 'N]]', '[[N', 'N#']) {
      const all = rewrite('[[Note]]', { moved: { 'a/Note.md': `a/${name}.md` } });
      assert.deepEqual([all.text, all.refused.length], ['[[Note]]', 1], name);
    }
  });

  test('if its new path would change how the surrounding text is parsed', () => {
    const text = 'costs ` and [[Note]] and [[Root]]';
    const { text: after, refused } = rewrite(text, { moved: { 'a/Note.md': 'a/N`1.md', 'Root.md': 'Top.md' } });
    assert.equal(after, 'costs ` and [[Note]] and [[Top]]');
    assertEach(refused, ({ link }) => link, ['Note']);
  });

  test('if its reference is defined twice', () => {
    const { refused } = rewrite('[1]\n\n[1]: ../a/Note.md\n\n```\n[1]: ../a/Note.md\n```\n', renamed);
    assertEach(refused, ({ link }) => link, ['../a/Note.md']);
  });
});
