// Prompt: review a day from its notes, tasks and changes.
import * as z from 'zod';
import { localDay } from '../../markdown/dates/note-date.ts';
import { isPeriodFault, parsePeriod } from '../periods/period.ts';
import { definePrompt, OPTIONAL_TEXT } from './prompt-text.ts';

export const dailyReview = definePrompt({
  name: 'daily_review',
  title: 'Review my day',
  description: 'Reviews a day from its daily note and the one before, open tasks, and the notes from those days.',
  needs: ['read_notes', 'list_notes'],
  arguments: {
    day: {
      description: 'today (the default), yesterday, last monday or a date such as 2026-11-20',
      completes: 'day',
      schema: z
        .string()
        .trim()
        .superRefine((day, context) => {
          const period = dayOf(day);
          if (typeof period === 'string') context.addIssue(period);
        })
        .default('today'),
    },
    folder: { description: 'only tasks and changes in this folder', completes: 'folder', schema: OPTIONAL_TEXT },
    tag: { description: 'only tasks and changes in notes with this tag', completes: 'tag', schema: OPTIONAL_TEXT },
  },
  draft: ({ day, folder, tag }) => {
    const date = new Date(dayOf(day));
    const [that, before] = [localDay(date), localDay(addDays(date, -1))];
    const within = { ...(folder && { folder }), ...(tag && { tags: [tag] }) };
    const days = [before, that];
    return {
      task: `Review ${that} with me, from my notes.`,
      questions: [
        {
          what: `the daily notes of ${days.join(' and ')}`,
          tool: 'read_notes',
          args: { notes: days.map((one) => `@${one}`), max_chars: 6_000 },
          tokens: 2_800,
          otherwise: {
            what: `the notes called ${days.join(' and ')}; the folder of daily notes has none`,
            args: { notes: days, max_chars: 6_000 },
            absent: 'there is none for either day',
          },
        },
        {
          what: 'open tasks, earliest due date first',
          tool: 'list_tasks',
          args: { status: 'open', limit: 30, ...within },
          tokens: 1_200,
        },
        {
          what: `notes from ${days.join(' and ')}, by their own date, or else by when they changed`,
          tool: 'list_notes',
          args: { since: before, until: that, sort: 'modified', limit: 15, ...within },
          tokens: 1_000,
          decides: true,
        },
        {
          what: `the notes changed since ${before}, with any date`,
          tool: 'list_notes',
          args: { modified_since: before, sort: 'modified', limit: 10, ...within },
          tokens: 600,
        },
      ],
      steps: [
        `Say in a few sentences what ${that} was about and what progressed since ${before}.`,
        'List what is open, with due and overdue tasks first, and what seems to be done but is not ticked.',
        {
          tools: ['read_notes', 'get_neighbors'],
          say: (tools) => `If a changed note matters and its text is not above, read it with ${tools}.`,
        },
        'End with at most three things for the next day, and the open questions that only I can answer.',
        {
          propose: 'what belongs in the daily note (a summary, ticked tasks, links to the notes that changed)',
          tools: ['edit_note', 'create_note'],
        },
      ],
    };
  },
});

/** The start of the day, or why it is none. */
function dayOf(day: string): number | string {
  const period = parsePeriod(day, 'past', new Date());
  if (!isPeriodFault(period) && period.unit === 'day' && period.from !== undefined) return period.from;
  const isWritten = isPeriodFault(period) && period.position > 0;
  return isWritten ? `there is ${period.reason}` : 'must be a day such as today, yesterday, last monday or 2026-11-20';
}

function addDays(date: Date, days: number): Date {
  const day = new Date(date);
  day.setDate(date.getDate() + days);
  return day;
}
