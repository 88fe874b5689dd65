// Tests the count of tokens against the package whose token list it uses, in texts of many scripts and in texts that are no prose.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { SCRIPT_SAMPLES } from '../../../src/markdown/chunk/token-rates.ts';
import { loadTokens, modelTokens } from '../../../src/tools/context/model-tokens.ts';
import { runs } from '../../runner/effort.ts';

const PROSE = {
  English:
    'The harbour fills twice a day, and twice a day it falls dry. Pilots read the almanac before they sail, because the bar at the mouth of the river moves with every winter storm. In 1987 a new channel was dredged, but the sand returned within three years. Nobody at the office was surprised by that.',
  German:
    'Der Hafen füllt sich zweimal am Tag und fällt zweimal am Tag trocken. Die Lotsen lesen den Almanach, bevor sie auslaufen, weil sich die Barre an der Flussmündung mit jedem Wintersturm verschiebt. Im Jahr 1987 wurde eine neue Fahrrinne ausgebaggert, doch der Sand kehrte innerhalb von drei Jahren zurück.',
  Russian:
    'Гавань наполняется дважды в день и дважды в день пересыхает. Лоцманы читают альманах перед выходом в море, потому что отмель в устье реки смещается после каждого зимнего шторма. В 1987 году прорыли новый канал, но песок вернулся за три года, и никто в конторе этому не удивился.',
  Chinese:
    '港口每天涨潮两次，也退潮两次。领航员在出海之前会查看潮汐表，因为河口的沙洲会随着每一场冬季风暴移动。1987年挖了一条新的航道，但是沙子在三年之内又回来了，办公室里没有人对此感到惊讶。',
} as const;

const OTHERS = {
  ...SCRIPT_SAMPLES,
  emoji: '🌊👩‍👩‍👧 '.repeat(20),
  json: '{"a":[1,2,{"b":"\\\\c"}]}'.repeat(20),
  table: '| a | b |\n|---|---|\n'.repeat(20),
  code: "\tif (it's && WE'LL) {\r\n\t\treturn `c`; // 12345 ",
  one: 'x',
  none: '',
};

before(loadTokens);

test('prose, signs, keys and emoji are counted exactly', () => {
  for (const [name, text] of Object.entries({ ...PROSE, ...OTHERS })) {
    assert.equal(modelTokens(text), countTokens(text), name);
    assert.equal(modelTokens(JSON.stringify({ text })), countTokens(JSON.stringify({ text })), `${name} as JSON`);
  }
});

test('any text is counted exactly, but for a character whose bytes have the hash of a token', () => {
  const words = fc.constantFrom(...Object.values({ ...PROSE, ...OTHERS }).flatMap((text) => text.split(' ')));
  const mixed = fc.array(fc.oneof(words, fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 8 })));
  fc.assert(
    fc.property(mixed, fc.constantFrom(' ', '', '\n', '  '), (parts, between) => {
      const text = parts.join(between).replaceAll(/<\|/g, '');
      const [counted, tokens] = [modelTokens(text), countTokens(text)];
      assert.ok(Math.abs(counted - tokens) <= Math.max(1, tokens / 50), `${counted} for ${tokens}`);
    }),
    { numRuns: runs(200) },
  );
});

test('a part longer than any word is counted nearly exactly, in linear time', () => {
  for (const text of ['潮汐随月亮涨落'.repeat(2_000), 'ab'.repeat(50_000), ' '.repeat(50_000), '='.repeat(50_000)]) {
    const [counted, tokens] = [modelTokens(text), countTokens(text.slice(0, 2_000)) * (text.length / 2_000)];
    assert.ok(
      counted >= 0.95 * tokens && counted <= 1.1 * tokens + 1_100,
      `${text.slice(0, 4)}: ${counted} for ${tokens}`,
    );
  }
});
