// Tests the resource methods: lists, reads, refusals and subscriptions.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { pathOfUri, uriOfNote } from '../../../src/base/note-uri.ts';
import { MAX_SUBSCRIPTIONS } from '../../../src/mcp/wire/subscriptions.ts';
import { assertEach } from '../../assert-each.ts';
import { runs } from '../../runner/effort.ts';
import { until } from '../../until.ts';
import { type OfferUnderTest, type Wire, withOffer } from './offer-under-test.ts';

const FILES = {
  'b.md': '# B\nsee [[a]]\n',
  'a.md': '---\ntitle: x\n---\n# A\n',
  'sub/C# & 100%? ünï.md': '# Odd\n',
  'Board.canvas': '{"nodes":[],"edges":[]}',
  'View.base': 'views: []\n',
  'img/x.png': new Uint8Array([1, 2, 3]),
};

const read = async ({ ask }: OfferUnderTest, path: string): Promise<Wire> =>
  (await ask('resources/read', { uri: uriOfNote(path) })).contents[0];

test('the list has every note, canvas and base by path, and each can be read', () =>
  withOffer(FILES, async (under) => {
    const { resources, nextCursor } = await under.ask('resources/list');
    assert.equal(nextCursor, undefined);
    const paths = resources.map(({ name }: Wire) => name);
    assert.deepEqual(paths, ['Board.canvas', 'View.base', 'a.md', 'b.md', 'sub/C# & 100%? ünï.md']);
    for (const { uri, name, title, mimeType, size, annotations } of resources) {
      assert.equal(pathOfUri(uri), name);
      assert.ok(title.length > 0);
      assert.ok(!Number.isNaN(Date.parse(annotations.lastModified)));
      const content = await read(under, name);
      const text = FILES[name as 'a.md'];
      assert.deepEqual([content.uri, content.mimeType, content.text], [uri, mimeType, text]);
      assert.equal(size, Buffer.byteLength(text));
      assert.match(content._meta.etag, /^[0-9a-f]{12}$/);
    }
    assert.deepEqual(resources.map(({ mimeType }: Wire) => mimeType).slice(0, 3), [
      'application/json',
      'application/yaml',
      'text/markdown',
    ]);
  }));

