// Tests every tool that uses a language model with about the smallest context that a config allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskVault } from '../../../src/tools/llm/ask_vault.ts';
import { extractEntities } from '../../../src/tools/llm/extract_entities.ts';
import { createSuggestLinks } from '../../../src/tools/llm/suggest_links.ts';
import { suggestTags } from '../../../src/tools/llm/suggest_tags.ts';
import { summarizeNotes } from '../../../src/tools/llm/summarize_notes.ts';
import { assertEach } from '../../assert-each.ts';
import { fakeLLM, type Script } from '../../fakes/llm.ts';
import { withTools } from '../tools-under-test.ts';

const PARAGRAPH = 'The tide of the harbour goes out and comes in again, and the Moon looks on. '.repeat(6);
const FILES = {
  'Long.md': Array.from({ length: 12 }, (_, at) => `## Part ${at}\n\n${PARAGRAPH}\n`).join('\n'),
  'Moon.md': 'Of the sky. #astronomy\n',
  'Wide.md': `${'The tide '.repeat(700)}\n`,
};

/** An answer that matches every schema, with words that are in each of the notes. */
const script: Script = ({ instructions, prompt }) => {
  if (instructions.includes('`unanswerable`')) {
    return { answer: 'Out.', quotes: [{ passage: 1, text: 'The tide' }], unanswerable: false };
  }
  if (instructions.includes('`fresh`')) return { known: [{ tag: '#astronomy', evidence: 'The tide' }], fresh: [] };
  if (instructions.includes('`mentions`'))
    return prompt.includes('Named in the note') ? { mentions: [1] } : { related: [] };
  if (instructions.includes('entities')) return { entities: [{ type: 'other', text: 'The tide' }] };
  return { summary: 'Of tides. '.repeat(40), key_points: Array(7).fill('The tide goes out and comes in again.') };
};

test('P24 a small context is enough for each tool', () => {
  const fake = fakeLLM(script, { contextTokens: 1_024 });
  return withTools(
    FILES,
    async ({ ask, warnings }) => {
      for (const note of ['Long', 'Wide']) {
        // Two summaries of sections must fit one prompt.
        fake.become({ contextTokens: 2_048 });
        const { succeeded, failed } = await ask(summarizeNotes, { notes: [note] });
        fake.become({ contextTokens: 1_024 });
        assertEach(failed, ({ error }: { error: Error }) => error.message, [], note);
        const { covered, total } = succeeded[0].result;
        assert.equal(covered, total);
        assert.equal((await ask(suggestTags, { note })).suggestions.length, 1);
        assert.equal(warnings[0]?.code, 'TRUNCATED');
        assert.equal((await ask(extractEntities, { note })).entities[0].text, 'The tide');
      }
      assert.equal((await ask(createSuggestLinks({}), { note: 'Long' })).suggestions[0].path, 'Moon.md');
      const { quotes, retrieval } = await ask(createAskVault({}), { question: 'What does the tide do?' });
      assert.deepEqual([quotes[0].verified, retrieval.passages], [true, 1]);
      assert.ok(warnings.some(({ code, message }) => code === 'TRUNCATED' && /passage/.test(message)));
    },
    { llm: fake.provider },
  );
});
