// Checks that no mark of Markdown is left in a sentence, also of a link that the sentence has only a part of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainWords } from '../../../src/page/panels/plain-words.ts';

test('marks are left out', () => {
  const cases: Readonly<Record<string, string>> = {
    'To [[Moon]], [[Moon|it]], ![[a.png]] and [the moon](moon.md).': 'To Moon, it, a.png and the moon.',
    '**Strong**, *soft*, _soft_ and `code`': 'Strong, soft, soft and code',
    '**[[Moon|it]]**': 'it',
    '[!tip]- Read [[Moon]]': 'Read Moon',
    '- [x] Done - [ ] open [x]': '- Done - open [x]',
  };
  for (const [text, plain] of Object.entries(cases)) assert.equal(plainWords(text), plain);
});

test('of a link that is cut, the words are left', () => {
  const cases: Readonly<Record<string, string>> = {
    '…Arts Festival|the last one]], was due to be': '…the last one, was due to be',
    '…Arts Festival]] and [[Moon]]': '…Arts Festival and Moon',
    'After it [[2002-10-12 — Megal…': 'After it 2002-10-12 — Megal…',
    'After it ![[Tide|the ti…': 'After it the ti…',
    'See [the moon](notes/mo…': 'See the moon…',
    '…a list [1] and [[Moon]]': '…a list [1] and Moon',
    '…no link at all…': '…no link at all…',
  };
  for (const [text, plain] of Object.entries(cases)) assert.equal(plainWords(text), plain);
});
