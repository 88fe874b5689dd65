// Tests the search for URLs in a model's words that its material does not contain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignUrl } from '../../../src/tools/llm/llm-session.ts';

test('only URLs of the material are accepted', () => {
  const material = ['See https://good.invalid/a?b=1 and www.good.invalid, or write to mailto:x@good.invalid.'];
  for (const said of [
    'No address: at all.',
    'See https://good.invalid/a?b=1.',
    '[it](www.good.invalid)',
    'mailto:x@good.invalid',
  ])
    assert.equal(foreignUrl([said], material), undefined, said);
  for (const said of [
    'https://good.invalid/a?b=12',
    '![](https://evil.invalid/x)',
    'ftp://good.invalid',
    'www.evil.invalid',
    'javascript:alert(1)',
    'HTTPS://EVIL.invalid',
  ])
    assert.notEqual(foreignUrl(['fine', said], material), undefined, said);
});