test('the list is paged: every note once, in order; a foreign cursor is -32602', () => {
  const many = Object.fromEntries(Array.from({ length: 620 }, (_, at) => [`n${String(at).padStart(4, '0')}.md`, 'x']));
  return withOffer(many, async ({ ask, fault }) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await ask('resources/list', cursor === undefined ? {} : { cursor });
      seen.push(...page.resources.map(({ name }: Wire) => name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    assert.deepEqual(seen, Object.keys(many));
    assert.equal(pages, 3);
    for (const wrong of ['nonsense', '5.abcdefghijkl', 7, {}]) {
      const { code, data } = await fault('resources/list', { cursor: wrong });
      assert.equal(code, -32602);
      assert.equal(data.code, 'INVALID_INPUT');
    }
    for (const list of ['tools/list', 'prompts/list', 'resources/templates/list']) {
      assert.equal((await fault(list, { cursor: 'nonsense' })).code, -32602, list);
      await ask(list, { cursor: '' });
    }
  });
});

test('every listed URI matches the template', () =>
  withOffer(FILES, async ({ ask }) => {
    const { resourceTemplates } = await ask('resources/templates/list');
    assertEach(resourceTemplates, ({ uriTemplate, name }: Wire) => [uriTemplate, name], [['note:///{+path}', 'note']]);
  }));

test('M2 an unknown resource is -32002 with its URI; a URI that is not text is -32602', () =>
  withOffer(FILES, async ({ fault }) => {
    for (const uri of [
      'note:///nope.md',
      'note:///a',
      'note:///A.md',
      'note:///img/y.png',
      'note:///img/x.pdf',
      'note:///sub',
      'note:///a.md/b.md',
    ]) {
      const { code, data } = await fault('resources/read', { uri });
      assert.deepEqual([code, data.uri, data.code], [-32002, uri, 'NOTE_NOT_FOUND'], uri);
    }
    assert.match((await fault('resources/read', { uri: 'note:///b' })).message, /^\[NOTE_NOT_FOUND\] .*`b\.md`/);
    for (const uri of ['http://x/a.md', 'note://a.md', 'note:///', '']) {
      assert.deepEqual((await fault('resources/read', { uri })).data, { uri });
    }
    assert.equal((await fault('resources/read', { uri: 'note:///b' })).data.details.suggestions[0], 'b.md');
    for (const params of [undefined, {}, { uri: 1 }, { uri: null }, { uri: ['note:///a.md'] }]) {
      assert.equal((await fault('resources/read', params)).code, -32602);
    }
  }));

test('M3 V9 reads refuse what the tools refuse, with the same error', () =>
  withOffer(
    {
      ...FILES,
      'Private/p.md': 'secret\n',
      '.obsidian/o.md': 'secret\n',
      'Long.md': `${'secret '.repeat(150_000)}\n`,
      'Latin.md': Buffer.from('caf\xe9\n', 'latin1'),
    },
    async (under) => {
      const { fault, folder } = under;
      writeFileSync(join(folder.outside, 'out.md'), 'secret\n');
      symlinkSync(join(folder.outside, 'out.md'), join(folder.root, 'link.md'));
      mkdirSync(join(folder.outside, 'elsewhere'));
      writeFileSync(join(folder.outside, 'elsewhere/e.md'), 'secret\n');
      symlinkSync(join(folder.outside, 'elsewhere'), join(folder.root, 'linked'));
      folder.put('Huge.md', '');
      truncateSync(join(folder.root, 'Huge.md'), 33 * 1024 * 1024);
      const refused = {
        PATH_NOT_ALLOWED: [
          'Private/p.md',
          '.obsidian/o.md',
          '../out.md',
          'sub/../../out.md',
          '/etc/passwd.md',
          'link.md',
          'linked/e.md',
          '.trash/x.md',
        ],
        LIMIT_EXCEEDED: ['Long.md', 'Huge.md'],
        INVALID_INPUT: ['a\0.md'],
      };
      for (const [code, paths] of Object.entries(refused)) {
        for (const path of paths) {
          const found = await fault('resources/read', { uri: uriOfNote(path) });
          assert.equal(found.data.code, code, path);
          assert.equal(found.code, code === 'INVALID_INPUT' ? -32602 : -32603);
          assert.ok(found.data.hint.length > 0);
          assert.doesNotMatch(JSON.stringify(found), /secret/);
        }
      }
      const lone = await fault('resources/read', { uri: 'note:///\ud800.md' });
      assert.equal(lone.code, -32602);
      assert.equal((await read(under, 'Latin.md'))._meta.encoding, 'invalid');
    },
    { exclude: ['Private/**'] },
  ));

test('V1 for a missing vault a read is VAULT_UNAVAILABLE, and the list still works', () =>
  withOffer(FILES, async (under) => {
    under.folder.vanish();
    const { code, data } = await under.fault('resources/read', { uri: 'note:///a.md' });
    assert.deepEqual([code, data.code, data.fix_by], [-32603, 'VAULT_UNAVAILABLE', 'user']);
    assert.equal((await under.ask('resources/list')).resources.length, 5);
    under.folder.comeBack();
    assert.equal((await read(under, 'a.md')).text, FILES['a.md']);
  }));

test('V2 a cloud-only note is listed, and a read reports it without opening the file', () =>
  withOffer({ ...FILES, 'Gone.md': 'far away\n' }, async (under) => {
    under.folder.put('.Gone.md.icloud', 'stub');
    under.folder.remove('Gone.md');
    await under.run();
    const { resources } = await under.ask('resources/list');
    assert.ok(resources.some(({ name }: Wire) => name === 'Gone.md'));
    const { code, data } = await under.fault('resources/read', { uri: 'note:///Gone.md' });
    assert.deepEqual([code, data.code], [-32603, 'FILE_UNREADABLE']);
  }));

test('V10 a name is read and followed in any Unicode normal form', () =>
  withOffer({ [`${'Élan'.normalize('NFD')}.md`]: 'one\n' }, async (under) => {
    const [listed] = (await under.ask('resources/list')).resources;
    assert.equal(listed.name, `${'Élan'.normalize('NFC')}.md`);
    const apart = uriOfNote(`${'Élan'.normalize('NFD')}.md`);
    for (const uri of [listed.uri, apart]) {
      assert.equal((await under.ask('resources/read', { uri })).contents[0].text, 'one\n');
      await under.ask('resources/subscribe', { uri });
    }
    under.folder.put(`${'Élan'.normalize('NFD')}.md`, 'two\n');
    await under.run();
    await reported(under, 2);
    assert.deepEqual(new Set(under.updated), new Set([listed.uri, apart]));
  }));

test('any request is answered or refused with a known code, never with an internal error', () =>
  withOffer(FILES, async ({ offer, records }) => {
    const methods = offer.methods(() => true);
    const names = [
      'resources/list',
      'resources/read',
      'resources/subscribe',
      'resources/unsubscribe',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'resources/templates/list',
    ];
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('note:///a.md', 'note:///%', 'a', 'b.md', 'connect_note', 'daily_review', 'today', 'ref/prompt'),
    );
    const key = fc.constantFrom(
      'uri',
      'cursor',
      'name',
      'arguments',
      'ref',
      'argument',
      'value',
      'type',
      'note',
      'topic',
      'day',
      'folder',
      'tag',
      '_meta',
      'toString',
      '__proto__',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    }));
    const params = fc.oneof(fc.constant(undefined), fc.dictionary(key, value, { maxKeys: 5 }));
    const request = { id: '1', signal: new AbortController().signal, client: 'random' };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), params, async (name, given) => {
        const reply: Wire = await methods.get(name)?.(given as never, request);
        assert.ok('result' in reply || [-32602, -32603, -32002].includes(reply.fault.code));
        assert.notEqual(reply.fault?.data?.code, 'INTERNAL');
      }),
      { numRuns: runs(400) },
    );
    assert.deepEqual(
      records.filter(({ fields }) => fields.code === 'INTERNAL' || fields.undeclared === true),
      [],
    );
  }));

