// Prompt: find notes that a note should be linked with, and where to put the links.
import { definePrompt, REQUIRED_TEXT } from './prompt-text.ts';

export const connectNote = definePrompt({
  name: 'connect_note',
  title: 'Connect this note',
  description: 'Finds related notes that are not linked yet, and where the links should go.',
  needs: ['read_notes', 'find_related', 'find_gaps'],
  arguments: {
    note: { description: 'path, name, alias or title of the note', completes: 'note', schema: REQUIRED_TEXT },
  },
  draft: ({ note }) => ({
    task: `Connect my note ${JSON.stringify(note)} with related notes.`,
    questions: [
      {
        what: 'the note itself, with the links it has',
        tool: 'read_notes',
        args: { notes: [note], include: ['content', 'links'], max_chars: 4_500 },
        tokens: 1_600,
      },
      {
        what: 'notes that share distinctive words with it and are not linked with it',
        tool: 'find_related',
        args: { note, unlinked_only: true, limit: 7 },
        tokens: 2_200,
        decides: true,
      },
      {
        what: 'notes similar in meaning that are not linked with it',
        tool: 'find_similar',
        args: { note, unlinked_only: true, limit: 6 },
        tokens: 1_000,
      },
      {
        what: 'places in other notes that mention it without a link',
        tool: 'find_gaps',
        args: { kind: 'unlinked_mentions', note, limit: 10 },
        tokens: 1_000,
      },
    ],
    steps: [
      'Judge each of these notes: is it about the same thing, or does it only use the same words? Keep the notes that a reader of either note would want.',
      {
        tools: ['read_notes', 'get_neighbors', 'suggest_links'],
        say: (tools) => `Read more with ${tools} where the evidence above is not enough to decide.`,
      },
      { propose: 'the links, each with the sentence it belongs in and one sentence on why', tools: ['edit_note'] },
      'Also name what is missing: a note that several of these need and that does not exist.',
    ],
  }),
});
