// Tests the estimate of tokens against o200k, in prose of several languages and in texts that are no prose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { modelTokens } from '../../../src/markdown/chunk/model-tokens.ts';

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

test('prose is estimated within 15 %', () => {
  for (const [language, text] of Object.entries(PROSE)) {
    const [estimate, tokens] = [modelTokens(text), countTokens(text)];
    assert.ok(Math.abs(estimate - tokens) <= 0.15 * tokens, `${language}: ${estimate} for ${tokens} tokens`);
  }
});

test('signs, keys and emoji are not taken for less than half', () => {
  for (const text of [
    '🌊👩‍👩‍👧 '.repeat(20),
    '{"a":[1,2,{"b":"\\\\c"}]}'.repeat(20),
    '| a | b |\n|---|---|\n'.repeat(20),
    'x',
  ]) {
    assert.ok(modelTokens(text) >= countTokens(text) / 2, text.slice(0, 20));
  }
});
