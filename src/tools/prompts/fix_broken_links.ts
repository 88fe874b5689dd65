// Prompt: find broken links and fix them one by one.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { changeStep, stepWith, writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 1_000;

export const fixBrokenLinks = definePrompt({
  name: 'fix_broken_links',
  title: 'Find and fix broken links',
  description: 'Goes through the broken links, with the notes they probably meant.',
  needs: ['find_gaps'],
  arguments: [
    { name: 'folder', description: 'only links in notes of this folder', required: false, completes: 'folder' },
    { name: 'note', description: 'only links in this note', required: false, completes: 'note' },
  ],
  input: z.strictObject({
    folder: z.string().trim().max(MAX_ARGUMENT_LENGTH).optional(),
    note: z.string().trim().max(MAX_ARGUMENT_LENGTH).optional(),
  }),
  write: async ({ folder, note }, call) => {
    const where = [
      ...(note === undefined ? [] : [`the note ${JSON.stringify(note)}`]),
      ...(folder === undefined ? [] : [`the folder ${JSON.stringify(folder)}`]),
    ];
    const draft = {
      task: `Find and fix the broken links in ${where.join(' in ') || 'my notes'}.`,
      questions: [
        {
          what: 'broken links by target name, with their places and the note they probably meant',
          tool: 'find_gaps',
          given: { kind: 'unresolved', limit: 25, ...(folder && { folder }), ...(note && { note }) },
          tokens: 4_000,
          decides: true as const,
        },
      ],
      steps: [
        'Sort each name into one of: misspelled (the suggestion is meant), moved or renamed, a planned note that is not written yet, not meant as a link. A suggestion is only a similar name: check it against the sentence.',
        stepWith(
          call,
          ['resolve_names', 'read_notes', 'search_text'],
          (tools) => `Where the meaning is not clear, check with ${tools} before you decide.`,
        ),
        changeStep(call, 'the fixed links', ['replace_in_notes', 'edit_note', 'create_note']),
        'If you are not sure, leave the link alone and ask me. Say how many more names there are.',
      ],
    };
    return writePrompt(draft, call);
  },
});
