// Prompt: find notes that a note should be linked with, and where to put the links.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { changeStep, stepWith, writePrompt } from './prompt-text.ts';

export const connectNote = definePrompt({
  name: 'connect_note',
  title: 'Connect this note',
  description: 'Finds related notes that are not linked yet, and where the links should go.',
  needs: ['read_notes', 'find_related', 'find_gaps'],
  arguments: [
    { name: 'note', description: 'path, name, alias or title of the note', required: true, completes: 'note' },
  ],
  input: z.strictObject({ note: z.string().trim().min(1).max(1_000) }),
  write: async ({ note }, call) => {
    const draft = {
      task: `Connect my note ${JSON.stringify(note)} with related notes.`,
      questions: [
        {
          what: 'the note itself, with the links it has',
          tool: 'read_notes',
          given: { notes: [note], include: ['content', 'links'], max_chars: 4_500 },
          tokens: 1_600,
        },
        {
          what: 'notes that share distinctive words with it and are not linked with it',
          tool: 'find_related',
          given: { note, unlinked_only: true, limit: 7 },
          tokens: 2_200,
          decides: true as const,
        },
        {
          what: 'notes similar in meaning that are not linked with it',
          tool: 'find_similar',
          given: { note, unlinked_only: true, limit: 6 },
          tokens: 1_000,
        },
        {
          what: 'places in other notes that mention it without a link',
          tool: 'find_gaps',
          given: { kind: 'unlinked_mentions', note, limit: 10 },
          tokens: 1_000,
        },
      ],
      steps: [
        'Judge each of these notes: is it about the same thing, or does it only use the same words? Keep the notes that a reader of either note would want.',
        stepWith(
          call,
          ['read_notes', 'get_neighbors', 'suggest_links'],
          (tools) => `Read more with ${tools} where the evidence above is not enough to decide.`,
        ),
        changeStep(call, 'the links, each with the sentence it belongs in and one sentence on why', ['edit_note']),
        'Also name what is missing: a note that several of these need and that does not exist.',
      ],
    };
    return writePrompt(draft, call);
  },
});
