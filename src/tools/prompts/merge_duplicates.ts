// Prompt: find notes that say the same, and merge them.
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

export const mergeDuplicates = definePrompt({
  name: 'merge_duplicates',
  title: 'Merge duplicate notes',
  description: 'Finds notes with nearly the same text or about the same thing, and says what a merge would keep.',
  needs: ['find_gaps', 'read_notes'],
  arguments: {
    folder: { description: 'only notes in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
    note: { description: 'also notes about the same thing as this note', completes: 'note', schema: OPTIONAL_TEXT },
  },
  draft: ({ folder, note }) => ({
    task: `Find notes that should be one note${folder ? ` in the folder ${JSON.stringify(folder)}` : ''}.`,
    questions: [
      {
        what: 'groups of notes with nearly the same text, with the share of text and the lines in common',
        tool: 'find_gaps',
        args: { kind: 'duplicates', limit: 15, ...(folder && { folder }) },
        tokens: 3_500,
        decides: true,
      },
      ...(note
        ? [
            {
              what: `notes that share distinctive words with ${JSON.stringify(note)}`,
              tool: 'find_related',
              args: { note, limit: 6 },
              tokens: 1_800,
              decides: true,
            },
          ]
        : []),
    ],
    steps: [
      {
        tools: ['read_notes'],
        say: (tools) =>
          `Read the notes of a group whole with ${tools} before you judge it. Copies may be wanted: a template and what was made from it, a daily note, an archive.`,
      },
      'For each group that should be one note say which note to keep (the one with more links to it, else the longer one), what each other note has that it lacks, and where they contradict each other.',
      { propose: 'the merges, each with the resulting text', tools: ['merge_notes', 'edit_note', 'delete_note'] },
    ],
  }),
});
