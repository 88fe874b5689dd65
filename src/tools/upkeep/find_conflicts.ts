// Tool: near statements of different notes that differ in numbers, dates, negation or state.
import * as z from 'zod';
import { type BatchResult, runBatch } from '../../base/batch.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { comparePaths } from '../../base/path-order.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import type { Conflict, NearPassages, Passage } from '../../markdown/claims/conflicts.ts';
import { asData, DATA_RULES, openLlmSession, type Task } from '../llm/llm-session.ts';
import { runEnds } from '../llm/summarize_notes.ts';
import { folderArgument } from '../notes/filters.ts';
import { RESOLVE_FAILURES } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { leftOutView } from '../notes/vault-filter.ts';
import { embedKnownQuery } from '../search/embed-query.ts';
import { hasMeaning, parseQuestion } from '../search/text-query.ts';
import { activeVectors, requiredByConfig } from '../search/vector-space.ts';
import { notesToCompare } from './compared-notes.ts';
import { withoutTemplates } from './without-templates.ts';

const shape = {
  topic: z.string().min(1).optional().describe('default the whole vault'),
  notes: z.array(z.string().min(1)).min(1).max(10).optional().describe('paths or names'),
  folder: folderArgument,
  ...pageShape,
};
const plain = z.strictObject(shape);
const judging = z.strictObject({ ...shape, check: z.boolean().optional().describe('true: the model judges each') });
type Args = z.infer<typeof plain> & { readonly check?: boolean | undefined };

type Needed = 'store' | 'vault' | 'indexer' | 'embedding' | 'llm';

/** `2026-11-20` */
const DAY = 10;

