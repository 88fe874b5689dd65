// Prompt: what changed in the vault since a time, and what of it matters.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { changeStep, stepWith, writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 500;

export const whatChanged = definePrompt({
  name: 'what_changed',
  title: 'What changed?',
  description: 'Reports what was created, edited, moved and deleted since a time, and by whom.',
  needs: ['list_changes'],
  arguments: [
    { name: 'since', description: 'last monday, 7d (the default), 2026-11-20 or a remembered name', required: false },
    { name: 'folder', description: 'only changes in this folder', required: false, completes: 'folder' },
  ],
  input: z.strictObject({
    since: z.string().trim().min(1).max(MAX_ARGUMENT_LENGTH).default('7d'),
    folder: z.string().trim().max(MAX_ARGUMENT_LENGTH).optional(),
  }),
  write: async ({ since, folder }, call) => {
    const draft = {
      task: `Report what changed${folder ? ` in the folder ${JSON.stringify(folder)}` : ' in my notes'} since ${since}.`,
      questions: [
        {
          what: 'the changes, newest first, each with its time and with who made it',
          tool: 'list_changes',
          given: { since, limit: 40, ...(folder && { folder }) },
          tokens: 4_500,
          decides: true as const,
        },
      ],
      steps: [
        'Group the changes by what they are about, not by file, and begin with what matters most. Keep what I or other programs did apart from what tools of this server did, with their change ids.',
        'Name each deleted note with who linked to it, and each moved one with both places. Say from when on changes are known, if that is later than I asked for.',
        stepWith(
          call,
          ['read_notes', 'get_context'],
          (tools) => `Where the sections do not say what was changed, read them with ${tools}.`,
        ),
        changeStep(call, 'what the changes left behind: links to deleted notes, entries that belong elsewhere', [
          'edit_note',
          'replace_in_notes',
          'undo_change',
        ]),
      ],
    };
    return writePrompt(draft, call);
  },
});
