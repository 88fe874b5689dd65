// Prompt: review a week from its notes, tasks and changes.
import * as z from 'zod';
import { isPeriodFault, parsePeriod } from '../periods/period.ts';
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

export const weeklyReview = definePrompt({
  name: 'weekly_review',
  title: 'Review my week',
  description:
    'Reviews a week from its notes, what was ticked and what is overdue, and notes that nothing links to yet.',
  needs: ['list_notes', 'list_tasks'],
  arguments: {
    week: {
      description: 'this week, last week (the default) or a week such as 2026-W47',
      schema: z
        .string()
        .trim()
        .refine(isWeek, 'must be this week, last week or a week such as 2026-W47')
        .default('last week'),
    },
    folder: { description: 'only notes and tasks in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
  },
  draft: ({ week, folder }) => {
    const within = folder ? { folder } : {};
    return {
      task: `Review ${week} with me, from my notes.`,
      questions: [
        {
          what: 'notes of that week, by their own date, or else by when they changed',
          tool: 'list_notes',
          args: { since: week, until: week, sort: 'modified', limit: 40, ...within },
          tokens: 2_200,
          decides: true,
        },
        {
          what: 'tasks ticked in notes of that week',
          tool: 'list_tasks',
          args: { status: 'done', since: week, until: week, limit: 30, ...within },
          tokens: 1_000,
        },
        {
          what: 'open tasks that are overdue today',
          tool: 'list_tasks',
          args: { status: 'open', due_before: 'today', limit: 25, ...within },
          tokens: 1_000,
        },
        {
          what: 'notes changed since the week began that no note links to',
          tool: 'find_gaps',
          args: { kind: 'orphans', modified_since: week, limit: 15, ...within },
          tokens: 600,
        },
      ],
      steps: [
        {
          tools: ['read_notes', 'get_context'],
          say: (tools) =>
            `Read the notes that matter with ${tools}, so that you know what they say before you sum them up.`,
        },
        'Say in a few sentences per theme what the week was about: decided, finished, started, stuck.',
        'List what is overdue, and for each task ask whether to do it, move it or drop it.',
        'Name the notes of the week that should be linked, with the note each belongs to, and the open questions that only I can answer.',
        {
          propose: 'a weekly note (themes, decisions, open tasks, links to the notes)',
          tools: ['create_note', 'edit_note'],
        },
      ],
    };
  },
});

function isWeek(text: string): boolean {
  const period = parsePeriod(text, 'past', new Date());
  // A week that does not exist is refused by the tools, which say why.
  return isPeriodFault(period) ? period.position > 0 : period.unit === 'week';
}
