// A model's answer with keys that were not asked for: every language-model tool ignores them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskVault } from '../../../src/tools/llm/ask_vault.ts';
import { extractEntities } from '../../../src/tools/llm/extract_entities.ts';
import { createSuggestLinks } from '../../../src/tools/llm/suggest_links.ts';
import { suggestTags } from '../../../src/tools/llm/suggest_tags.ts';
import { summarizeNotes } from '../../../src/tools/llm/summarize_notes.ts';
import { fakeLLM } from '../../fakes/llm.ts';
import { withTools } from '../tools-under-test.ts';

const FILES = {
  'Tide.md': '# Tide\n\nThe tide turns in the harbour of Bergen.\n',
  'Bergen.md': 'Bergen has a harbour. #places\n',
};
const OTHER = { confidence: 0.9, reasoning: { steps: ['I looked.'] } };

/** Adds keys to every object in an answer. */
function withOthers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOthers);
  if (typeof value !== 'object' || value === null) return value;
  return { ...Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withOthers(one)])), ...OTHER };
}

test('P24 other keys in an answer are ignored at every level', () => {
  const answers = {
    summary: { summary: 'The tide turns.', key_points: ['It turns in Bergen.'] },
    tags: { known: [], fresh: [{ tag: 'sea', evidence: 'tide' }] },
    links: { mentions: [1] },
    entities: { entities: [{ type: 'place', text: 'Bergen' }] },
    answer: { answer: 'In Bergen.', quotes: [{ passage: 1, text: 'harbour' }], unanswerable: false },
  };
  const fake = fakeLLM(() => ({}));
  return withTools(
    FILES,
    async ({ ask }) => {
      const saying = (answer: object): unknown => fake.says(() => withOthers(answer));
      const note = 'Tide';
      saying(answers.summary);
      assert.equal((await ask(summarizeNotes, { notes: [note] })).succeeded[0].result.summary, 'The tide turns.');
      saying(answers.tags);
      assert.ok((await ask(suggestTags, { note })).suggestions.length > 0);
      saying(answers.links);
      assert.equal((await ask(createSuggestLinks({ embedding: false }), { note })).suggestions[0].path, 'Bergen.md');
      saying(answers.entities);
      assert.equal((await ask(extractEntities, { note })).entities[0].text, 'Bergen');
      saying(answers.answer);
      const requested = await ask(createAskVault({ embedding: false }), { question: 'Where does the tide turn?' });
      assert.equal(requested.answer, 'In Bergen.');
    },
    { llm: fake.provider },
  );
});