const FAILS = [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'] as const;
const FAILS_OF_VECTORS: readonly ErrorCode[] = ['EMBEDDER_MISMATCH', 'INDEX_JOB_FAILED'];

/** @param embedding, llm whether the config names these providers: topics are then found by meaning, and pairs can be judged */
export function createFindConflicts({
  embedding = false,
  llm = false,
}: {
  readonly embedding?: boolean;
  readonly llm?: boolean;
}) {
  const needs: readonly Needed[] = [
    ...(['store', 'vault'] as const),
    ...(embedding ? (['indexer', 'embedding'] as const) : []),
    ...(llm ? (['llm'] as const) : []),
  ];
  return defineTool<Needed, Args, object>({
    name: 'find_conflicts',
    title: 'Conflicts',
    summary:
      'Pairs passages on one subject that differ in numbers, dates, negation or state. Returns candidates with dates.',
    words: 'contradictions',
    long: true,
    effect: 'reads',
    references: ['notes'],
    needs,
    index: 'whole',
    fails: [...FAILS, ...(embedding ? FAILS_OF_VECTORS : [])],
    input: llm ? judging : plain,
    run: (args, granted, call) => findConflicts(args, granted, embedding, call),
  });
}

type Found = Awaited<ReturnType<typeof candidates>>;
const paging = createPaging('find_conflicts', judging.shape);

async function findConflicts(args: Args, granted: Granted<Needed>, embedding: boolean, call: CallContext) {
  const { check = false, ...asked } = args;
  const page = paging.pageOf(asked);
  const cache = await call.storeCache.get(noConflicts, granted.store, call.signal);
  const vectors = embedding ? await vectorsOf(granted.store, call) : [];
  const key = JSON.stringify([asked.topic, asked.notes, asked.folder, vectors]);
  const candidatePairs = cache.get(key) ?? (await candidates(asked, granted, embedding, call));
  cache.set(key, candidatePairs);
  if (candidatePairs.left > 0) {
    const message = `${candidatePairs.left} notes were not compared, those changed longest ago: name a topic, notes or a folder`;
    call.warn({ code: 'TRUNCATED', message, count: candidatePairs.left });
  }
  const shown = candidatePairs.pairs.slice(page.offset, page.offset + page.limit);
  if (check) return judged(shown, granted, call);
  const total = candidatePairs.pairs.length;
  return {
    candidates: shown,
    total,
    compared_notes: candidatePairs.notes,
    compared_passages: candidatePairs.passages,
    ...(candidatePairs.series > 0 && { series_left_out: candidatePairs.series }),
    ...candidatePairs.leftOut,
    ...paging.next(asked, page, { shown: shown.length, total }),
  };
}

/** Vectors follow an index without a change of it. */
async function vectorsOf(store: Store, { signal }: CallContext): Promise<readonly number[]> {
  return (await store.generations(signal)).flatMap(({ id, embedded }) => [id, embedded]);
}

/** By the arguments and the vectors. Emptied with every change of the index. */
const noConflicts = async () => new Map<string, Found>();

async function candidates(args: Args, granted: Granted<Needed>, embedding: boolean, call: CallContext) {
  const filter = await withoutTemplates(args.folder, granted, call);
  const question = args.topic === undefined ? undefined : parseQuestion(args.topic, 'any');
  const isMeant = embedding && args.notes === undefined && question !== undefined && hasMeaning(question);
  const vector = isMeant ? embedKnownQuery(question.meaning, granted, call) : Promise.resolve(undefined);
  const { left, ...query } = await notesToCompare(args, filter, vector, granted, call);
  const isWhole = embedding && args.notes === undefined && question === undefined;
  const near = isWhole ? await byMeaning(query.notes, filter, granted, call) : [];
  const { conflicts, compared, series } = await call.compute.run(jobs.conflicts, { ...query, near }, call.signal);
  const pairs = await dated(conflicts, granted.store, call);
  return { pairs, notes: query.notes.length, passages: compared, series, left, leftOut: leftOutView(filter) };
}

/** Without vectors that fit, pairs are found by words as in a vault without a model. */
async function byMeaning(
  notes: readonly { readonly path: string }[],
  filter: NoteFilter,
  granted: Granted<Needed>,
  call: CallContext,
): Promise<readonly NearPassages[]> {
  const paths = notes.map(({ path }) => path as NotePath);
  const near = await outcomeOf(nearPassages(paths, filter, granted, call));
  call.signal.throwIfAborted();
  if ('value' in near) return near.value;
  const message = `pairs are found by words only: [${near.error.code}] ${near.error.message}`;
  call.warn({ code: 'EXTRA_MISSING', message });
  return [];
}

type Pair = ReturnType<typeof pairView>;

/** With the dates of their notes, the pair with the newest passage first. */
async function dated(conflicts: readonly Conflict[], store: Store, { signal }: CallContext): Promise<readonly Pair[]> {
  const paths = [...new Set(conflicts.flatMap(({ passages }) => passages.map(({ path }) => path as NotePath)))];
  const records = await store.notes(paths, signal);
  const dates = new Map<string, { date: string; datedBy: string }>(records.map((record) => [record.path, record]));
  const views = conflicts.map((conflict) => pairView(conflict, dates));
  return views.sort((one, other) => {
    const newer = byDay(one.passages[0], other.passages[0]);
    return newer || other.similarity - one.similarity || byPlace(one.passages, other.passages);
  });
}

interface Placed {
  readonly path: string;
  readonly line: number;
  readonly date: string;
}

/** The later day first: times of files within a day say nothing of what was written first. */
function byDay(one: Placed | undefined, other: Placed | undefined): number {
  const [day = '', second = ''] = [one, other].map((placed) => placed?.date.slice(0, DAY));
  return day === second ? 0 : day < second ? 1 : -1;
}

function byPlace(one: readonly Placed[], other: readonly Placed[]): number {
  const [place, second] = [one, other].map((placed) => placed.map(({ path, line }) => `${path}\0${line}`).join('\0'));
  return comparePaths(place ?? '', second ?? '');
}

function pairView(
  { kind, similarity, foundBy, passages }: Conflict,
  dates: ReadonlyMap<string, { date: string; datedBy: string }>,
) {
  const views = passages.map(({ path, line, heading, text }: Passage) => {
    const { date = '', datedBy = 'modified' } = dates.get(path) ?? {};
    return { path, line, ...(heading !== undefined && { heading }), date, dated_by: datedBy, text };
  });
  const reason = foundBy === 'meaning' ? { found_by: foundBy } : {};
  return {
    kind,
    similarity,
    ...reason,
    passages: views.sort((one, other) => byDay(one, other) || byPlace([one], [other])),
  };
}

const JUDGE: Task<Verdict> = {
  name: 'judge conflict',
  version: 1,
  instructions: [
    'Two passages of notes about what may be one subject. Say whether both can be true at once.',
    '`verdict`: `conflict` if they cannot, `compatible` if they can, as of two subjects or two times, `unclear` if the passages do not say. `reason`: one sentence, in their language.',
    DATA_RULES,
  ].join('\n'),
  schema: z.object({ verdict: z.enum(['conflict', 'compatible', 'unclear']), reason: z.string().min(1) }),
  maxAnswerTokens: 200,
};

interface Verdict {
  readonly verdict: 'conflict' | 'compatible' | 'unclear';
  readonly reason: string;
}

/** Each pair alone, as many as the time of the call allows. */
async function judged(
  pairs: readonly Pair[],
  { llm }: Granted<'llm'>,
  call: CallContext,
): Promise<BatchResult<object>> {
  const model = openLlmSession(llm, call);
  const ids = pairs.map(({ passages }) => passages.map(({ path, line }) => `${path}:${line}`).join(' | '));
  const judge = async (_: string, at: number) => {
    call.progress(at, pairs.length, `judging pair ${at + 1} of ${pairs.length}`);
    const pair = pairs[at] as Pair;
    const { verdict, reason } = await model.ask(JUDGE, promptOf(pair));
    return { verdict, reason, ...pair, model: model.model };
  };
  const batch = await runBatch(ids, call.signal, judge, runEnds('judging', call));
  model.reportProvider();
  return batch;
}

const promptOf = ({ passages }: Pair): string =>
  asData(passages.map(({ path, heading = '', date, text }) => `${path}\n${heading}\n${date}\n${text}`));

type Sources = Granted<'store' | 'indexer' | 'embedding'>;

/** Limits of one call, so that it ends within seconds. */
const MAX_NOTES = 500;
const MAX_MS = 2_000;
const NEAREST = 4;

/** @param paths the notes to compare, the first of them with each other one. @throws EMBEDDER_MISMATCH */
async function nearPassages(
  paths: readonly NotePath[],
  filter: NoteFilter,
  sources: Sources,
  call: CallContext,
): Promise<readonly NearPassages[]> {
  const { store, embedding } = sources;
  const generation = await activeVectors(requiredByConfig(embedding), sources, call);
  if (generation === undefined) return [];
  const until = performance.now() + Math.min(MAX_MS, call.msLeft() / 4);
  const near: NearPassages[] = [];
  const isRead = new Set<string>(paths);
  const done = new Set<string>();
  for (const path of paths.slice(0, MAX_NOTES)) {
    await letOthersRun(call.signal);
    if (performance.now() > until) break;
    done.add(path);
    const vector = await store.noteVector(generation.id, path, call.signal);
    if (vector === null) continue;
    const hits = await store.nearestNotes(generation.id, vector, filter, [path], NEAREST, call.signal);
    const others = hits.map((hit) => hit.path).filter((other) => isRead.has(other) && !done.has(other));
    const pairs = await store.nearestPairs(generation.id, path, others, call.signal);
    for (const [other, { lines, otherLines }] of pairs)
      near.push([
        { path, lines },
        { path: other, lines: otherLines },
      ]);
  }
  return near;
}
