// Prompt: what a memory kept in plain notes knows of a topic.
import { definePrompt, REQUIRED_TEXT } from './prompt-text.ts';

export const recall = definePrompt({
  name: 'recall',
  title: 'Recall from memory',
  description: 'Reports what the notes of a memory folder know of a topic, latest first.',
  needs: ['get_timeline'],
  arguments: {
    topic: { description: 'what to recall, in a few words', completes: 'topic', schema: REQUIRED_TEXT },
    folder: {
      description: 'folder of the memory (default Memory)',
      completes: 'folder',
      schema: REQUIRED_TEXT.default('Memory'),
    },
  },
  draft: ({ topic, folder }) => ({
    task: `Recall what my notes in ${JSON.stringify(folder)} know of ${JSON.stringify(topic)}.`,
    questions: [
      {
        what: 'dated entries about it, in order of time',
        tool: 'get_timeline',
        args: { topic, folder, limit: 30 },
        tokens: 5_000,
        decides: true,
      },
    ],
    steps: [
      'Say what holds today: a later entry replaces an earlier one that it supersedes or contradicts. Name the replaced one with its date.',
      'Keep the confidence and the source of each entry. An entry without a source is only what was said.',
      'If no entry is about it, say so; do not answer from elsewhere.',
    ],
  }),
});
