// Tests merge_notes and delete_note with redirect_to on a real vault: texts, properties, links and undo.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentHash } from '../../../src/base/content-hash.ts';
import type { NotePath } from '../../../src/base/note.ts';
import { candidatesByName } from '../../../src/markdown/links/resolve-link.ts';
import { targetedLinks } from '../../../src/markdown/links/rewrite-links.ts';
import { getNeighbors } from '../../../src/tools/links/get_neighbors.ts';
import { deleteNote } from '../../../src/tools/write/delete_note.ts';
import { mergeNotes } from '../../../src/tools/write/merge_notes.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const FILES = {
  'People/Ada.md':
    '\uFEFF---\r\ntags: [person]\r\nborn: 1815\r\naliases: Countess\r\n---\r\n# Ada\r\n\r\n## Notes\r\nold ^q  \r\n',
  'Inbox/Ada Lovelace.md':
    '---\ntags: [Person, maths]\nborn: 1816\naliases: [Ada L., countess]\nup: "[[./Clip]]"\n---\n# Ada Lovelace\n\n## Notes\n\nnew ^q\n\nsee [[#^q]] and [[#Notes]] and [clip](./Clip.md)\n',
  'Inbox/Clip.md': 'clip\n',
  'Log.md':
    '[[Ada Lovelace]] [[Ada Lovelace#Notes|n]] [q](Inbox/Ada%20Lovelace.md#^q) ![[Ada Lovelace#^q]] [[Ada#Notes]]\t\r\n',
  'Prop.md': "---\nwho: '[[Ada Lovelace#Notes]]'\n---\n",
  'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Inbox/Ada Lovelace.md"}],"edges":[]}',
  'Code.md': '`[[Ada Lovelace]]`\n',
};

test('the text comes under a heading, properties are united, every link follows, and undo restores every byte', () =>
  withWrites(FILES, async (under) => {
    const args = { notes: ['Ada Lovelace'], into: 'People/Ada' };
    const shown = await under.ask(mergeNotes, { ...args, dry_run: true });
    assert.deepEqual(shown.values_left, [{ path: 'Inbox/Ada Lovelace.md', property: 'born', value: 1816 }]);
    assert.deepEqual(shown.blocks_renamed, [{ path: 'Inbox/Ada Lovelace.md', block: 'q', to: 'q-2' }]);
    assertEach(shown.unparsed_links, ({ path }: { path: string }) => path, ['Code.md']);
    const after = await shownWrittenUndone(under, mergeNotes, args);
    assert.equal(
      after['People/Ada.md']?.slice(3),
      '---\r\ntags: [person, maths]\r\nborn: 1815\r\naliases:\r\n  - Countess\r\n  - Ada L.\r\nup: "[[../Inbox/Clip]]"\r\n---\r\n# Ada\r\n\r\n## Notes\r\nold ^q  \r\n\r\n' +
        '## Ada Lovelace\r\n\r\n### Notes\r\n\r\nnew ^q-2\r\n\r\nsee [[#^q-2]] and [[#Ada Lovelace#Notes]] and [clip](../Inbox/Clip.md)\r\n',
    );
    assert.equal(
      after['Log.md'],
      '[[Ada#Ada Lovelace]] [[Ada#Ada Lovelace#Notes|n]] [q](People/Ada.md#^q-2) ![[Ada#^q-2]] [[Ada#Notes]]\t\r\n',
    );
    assert.equal(after['Prop.md'], "---\nwho: '[[Ada#Ada Lovelace#Notes]]'\n---\n");
    assert.match(after['Board.canvas'] ?? '', /"file":"People\/Ada.md"/);
    assert.equal(after['Inbox/Ada Lovelace.md'], undefined);
    await under.ask(mergeNotes, { ...args, confirm: true });
    const { neighbors, unresolved } = await under.ask(getNeighbors, { note: 'Log' });
    assert.deepEqual([neighbors.map(({ path }: { path: string }) => path), unresolved], [['People/Ada.md'], []]);
    assert.match(under.text('.trash/Inbox/Ada Lovelace.md') ?? '', /born: 1816/);
    await under.ask(undoChange, {});
    for (const [path, text] of Object.entries(FILES))
      assert.equal(under.text(path), Buffer.from(text).toString('latin1'));
  }));

