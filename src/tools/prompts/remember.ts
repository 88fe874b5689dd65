// Prompt: add an entry to a memory kept in plain notes.
import * as z from 'zod';
import { localDay } from '../../markdown/dates/note-date.ts';
import { definePrompt, REQUIRED_TEXT } from './prompt-text.ts';

export const remember = definePrompt({
  name: 'remember',
  title: 'Keep in memory',
  description:
    'Adds a dated entry to a note of a memory folder, with its confidence, its source and what it supersedes.',
  needs: ['search_text', 'read_notes'],
  arguments: {
    what: { description: 'what to remember, in a sentence', schema: z.string().trim().min(1).max(2_000) },
    folder: {
      description: 'folder of the memory (default Memory)',
      completes: 'folder',
      schema: REQUIRED_TEXT.default('Memory'),
    },
  },
  draft: ({ what, folder }) => ({
    task: `Remember for me in the folder ${JSON.stringify(folder)}: ${JSON.stringify(what)}.`,
    questions: [
      {
        what: 'entries that may be about the same',
        tool: 'search_text',
        args: { query: what, folder, limit: 8 },
        tokens: 2_500,
      },
    ],
    steps: [
      'Choose the note of this folder that is about the same subject; if there is none, a new one that is named for the subject.',
      `Write one entry of one statement below its heading Log: \`- ${localDay(new Date())} the statement [confidence:: high] [source:: [[Note]]]\`; high, medium or low; the source is the note or the person that it is from.`,
      'If it replaces an earlier entry, leave that one as it is and add `[supersedes:: [[Note#^id]]]`, with the block id `^id` at the end of the earlier one.',
      'If it is there already, say so and add nothing.',
      { propose: 'the entry', tools: ['edit_note', 'create_note'] },
    ],
  }),
});
