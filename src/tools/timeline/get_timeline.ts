// Tool: dated passages about a topic or about notes, in order of time.
import * as z from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { filterShape, folderArgument, periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { RESOLVE_FAILURES } from '../notes/note-reference.ts';
import { createPaging, cursorArgument } from '../notes/page.ts';
import { parseAround, parseDate } from '../notes/parse-date.ts';
import { filterWithoutTemplates, leftOutView, warnOfFilters } from '../notes/vault-filter.ts';
import { embedKnownQuery, type QueryVector } from '../search/embed-query.ts';
import { warnOfForeignSyntax, warnOfLeftOut } from '../search/query-warnings.ts';
import { hasMeaning, parseQuestion } from '../search/text-query.ts';
import { type FoundNotes, namedNotes, type TopicNotes, topicNotes } from './timeline-notes.ts';
import { datedRows, dateWithin, inTime, type Row, type TimeAsked, within } from './timeline-rows.ts';

/** Notes that one call names. */
const MAX_NAMED = 10;

const input = z.strictObject({
  topic: z.string().optional().describe('a question'),
  notes: z.array(z.string().min(1)).min(1).max(MAX_NAMED).optional().describe('and mentions'),
  before: z.string().optional().describe('date'),
  after: z.string().optional().describe('date'),
  around: z.string().optional().describe('date'),
  folder: folderArgument.describe('path'),
  tags: filterShape.tags.describe('nested too'),
  where: filterShape.where.describe('due exists'),
  file_times: z.boolean().default(false).describe('file dates'),
  limit: z.int().min(1).max(100).optional().describe('rows'),
  cursor: cursorArgument,
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault'>;
type ByMeaning = (meaning: string) => Promise<QueryVector | undefined>;

const TOPIC_ROWS = 5;
const NOTE_ROWS = 20;
const accepted = Object.keys(input.shape);
const paging = createPaging('get_timeline', input.shape);
const FAILS = [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'] as const satisfies readonly ErrorCode[];

const tool = {
  name: 'get_timeline',
  title: 'Timeline',
  summary: 'Dated passages about a topic or notes. Returns date, by, text, line.',
  example: { topic: 'pier', where: ['status = open'] },
  words: 'when, history',
  effect: 'reads',
  references: ['notes'],
  index: 'part',
  input,
} as const;

/** @param embedding whether the config names an embedding provider; passages are then found by meaning, too */
export function createGetTimeline({ embedding = false }: { readonly embedding?: boolean }) {
  if (!embedding)
    return defineTool({
      ...tool,
      needs: ['store', 'vault'],
      fails: [...FAILS],
      run: (args: Args, granted, call) => timeline(args, granted, async () => undefined, call),
    });
  return defineTool({
    ...tool,
    needs: ['store', 'vault', 'indexer', 'embedding'],
    fails: [...FAILS, 'EMBEDDER_MISMATCH', 'INDEX_JOB_FAILED'],
    run: (args: Args, granted, call) =>
      timeline(args, granted, (meaning) => embedKnownQuery(meaning, granted, call), call),
  });
}

async function timeline(args: Args, granted: Sources, byMeaning: ByMeaning, call: CallContext) {
  const { topic } = args;
  const limited = { ...args, limit: args.limit ?? (topic === undefined ? NOTE_ROWS : TOPIC_ROWS) };
  const page = paging.pageOf(limited);
  const time = timeAsked(args, new Date());
  const filter = await filterWithoutTemplates(args, granted, call);
  const notes = await notesOf(args, filter, dateWithin(time), granted, byMeaning, call);
  await warnOfFilters(filter, granted.store, call);
  const fileDates = args.file_times ? await fileDatesOf(notes, granted, call) : new Map<NotePath, string>();
  const { rows, undated, unread } = await datedRows(notes, fileDates, granted.vault, call);
  const rowsInTime = within(rows, time);
  if (rowsInTime.length === 0) warnOfNoTime(time, call);
  // What happened before a day is what happened last before it.
  const isFromEnd = topic === undefined && args.before !== undefined && args.after === undefined;
  const all = isFromEnd && args.around === undefined ? rowsInTime.toReversed() : rowsInTime;
  const shown = inTime(all.slice(page.offset, page.offset + page.limit));
  return {
    entries: shown.map(rowView),
    total: rowsInTime.length,
    undated,
    ...(unread > 0 && { unread_notes: unread }),
    ...periodView(filter, periodAsked(time)),
    ...leftOutView(filter),
    ...('corrected' in notes && { corrected: notes.corrected }),
    ...paging.next(limited, page, { shown: shown.length, total: all.length }),
  };
}

/** @throws INVALID_QUERY */
function timeAsked({ before, after, around }: Args, now: Date): TimeAsked {
  return {
    ...(before !== undefined && { before: parseDate(before, 'before', now) }),
    ...(after !== undefined && { after: parseDate(after, 'after', now) }),
    ...(around !== undefined && { around: parseAround(around, now) }),
  };
}

/** Warns of a period without time, with the code that `list_notes` uses. */
function warnOfNoTime({ before, after }: TimeAsked, call: CallContext): void {
  if (before === undefined || after === undefined || after < before) return;
  const message = `no time is after ${localDate(after)} and before ${localDate(before)}`;
  call.warn({ code: 'FILTER_MATCHES_NOTHING', message });
}

function periodAsked({ before, after, around }: TimeAsked): object {
  return {
    ...(before !== undefined && { before: localDate(before) }),
    ...(after !== undefined && { after: localDate(after) }),
    ...(around !== undefined && { around: { from: localDate(around.from), before: localDate(around.to) } }),
  };
}

/** @throws INVALID_QUERY, RESOLVE_FAILURES */
async function notesOf(
  { topic, notes }: Args,
  filter: NoteFilter,
  isOfTime: ReturnType<typeof dateWithin>,
  sources: Sources,
  byMeaning: ByMeaning,
  call: CallContext,
): Promise<FoundNotes | TopicNotes> {
  if (topic === undefined && notes === undefined)
    throw inputRefusal(tool.name, accepted, { path: 'topic', rule: 'is required without notes' });
  const named = notes === undefined ? undefined : await namedNotes(notes, filter, sources, call);
  if (topic === undefined) return named as FoundNotes;
  const question = parseQuestion(topic, 'any');
  const embedding = hasMeaning(question) ? byMeaning(question.meaning) : Promise.resolve(undefined);
  const scope = named === undefined ? filter : { ...filter, among: named.notes.map(({ path }) => path) };
  const about = await topicNotes(question, embedding, scope, isOfTime, sources, call);
  warnOfForeignSyntax(topic, call);
  warnOfLeftOut(about.leftOut, 'any', call);
  return about;
}

async function fileDatesOf(
  { notes }: FoundNotes,
  { store }: Sources,
  call: CallContext,
): Promise<Map<NotePath, string>> {
  const paths = notes.map(({ path }) => path);
  const records = await store.notes(paths, call.signal);
  const dates = records.map(({ path, modifiedMs }) => [path, localDate(modifiedMs).slice(0, MINUTES)] as const);
  return new Map(dates.filter(([, date]) => /^\d/.test(date)));
}

/** A file's seconds say nothing. */
const MINUTES = '2026-11-20T09:30'.length;

function rowView({ path, date, until, precision, by, task, yearBy, noteDate, text, heading, lines, rank }: Row) {
  return {
    date,
    ...(until !== undefined && { until }),
    precision,
    by,
    ...(task !== undefined && { task }),
    ...(yearBy !== undefined && { year_by: yearBy }),
    ...(noteDate !== undefined && { note_date: noteDate }),
    text,
    path,
    ...(heading !== undefined && { heading }),
    line: lines[0],
    ...(rank !== undefined && { rank }),
  };
}