test('in a board with an archive and in a drawing, links lead to the merged notes above these', async () => {
  const files = {
    'Board.md': '---\nkanban-plugin: board\n---\n\n## Now\n\n- [ ] Oil\n\n\n***\n\n## Archive\n\n- [x] Old\n',
    'Hull.md':
      '---\nexcalidraw-plugin: parsed\n---\n\nmine\n\n# Excalidraw Data\n\n## Text Elements\n[[Keel]] ^aaaa1111\n',
    'Keel.md': '## Part\n\noak\n',
    'Mast.md': 'fir\n',
    'Log.md': '[[Keel]] [[Keel#Part]] [[Mast]]\n',
  };
  for (const [into, rest] of [
    ['Board', /- \[ \] Oil\n\n## Keel\n\n### Part\n\noak\n\n## Mast\n\nfir\n\n\n\*\*\*/],
    ['Hull', /mine\n\n## Keel\n\n### Part\n\noak\n\n## Mast\n\nfir\n\n# Excalidraw Data/],
  ] as const)
    await withWrites(files, async (under) => {
      await under.ask(mergeNotes, { notes: ['Keel', 'Mast'], into, confirm: true });
      assert.match(under.text(`${into}.md`) ?? '', rest);
      assert.equal(under.text('Log.md'), `[[${into}#Keel]] [[${into}#Part]] [[${into}#Mast]]\n`);
    });
});

test('several notes keep their order, and links among them lead to the merged note', () =>
  withWrites(
    {
      'A.md': 'a [[B]] [[C#x]]',
      'B.md': '# Other\n[[A]] [[B]]\n',
      'C.md': '# x\n## y\n\nSet\n---\n',
      'x/A.md': 'twin [[A]]',
    },
    async (under) => {
      const after = await shownWrittenUndone(under, mergeNotes, { notes: ['B', 'C.md', '[[C]]'], into: 'A.md' });
      assert.equal(
        after['A.md'],
        'a [[A#B]] [[A#x]]\n\n## B\n\n### Other\n[[A]] [[A#B]]\n\n## C\n\n### x\n#### y\n\n#### Set',
      );
    },
  ));

test('refuses what cannot be merged without loss', () =>
  withWrites(
    {
      ...FILES,
      'Open.md': '```\ncode',
      'Broken.md': '---\na: b: c\n---\n',
      'Latin.md': Buffer.from('caf\xe9', 'latin1'),
    },
    async ({ refusal, files }) => {
      const before = files();
      const merge = (note: string, into = 'People/Ada') => ({ notes: [note], into, confirm: true });
      await refusal(mergeNotes, { ...merge('Clip'), confirm: false }, 'CONFIRMATION_REQUIRED');
      await refusal(mergeNotes, merge('People/Ada'), 'INVALID_INPUT');
      await refusal(mergeNotes, merge('Ada Lovelace#Notes'), 'INVALID_INPUT');
      const open = await refusal(mergeNotes, merge('Open'), 'INVALID_INPUT');
      assert.match(open.message, /merge_notes: notes: .*does not close/);
      await refusal(mergeNotes, merge('Clip', 'Open'), 'INVALID_INPUT');
      await refusal(mergeNotes, merge('Broken'), 'PROPERTIES_INVALID');
      await refusal(mergeNotes, merge('Latin'), 'FILE_UNREADABLE');
      await refusal(mergeNotes, merge('Board.canvas'), 'PATH_NOT_ALLOWED');
      await refusal(mergeNotes, merge('Clip', 'Nobody'), 'NOTE_NOT_FOUND');
      await refusal(mergeNotes, { into: 'Clip' }, 'INVALID_INPUT');
      assert.deepEqual(files(), before);
    },
  ));

test('delete_note with redirect_to: links and aliases follow, parts that are missing are left out', () =>
  withWrites(FILES, async (under) => {
    const after = await shownWrittenUndone(under, deleteNote, { note: 'Ada Lovelace', redirect_to: 'People/Ada' });
    assert.equal(after['Log.md'], '[[Ada]] [[Ada#Notes|n]] [q](People/Ada.md#^q) ![[Ada#^q]] [[Ada#Notes]]\t\r\n');
    assert.match(after['People/Ada.md'] ?? '', /aliases:\r\n {2}- Countess\r\n {2}- Ada L\.\r\n/);
    assert.equal(after['Inbox/Ada Lovelace.md'], undefined);
    const gone = await shownWrittenUndone(under, deleteNote, { note: 'Ada Lovelace', redirect_to: 'Clip' });
    assert.equal(gone['Log.md'], '[[Clip]] [[Clip|n]] [q](Inbox/Clip.md) ![[Clip]] [[Ada#Notes]]\t\r\n');
    const etag = contentHash(Buffer.from(FILES['Inbox/Ada Lovelace.md']));
    await under.refusal(
      deleteNote,
      { note: 'Ada Lovelace', redirect_to: 'Ada Lovelace', confirm: true },
      'INVALID_INPUT',
    );
    await under.refusal(deleteNote, { note: 'Ada Lovelace', redirect_to: 'Clip' }, 'CONFIRMATION_REQUIRED');
    await under.refusal(deleteNote, { note: 'Ada Lovelace', redirect_to: 'Nobody', confirm: true }, 'NOTE_NOT_FOUND');
    const { redirected_to } = await under.ask(deleteNote, {
      note: 'Ada Lovelace',
      redirect_to: 'Clip',
      if_match: etag,
    });
    assert.equal(redirected_to, 'Inbox/Clip.md');
  }));

const NAMES = ['A', 'B', 'C', 'x/A', 'x/D'] as const;
const PARTS = [
  '[[A]]',
  '[[B#h]]',
  '[[B#^i|b]]',
  '![[x/A#h]]',
  '[c](C.md#h)',
  '[[C#h#k]]',
  '[[#h]]',
  '[[#^i]]',
  '# h\n',
  '## h\n',
  '### k\n',
  'text ^i\n\n',
  '\n',
  ' ',
];
const anyText = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(''));

test('in any vault no link is lost by a merge, and undo restores every byte', () =>
  fc.assert(
    fc.asyncProperty(
      fc.tuple(...NAMES.map(() => anyText)),
      fc.subarray([...NAMES], { minLength: 2 }),
      (texts, chosen) => {
        const files = Object.fromEntries(NAMES.map((name, at) => [`${name}.md`, texts[at] ?? '']));
        return withWrites(files, async ({ ask, refusal, text }) => {
          const [into, ...notes] = chosen.map((name) => `${name}.md`);
          const merge = await Promise.allSettled([ask(mergeNotes, { notes, into, confirm: true })]);
          if (merge[0].status === 'rejected')
            await refusal(mergeNotes, { notes, into, confirm: true }, 'INVALID_INPUT');
          else {
            const targets = (paths: readonly string[], read: (path: string) => string) =>
              paths.flatMap((path) => {
                const candidates = candidatesByName(paths as NotePath[]);
                return targetedLinks(path as NotePath, read(path), candidates).map(({ target }) => target);
              });
            const all = Object.keys(files);
            const became = (path: string | null) => (path !== null && notes.includes(path) ? into : path);
            const before = targets(all, (path) => files[path] ?? '').map(became);
            const kept = all.filter((path) => !notes.includes(path));
            const after = targets(kept, (path) => text(path) ?? '');
            assert.deepEqual(after.sort(), before.sort());
            await ask(undoChange, {});
          }
          for (const path of Object.keys(files)) assert.equal(text(path), files[path]);
        });
      },
    ),
    { numRuns: runs(60) },
  ));

test('labels of footnotes and links that mean something else are renamed with their uses; the same ones are shared', () => {
  const files = {
    'Into.md':
      '---\ntags: [x]\n---\nA [moon][1] and [sun] and note[^1] [plain].\n\n[1]: https://moon.example\n[sun]: https://sun.example\n[same]: https://same.example\n\n[^1]: first\n',
    'Second.md':
      '---\ntags: x, y\n---\nB [moon][1] [1] [Sun][] ![i][1] foot[^1], [same], [todo] `[^1]` ^[in]\n\n```\n[^1] [1]\n```\n\n> [1]: <https://other.example> "t"\n\n[sun]: https://sun2.example\n[same]: https://same.example\n[^1]: second\n    more\n',
    'Third.md':
      '---\ntags: [z]\naliases: Old, Older\n---\nC[^1] [plain] [todo]\n\n[todo]: https://todo.example\n\n[^1]: third\n',
    'Fourth.md': 'D [todo] [sun][] [x][same]\n',
  };
  return withWrites(files, async ({ ask, text, files: everything }) => {
    const before = everything();
    const args = { notes: ['Second', 'Third', 'Fourth'], into: 'Into', confirm: true };
    const { labels_renamed: renamed, values_left: left } = await ask(mergeNotes, args);
    assert.deepEqual(
      renamed.map(({ path, label, to }: Record<string, string>) => `${path} ${label} ${to}`),
      [
        'Second.md [1] [1-2]',
        'Second.md [sun] [sun-2]',
        'Second.md [^1] [^1-2]',
        'Third.md [todo] [todo-2]',
        'Third.md [^1] [^1-3]',
      ],
    );
    assert.deepEqual(left, [{ path: 'Second.md', property: 'tags', value: 'x, y' }]);
    const second =
      '## Second\n\nB [moon][1-2] [1][1-2] [Sun][sun-2] ![i][1-2] foot[^1-2], [same], [todo] `[^1]` ^[in]\n\n```\n[^1] [1]\n```\n\n> [1-2]: <https://other.example> "t"\n\n[sun-2]: https://sun2.example\n[same]: https://same.example\n[^1-2]: second\n    more\n\n';
    const third = '## Third\n\nC[^1-3] [plain] [todo][todo-2]\n\n[todo-2]: https://todo.example\n\n[^1-3]: third\n\n';
    // In a note that defines none of its labels, they are no links, and stay so.
    const fourth = '## Fourth\n\nD [todo] \\[sun][] \\[x]\\[same]';
    const [, body] = files['Into.md'].split('---\n').slice(1);
    assert.equal(text('Into.md')?.split('---\n')[2]?.trimEnd(), `${body}\n${second}${third}${fourth}`);
    assert.match(text('Into.md') ?? '', /^---\ntags: \[x, z\]\naliases: Old, Older\n---/);
    await ask(undoChange, {});
    assert.deepEqual(everything(), before);
  });
});

test('labels inside other brackets, and images, are renamed or stay text, too', () => {
  const definitions = '\n\n[1]: own\n[^a]: own\n';
  const files = {
    'Into.md': 'A [x][1] [^a]\n\n[1]: a\n[^a]: A\n',
    'Named.md': `[see [t][1]] [as in [^a]] ^[in [l][1]] [![i][1]][1]${definitions}`,
    'Text.md': '[see [1]] [see [t][1]] ![i][1] ![1]\n',
  };
  return withWrites(files, async ({ ask, text }) => {
    await ask(mergeNotes, { notes: ['Named', 'Text'], into: 'Into', confirm: true });
    const named = '[see [t][1-2]] [as in [^a-2]] ^[in [l][1-2]] [![i][1-2]][1-2]\n\n[1-2]: own\n[^a-2]: own\n';
    const plain = '[see \\[1]] [see \\[t]\\[1]] !\\[i]\\[1] !\\[1]\n';
    assert.equal(text('Into.md'), `${files['Into.md']}\n## Named\n\n${named}\n## Text\n\n${plain}`);
  });
});

test('definitions directly below a footnote are definitions, and links to a heading follow the label in it', () => {
  const files = {
    'Into.md': 'A [sun][1] [^a]\n\n[^a]: first\n[1]: https://sun.example\n[same]: https://same.example\n',
    'Second.md':
      '## Part [^a]\n\n[moon][1] [x][same]\n\n[^a]: second\nmore of it\n[1]: https://moon.example\n[same]: https://same.example\n',
    'Links.md': '[[Second#Part a]] [[Second#Part [^a]]] [x](Second.md#Part%20%5B%5Ea%5D)\n',
    'C.canvas': '{"nodes":[{"type":"file","file":"Second.md","subpath":"#Part a"}]}',
  };
  return withWrites(files, async ({ ask, text }) => {
    await ask(mergeNotes, { notes: ['Second'], into: 'Into', confirm: true });
    const definitions = '[^a-2]: second\nmore of it\n[1-2]: https://moon.example\n[same]: https://same.example\n';
    assert.equal(
      text('Into.md'),
      `${files['Into.md']}\n## Second\n\n### Part [^a-2]\n\n[moon][1-2] [x][same]\n\n${definitions}`,
    );
    assert.equal(
      text('Links.md'),
      '[[Into#Part a-2]] [[Into#Part a-2]]] [x](Into.md#Part%20a-2)\n'.replaceAll('#Part', '#Second#Part'),
    );
    assert.equal(
      text('C.canvas'),
      files['C.canvas'].replace('Second.md', 'Into.md').replace('#Part a', '#Second#Part a-2'),
    );
  });
});

test('links to a merged note lead to the heading under which its text is, also from properties, definitions and cards', () => {
  const files = {
    'Into.md': '# Into\n',
    'Second.md': '# Second\n\n## Part\n\n[[#Part]] [[Second]] [[Second#Second]]\n',
    'Links.md':
      '---\nup: "[[Second]]"\n---\n[[Second|s]] ![[Second]] [x](Second.md) [[Second#Part]] [r][t]\n\n[t]: Second.md\n',
    'C.canvas':
      '{"nodes":[{"type":"file","file":"Second.md","x":1},{"type":"file","file":"Second.md","subpath":"#Part"}]}',
    'Twice.md': '## Second\n',
    'Deep/Second.md': 'd\n',
    'Other.md': '[[Deep/Second]]\n',
  };
  return withWrites(files, async ({ ask, text }) => {
    await ask(mergeNotes, { notes: ['Second.md'], into: 'Into', confirm: true });
    assert.equal(text('Into.md'), '# Into\n\n## Second\n\n### Part\n\n[[#Part]] [[Into#Second]] [[Into#Second]]\n');
    assert.equal(
      text('Links.md'),
      '---\nup: "[[Into#Second]]"\n---\n[[Into#Second|s]] ![[Into#Second]] [x](Into.md#Second) [[Into#Part]] [r][t]\n\n[t]: Into.md#Second\n',
    );
    assert.equal(
      text('C.canvas'),
      '{"nodes":[{"type":"file","file":"Into.md","subpath":"#Second","x":1},{"type":"file","file":"Into.md","subpath":"#Part"}]}',
    );
    await ask(mergeNotes, { notes: ['Deep/Second'], into: 'Twice', confirm: true });
    assert.equal(text('Other.md'), '[[Twice]]\n', 'no link can name the second of two headings');
  });
});

test('a definition with its target on the next line is one', () =>
  withWrites(
    { 'Into.md': 'A [x][1]\n\n[1]: https://a.example\n', 'B.md': 'B [x][1]\n\n[1]:\n  https://b.example\n' },
    async ({ ask, text }) => {
      await ask(mergeNotes, { notes: ['B'], into: 'Into', confirm: true });
      assert.match(text('Into.md') ?? '', /B \[x\]\[1-2\]\n\n\[1-2\]:\n {2}https:\/\/b\.example/);
    },
  ));
