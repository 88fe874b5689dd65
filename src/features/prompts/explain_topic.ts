// Prompt: a topic explained from what the notes say of it.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { stepWith, writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 1_000;

export const explainTopic = definePrompt({
  name: 'explain_topic',
  title: 'Explain a topic from my notes',
  description: 'Explains a topic by what the notes say of it, every statement cited, gaps and contradictions named.',
  needs: ['get_context'],
  arguments: [
    { name: 'topic', description: 'what to explain, in a few words', required: true, completes: 'topic' },
    {
      name: 'note',
      description: 'a note to begin at, or a part of one: Note#Heading',
      required: false,
      completes: 'note',
    },
  ],
  input: z.strictObject({
    topic: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH),
    note: z.string().trim().max(MAX_ARGUMENT_LENGTH).optional(),
  }),
  write: async ({ topic, note }, call) => {
    const dossier = { tool: 'get_context', decides: true as const };
    const beside = { what: 'what my notes say beside that note', tokens: 3_200 };
    const draft = {
      task: `Explain ${JSON.stringify(topic)} to me from my own notes${note === undefined ? '' : `, beginning at the note ${JSON.stringify(note)}`}.`,
      questions: [
        ...(note === undefined
          ? []
          : [
              {
                ...dossier,
                what: 'that note and what is linked with it',
                given: { notes: [note], budget_tokens: 2_000 },
                tokens: 2_200,
              },
            ]),
        {
          ...dossier,
          ...(note === undefined ? { ...beside, what: 'what my notes say of it' } : beside),
          given: { topic, budget_tokens: 3_000 },
        },
      ],
      steps: [
        'Explain the topic in your own words and in the order in which it is best understood, each statement with its place (`path:line`).',
        'Name where my notes contradict each other, and what they leave open. If they say nothing of it, say that first.',
        stepWith(
          call,
          ['read_notes', 'search_text', 'search', 'get_neighbors'],
          (tools) => `What is left out above, look up with ${tools} before you say that it is not there.`,
        ),
        'End with the three notes I should read again, and one question that my notes do not answer yet.',
      ],
    };
    return writePrompt(draft, call);
  },
});
