// The texts of a note that are searched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteTexts } from '../../src/postings/note-texts.ts';
import { indexed } from '../contracts/store/law.ts';

const bodyOf = (text: string): string => noteTexts(indexed('Note.md', text)).texts.at(-1) ?? '';

test('an escape of a sign in an address makes no word, and every offset stays', () => {
  assert.equal(bodyOf('[x](My%20Note%2Fa.md) y'), '[x](My   Note   a.md) y');
  assert.equal(
    bodyOf('see https://a.example/x%20y?z=%3D or <https://b/%5Bc>'),
    'see https://a.example/x   y?z=    or <https://b/   c>',
  );
  assert.equal(bodyOf('100%20 of [x](Br%C3%BCcke.md)'), '100%20 of [x](Br      cke.md)');
});
