// Prompt: find broken links and fix them one by one.
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

export const fixBrokenLinks = definePrompt({
  name: 'fix_broken_links',
  title: 'Find and fix broken links',
  description: 'Goes through the broken links, with the notes they probably meant.',
  needs: ['find_gaps'],
  arguments: {
    folder: { description: 'only links in notes of this folder', completes: 'folder', schema: OPTIONAL_TEXT },
    note: { description: 'only links in this note', completes: 'note', schema: OPTIONAL_TEXT },
  },
  draft: ({ folder, note }) => {
    const where = [
      ...(note === undefined ? [] : [`the note ${JSON.stringify(note)}`]),
      ...(folder === undefined ? [] : [`the folder ${JSON.stringify(folder)}`]),
    ];
    return {
      task: `Find and fix the broken links in ${where.join(' in ') || 'my notes'}.`,
      questions: [
        {
          what: 'broken links by target name, with their places and the note they probably meant',
          tool: 'find_gaps',
          args: { kind: 'unresolved', limit: 25, ...(folder && { folder }), ...(note && { note }) },
          tokens: 4_000,
          decides: true,
        },
      ],
      steps: [
        'Sort each name into one of: misspelled (the suggestion is meant), moved or renamed, a planned note that is not written yet, not meant as a link. A suggestion is only a similar name: check it against the sentence.',
        {
          tools: ['resolve_names', 'read_notes', 'search_text'],
          say: (tools) => `Where the meaning is not clear, check with ${tools} before you decide.`,
        },
        { propose: 'the fixed links', tools: ['replace_in_notes', 'edit_note', 'create_note'] },
        'If you are not sure, leave the link alone and ask me. Say how many more names there are.',
      ],
    };
  },
});
