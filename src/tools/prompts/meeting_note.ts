// Prompt: start the note of a meeting from what the notes know of its topic and people.
import * as z from 'zod';
import { definePrompt, OPTIONAL_TEXT, REQUIRED_TEXT } from './prompt-text.ts';

const MAX_PEOPLE = 20;
const MAX_NAME_LENGTH = 500;

export const meetingNote = definePrompt({
  name: 'meeting_note',
  title: 'Start a meeting note',
  description: 'Prepares the note of a meeting: who attends, what was said about the topic before, what is still open.',
  needs: ['get_context', 'resolve_names'],
  arguments: {
    topic: { description: 'what the meeting is about, in a few words', completes: 'topic', schema: REQUIRED_TEXT },
    people: {
      description: 'who attends, separated by commas',
      schema: z.array(z.string().max(MAX_NAME_LENGTH)).optional(),
    },
    template: {
      description: 'the template to use, as in the template folder',
      completes: 'note',
      schema: OPTIONAL_TEXT,
    },
  },
  draft: ({ topic, people = [], template }) => {
    const names = people
      .flatMap((one) => one.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .slice(0, MAX_PEOPLE);
    return {
      task: `Start a note for my meeting about ${JSON.stringify(topic)}${names.length === 0 ? '' : ` with ${names.join(', ')}`}.`,
      questions: [
        ...(names.length === 0
          ? []
          : [{ what: 'the notes of the people', tool: 'resolve_names', args: { names }, tokens: 800 }]),
        {
          what: 'what my notes say about the topic',
          tool: 'get_context',
          args: { topic, budget_tokens: 2_500 },
          tokens: 2_700,
          decides: true,
        },
        {
          what: 'open tasks in notes of the last month',
          tool: 'list_tasks',
          args: { status: 'open', since: '1mo', limit: 20 },
          tokens: 900,
        },
        ...(template
          ? [{ what: 'the template', tool: 'read_notes', args: { notes: [template], max_chars: 3_000 }, tokens: 900 }]
          : []),
      ],
      steps: [
        'Sum up in a few lines what was decided about the topic before and what is still open, with sources; leave out tasks that have nothing to do with it.',
        {
          tools: ['search_text', 'get_neighbors'],
          say: (tools) => `Look for earlier meetings about it, or with these people, with ${tools}.`,
        },
        'Link each person who has a note; write the others as plain text. Never invent a note, a decision or a date.',
        {
          propose: `the meeting note: date, people, agenda, open points, a heading for notes and one for tasks${template ? `, from the template ${JSON.stringify(template)}` : ''}`,
          tools: ['create_note', 'edit_note'],
        },
      ],
    };
  },
});
