// Tests moves of attachments, of folders that change only in case, and to names with parentheses: every link follows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGaps } from '../../../src/tools/links/find_gaps.ts';
import { moveNote } from '../../../src/tools/write/move_note.ts';
import { undoChange } from '../../../src/tools/write/undo_change.ts';
import { shownWrittenUndone, withWrites } from './write-under-test.ts';

const PICTURES = {
  'P/pic one.png': 'png',
  'Q/pic two.png': 'png',
  'R/pic two.png': 'png',
  'L.md':
    '---\ncover: "[[pic one.png]]"\n---\n![[pic one.png|200]] ![a](P/pic%20one.png) ![b](<P/pic one.png>) [c][1]\n\n[1]: P/pic%20one.png\n',
  'P/Deep.md': '![[./pic one.png]] ![x](pic%20one.png)\n',
  'B.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"P/pic one.png"},{"id":"2","type":"text","text":"![[pic one.png]]"}],"edges":[]}',
};

test('an attachment moves, and every kind of link to it follows', () =>
  withWrites(PICTURES, async (under) => {
    const { ask, refusal } = under;
    await refusal(moveNote, { note: 'pic one.png', to: 'img/' }, 'CONFIRMATION_REQUIRED');
    const after = await shownWrittenUndone(under, moveNote, { note: 'pic one.png', to: 'img/pic (2) é' });
    assert.equal(after['img/pic (2) é.png'], 'png');
    const { change_id } = await ask(moveNote, { note: 'P/pic one.png', to: 'img/new pic.png', confirm: true });
    const files = under.files();
    assert.equal(
      files['L.md'],
      '---\ncover: "[[new pic.png]]"\n---\n![[new pic.png|200]] ![a](img/new%20pic.png) ![b](<img/new pic.png>) [c][1]\n\n[1]: img/new%20pic.png\n',
    );
    assert.equal(files['P/Deep.md'], '![[../img/new pic.png]] ![x](../img/new%20pic.png)\n');
    assert.equal(
      files['B.canvas'],
      PICTURES['B.canvas'].replace('P/pic one', 'img/new pic').replace('[[pic one', '[[new pic'),
    );
    assert.deepEqual((await ask(findGaps, { kind: 'unresolved' })).gaps, []);
    await ask(undoChange, { change_id });
    assert.deepEqual(under.files(), PICTURES);
    await refusal(moveNote, { note: 'pic two.png', to: 'img/' }, 'NOTE_AMBIGUOUS');
    await refusal(moveNote, { note: 'Q/pic two.png', to: 'R/' }, 'NOTE_EXISTS');
    await refusal(moveNote, { note: 'Q/pic two.png', to: 'R/x.jpg' }, 'PATH_NOT_ALLOWED');
    await refusal(moveNote, { note: 'Q/pic two.png', to: 'a/x', if_match: 'x' }, 'INVALID_INPUT');
    assert.equal((await ask(moveNote, { note: 'Q/pic two.png', to: 'S/' })).path, 'S/pic two.png');
  }));

test('a folder is renamed in case only, also below another folder, and undone', () =>
  withWrites(
    {
      'P/a.md': '[[b]] [b](sub/b.md)\n',
      'P/sub/b.md': 'b\n',
      'P/x.png': 'png',
      'L.md': '[[P/a]] [a](P/a.md) ![[x.png]]\n',
    },
    async (under) => {
      const before = under.files();
      const { change_id } = await under.ask(moveNote, { note: 'P/', to: 'p', confirm: true });
      assert.deepEqual(Object.keys(under.files()).toSorted(), ['L.md', 'p/a.md', 'p/sub/b.md', 'p/x.png']);
      assert.equal(under.everything().includes('P/'), false);
      await under.ask(undoChange, { change_id });
      assert.deepEqual(under.files(), before);
      await under.ask(moveNote, { note: 'P/sub', to: 'P/Sub', confirm: true });
      assert.equal('P/Sub/b.md' in under.files(), true);
      await under.refusal(moveNote, { note: 'P/a', to: 'p/a.md', confirm: true }, 'PATH_NOT_ALLOWED');
      assert.deepEqual((await under.ask(findGaps, { kind: 'unresolved' })).gaps, []);
    },
  ));

test('links take over a new letter case if they had exactly the old one', () =>
  withWrites(
    {
      'Boats/Gannet.md': '[h](../Home.md) [[Deep/Keel]]\n',
      'Boats/Deep/Keel.md': '# Top\n',
      'Boats/a b.png': 'png',
      'Home.md':
        '[[Boats/Gannet]] [[Gannet]] [g](Boats/Gannet.md) [r][r] ![[Boats/a b.png]] ![](Boats/a%20b.png)\n[[boats/gannet]] [[Boats/Deep/Keel#Top|k]]\n\n[r]: <Boats/Gannet.md>\n',
      'P.md': '---\nup: "[[Boats/Gannet]]"\n---\n',
      'C.canvas':
        '{"nodes":[{"id":"a","type":"file","file":"Boats/Gannet.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
    },
    async (under) => {
      const before = under.files();
      const { change_id } = await under.ask(moveNote, { note: 'Boats/', to: 'boats', confirm: true });
      assert.equal(
        under.text('Home.md'),
        '[[boats/Gannet]] [[Gannet]] [g](boats/Gannet.md) [r][r] ![[boats/a b.png]] ![](boats/a%20b.png)\n[[boats/gannet]] [[boats/Deep/Keel#Top|k]]\n\n[r]: <boats/Gannet.md>\n',
      );
      assert.match(under.text('P.md') ?? '', /\[\[boats\/Gannet\]\]/);
      assert.match(under.text('C.canvas') ?? '', /"boats\/Gannet\.md"/);
      await under.ask(undoChange, { change_id });
      assert.deepEqual(under.files(), before);
      await under.ask(moveNote, { note: 'Boats/Gannet', to: 'Ships/gannet.md', confirm: true });
      assert.match(under.text('Home.md') ?? '', /^\[\[Ships\/gannet\]\] \[\[gannet\]\] \[g\]\(Ships\/gannet\.md\)/);
    },
  ));

test('links with literal parentheses follow to names whose parentheses are not in pairs', () =>
  withWrites(
    {
      'Foo (bar).md': '',
      'a (b)/c (d.md': '',
      'L.md': '[x](Foo%20(bar).md) [y](<Foo (bar).md>) [z](Foo%20\\(bar\\).md)\n',
    },
    async ({ ask, text }) => {
      await ask(moveNote, { note: 'Foo (bar)', to: '1) Foo (bar).md', confirm: true });
      const encoded = '1%29%20Foo%20%28bar%29.md';
      assert.equal(text('L.md'), `[x](${encoded}) [y](<1) Foo (bar).md>) [z](${encoded})\n`);
      await ask(moveNote, { note: '1) Foo (bar)', to: 'x (1)/Foo (bar', confirm: true });
      assert.deepEqual((await ask(findGaps, { kind: 'unresolved' })).gaps, []);
      await ask(moveNote, { note: 'Foo (bar', to: ')(', confirm: true });
      assert.deepEqual((await ask(findGaps, { kind: 'unresolved' })).gaps, []);
    },
  ));
