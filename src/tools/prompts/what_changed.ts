// Prompt: what changed in the vault since a time, and what of it matters.
import { definePrompt, OPTIONAL_TEXT, REQUIRED_TEXT } from './prompt-text.ts';

export const whatChanged = definePrompt({
  name: 'what_changed',
  title: 'What changed?',
  description: 'Reports what was created, edited, moved and deleted since a time, and by whom.',
  needs: ['list_changes'],
  arguments: {
    since: {
      description: 'last monday, 7d (the default), 2026-11-20 or a remembered name',
      schema: REQUIRED_TEXT.default('7d'),
    },
    folder: { description: 'only changes in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
  },
  draft: ({ since, folder }) => ({
    task: `Report what changed${folder ? ` in the folder ${JSON.stringify(folder)}` : ' in my notes'} since ${since}.`,
    questions: [
      {
        what: 'the changes, newest first, each with its time and with who made it',
        tool: 'list_changes',
        args: { since, limit: 40, ...(folder && { folder }) },
        tokens: 4_500,
        decides: true,
      },
    ],
    steps: [
      'Group the changes by what they are about, not by file, and begin with what matters most. Keep what I or other programs did apart from what tools of this server did, with their change ids.',
      'Name each deleted note with who linked to it, and each moved one with both places. Say from when on changes are known, if that is later than I asked for.',
      {
        tools: ['read_notes', 'get_context'],
        say: (tools) => `Where the sections do not say what was changed, read them with ${tools}.`,
      },
      {
        propose: 'what the changes left behind: links to deleted notes, entries that belong elsewhere',
        tools: ['edit_note', 'replace_in_notes', 'undo_change'],
      },
    ],
  }),
});
