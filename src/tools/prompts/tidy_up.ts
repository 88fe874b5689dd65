// Prompt: what the vault needs for its upkeep, and the calls that fix what is wrong.
import * as z from 'zod';
import { definePrompt } from '../../contracts/prompt.ts';
import { changeStep, stepWith, writePrompt } from './prompt-text.ts';

const MAX_ARGUMENT_LENGTH = 500;

export const tidyUp = definePrompt({
  name: 'tidy_up',
  title: 'Tidy up my notes',
  description: 'Finds what is unprocessed, broken, outdated or double, and fixes what you approve.',
  needs: ['check_vault'],
  arguments: [{ name: 'folder', description: 'only notes in this folder', required: false, completes: 'folder' }],
  input: z.strictObject({ folder: z.string().trim().max(MAX_ARGUMENT_LENGTH).optional() }),
  write: async ({ folder }, call) => {
    const draft = {
      task: `Help me to tidy up ${folder ? `the folder ${JSON.stringify(folder)}` : 'my notes'}.`,
      questions: [
        {
          what: 'findings by rule, each with the count, the worst cases and the call that fixes them',
          tool: 'check_vault',
          given: { limit: 5, ...(folder && { folder }) },
          tokens: 5_000,
          decides: true as const,
        },
      ],
      steps: [
        'Say in a few sentences how the notes are, with the counts of each rule. A rule that failed is not known.',
        'Choose the three rules where an hour helps most, and say why. Leave out what is probably meant to be so, and name the setting that accepts it for good.',
        stepWith(
          call,
          ['read_notes', 'find_gaps', 'find_conflicts'],
          (tools) => `Look closer with ${tools} before you call something wrong: a finding is a candidate.`,
        ),
        changeStep(call, 'what fixes the chosen ones', [
          'replace_in_notes',
          'edit_note',
          'move_note',
          'merge_notes',
          'rename_tag',
        ]),
      ],
    };
    return writePrompt(draft, call);
  },
});
