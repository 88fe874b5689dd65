// Tests that note URIs convert to paths and back without loss or collisions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { NOTE_TEMPLATE, pathOfUri, uriOfNote } from '../../src/base/note-uri.ts';

const ODD = [
  'a.md',
  'Folder/Sub folder/Note.md',
  'C# & 100%? #1 ünï.md',
  '50% off %20.md',
  '日本語/ノート.canvas',
  "it's (a) [test]! ~*.md",
  'a+b=c,d;e:f@g$.md',
  '😀.md',
  'a%2Fb.md',
  'q?x=1&y#z.md',
];

test('every path survives the conversion, also through a URL parser', () => {
  for (const path of ODD) {
    const uri = uriOfNote(path);
    assert.match(uri, /^note:\/\/\/[\w\-.!~*'()%/]+$/);
    assert.equal(pathOfUri(uri), path);
    assert.equal(pathOfUri(new URL(uri).href), path, 'a client that parses it first');
    assert.equal(pathOfUri(decodeURI(uri)) === path || path.includes('%'), true, 'a client that shows it decoded');
  }
  const segment = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((text) => !/[/\0]/.test(text) && !/^\.\.?$/.test(text));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const path = segments.join('/').toWellFormed();
      assert.equal(pathOfUri(uriOfNote(path)), path);
    }),
  );
});

test('a client that expands the template gets the same note', () => {
  const template = new UriTemplate(NOTE_TEMPLATE);
  assert.deepEqual(template.variableNames, ['path']);
  for (const path of ODD) assert.equal(pathOfUri(template.expand({ path })), path);
});

test('a URI that is not a note URI has no path', () => {
  for (const uri of ['', 'note:', 'note://', 'note:///', 'note://a.md', 'http://a/b.md', 'file:///a.md', 'a.md'])
    assert.equal(pathOfUri(uri), undefined, uri);
  assert.equal(pathOfUri('NOTE:///a.md'), 'a.md');
  assert.equal(pathOfUri('note:///100%.md'), '100%.md');
});
