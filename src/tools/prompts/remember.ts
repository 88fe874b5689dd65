// Prompt: add an entry to a memory kept in plain notes.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { localDay } from '../../markdown/dates/note-date.ts';
import { changeStep, writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 2_000;

export const remember = definePrompt({
  name: 'remember',
  title: 'Keep in memory',
  description:
    'Adds a dated entry to a note of a memory folder, with its confidence, its source and what it supersedes.',
  needs: ['search_text', 'read_notes'],
  arguments: [
    { name: 'what', description: 'what to remember, in a sentence', required: true },
    { name: 'folder', description: 'folder of the memory (default Memory)', required: false, completes: 'folder' },
  ],
  input: z.strictObject({
    what: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH),
    folder: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH).default('Memory'),
  }),
  write: async ({ what, folder }, call) => {
    const draft = {
      task: `Remember for me in the folder ${JSON.stringify(folder)}: ${JSON.stringify(what)}.`,
      questions: [
        {
          what: 'entries that may be about the same',
          tool: 'search_text',
          given: { query: what, folder, limit: 8 },
          tokens: 2_500,
        },
      ],
      steps: [
        'Choose the note of this folder that is about the same subject; if there is none, a new one that is named for the subject.',
        `Write one entry of one statement below its heading Log: \`- ${localDay(new Date())} the statement [confidence:: high] [source:: [[Note]]]\`; high, medium or low; the source is the note or the person that it is from.`,
        'If it replaces an earlier entry, leave that one as it is and add `[supersedes:: [[Note#^id]]]`, with the block id `^id` at the end of the earlier one.',
        'If it is there already, say so and add nothing.',
        changeStep(call, 'the entry', ['edit_note', 'create_note']),
      ],
    };
    return writePrompt(draft, call);
  },
});
