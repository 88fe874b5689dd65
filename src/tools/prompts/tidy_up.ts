// Prompt: what the vault needs for its upkeep, and the calls that fix what is wrong.
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

export const tidyUp = definePrompt({
  name: 'tidy_up',
  title: 'Tidy up my notes',
  description: 'Finds what is unprocessed, broken, outdated or double, and fixes what you approve.',
  needs: ['check_vault'],
  arguments: {
    folder: { description: 'only notes in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
  },
  draft: ({ folder }) => ({
    task: `Help me to tidy up ${folder ? `the folder ${JSON.stringify(folder)}` : 'my notes'}.`,
    questions: [
      {
        what: 'findings by rule, each with the count, the worst cases and the call that fixes them',
        tool: 'check_vault',
        args: { limit: 5, ...(folder && { folder }) },
        tokens: 5_000,
        decides: true,
      },
    ],
    steps: [
      'Say in a few sentences how the notes are, with the counts of each rule. A rule that failed is not known.',
      'Choose the three rules where an hour helps most, and say why. Leave out what is probably meant to be so, and name the setting that accepts it for good.',
      {
        tools: ['read_notes', 'find_gaps', 'find_conflicts'],
        say: (tools) => `Look closer with ${tools} before you call something wrong: a finding is a candidate.`,
      },
      {
        propose: 'what fixes the chosen ones',
        tools: ['replace_in_notes', 'edit_note', 'move_note', 'merge_notes', 'rename_tag'],
      },
    ],
  }),
});
