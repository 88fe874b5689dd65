// Prompt: what a memory kept in plain notes knows of a topic.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 1_000;

export const recall = definePrompt({
  name: 'recall',
  title: 'Recall from memory',
  description: 'Reports what the notes of a memory folder know of a topic, latest first.',
  needs: ['get_timeline'],
  arguments: [
    { name: 'topic', description: 'what to recall, in a few words', required: true, completes: 'topic' },
    { name: 'folder', description: 'folder of the memory (default Memory)', required: false, completes: 'folder' },
  ],
  input: z.strictObject({
    topic: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH),
    folder: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH).default('Memory'),
  }),
  write: async ({ topic, folder }, call) => {
    const draft = {
      task: `Recall what my notes in ${JSON.stringify(folder)} know of ${JSON.stringify(topic)}.`,
      questions: [
        {
          what: 'dated entries about it, in order of time',
          tool: 'get_timeline',
          given: { topic, folder, limit: 30 },
          tokens: 5_000,
          decides: true as const,
        },
      ],
      steps: [
        'Say what holds today: a later entry replaces an earlier one that it supersedes or contradicts. Name the replaced one with its date.',
        'Keep the confidence and the source of each entry. An entry without a source is only what was said.',
        'If no entry is about it, say so; do not answer from elsewhere.',
      ],
    };
    return writePrompt(draft, call);
  },
});