test('without an index a list fails with a typed error instead of an empty list', () =>
  withOffer(
    FILES,
    async ({ fault }) => {
      const { code, data } = await fault('resources/list');
      assert.deepEqual([code, data.code], [-32603, 'INDEX_EMPTY']);
    },
    { indexed: false },
  ));

test('a read returns the current file, whatever the index has', () =>
  withOffer(FILES, async (under) => {
    under.folder.put('new.md', 'not indexed yet\n');
    assert.equal((await read(under, 'new.md')).text, 'not indexed yet\n');
    under.folder.put('a.md', 'changed\n');
    assert.equal((await read(under, 'a.md')).text, 'changed\n');
  }));

const reported = ({ updated }: OfferUnderTest, count: number): Promise<void> =>
  until(() => updated.length >= count, `${count} updates`);

test('a subscriber is notified of each change and of the deletion, by the URI it sent', () =>
  withOffer(FILES, async (under) => {
    const { ask, folder, run, updated } = under;
    const uri = 'note:///sub/C# & 100%? ünï.md';
    for (const followed of [uri, 'note:///b.md', 'note:///b.md'])
      assert.deepEqual(await ask('resources/subscribe', { uri: followed }), {});
    folder.put('sub/C# & 100%? ünï.md', '# Another\n');
    folder.put('a.md', 'nobody follows it\n');
    await run();
    await reported(under, 1);
    assert.deepEqual(updated, [uri]);
    folder.remove('b.md');
    await run();
    await reported(under, 2);
    assert.deepEqual(updated, [uri, 'note:///b.md']);
    folder.put('b.md', 'back\n');
    await run();
    await reported(under, 3);
    await ask('resources/unsubscribe', { uri: 'note:///b.md' });
    await ask('resources/unsubscribe', { uri: 'note:///never.md' });
    folder.put('b.md', 'once more\n');
    await run({ kind: 'notes', paths: ['a.md', 'b.md'] });
    await sleep(1_500);
    assert.deepEqual(updated, [uri, 'note:///b.md', 'note:///b.md']);
  }));

test('a note that cannot be read cannot be followed, and the number of subscriptions is limited', () => {
  const many = Object.fromEntries(Array.from({ length: MAX_SUBSCRIPTIONS + 1 }, (_, at) => [`n${at}.md`, 'x']));
  return withOffer(many, async ({ ask, fault }) => {
    assert.equal((await fault('resources/subscribe', { uri: 'note:///nope.md' })).code, -32002);
    assert.equal((await fault('resources/subscribe', { uri: 'note:///../x.md' })).data.code, 'PATH_NOT_ALLOWED');
    assert.equal((await fault('resources/subscribe', {})).code, -32602);
    for (let at = 0; at < MAX_SUBSCRIPTIONS; at += 1) await ask('resources/subscribe', { uri: `note:///n${at}.md` });
    const last = `note:///n${MAX_SUBSCRIPTIONS}.md`;
    const { code, data } = await fault('resources/subscribe', { uri: last });
    assert.deepEqual([code, data.code, data.uri], [-32603, 'LIMIT_EXCEEDED', last]);
    await ask('resources/subscribe', { uri: 'note:///n0.md' });
    await ask('resources/unsubscribe', { uri: 'note:///n0.md' });
    await ask('resources/subscribe', { uri: last });
  });
});
