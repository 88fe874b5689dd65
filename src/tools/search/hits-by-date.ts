// Orders hits by the dates of their notes: by time alone, or with a mild preference for recent ones.
import * as z from 'zod';
import { isPdf, type NotePath } from '../../base/note.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import type { TextQuery } from '../../contracts/text-query.ts';

/** The arguments of the searches. */
export const timeShape = {
  sort: z.enum(['time']).optional().describe('newest'),
  prefer: z.enum(['recent']).optional().describe('mild'),
};

interface Hit {
  readonly path: NotePath;
  readonly score: number;
  readonly named?: true;
}

export interface HitDate {
  readonly date: string;
  readonly dated_by: NoteSummary['datedBy'];
}

export interface HitsByDate<H extends Hit> {
  readonly hits: readonly H[];
  /** The dates of the hits that have one of their own, not only a file's time. */
  readonly dates: ReadonlyMap<NotePath, HitDate>;
  /** What was done, for the answer. */
  readonly view: object;
}

/** So many of the best hits are put in order of time. */
export const MAX_SORTED = 1_000;
/** So many of the best hits gain by their date. */
export const MAX_PREFERRED = 100;
/** What the newest of them gains. */
const BOOST = 0.2;
/** Hits with a smaller share of the best score are about something else, unless they have all that was asked for. */
const MIN_SHARE = 0.5;

/** Whether every hit by words has all words of the query. */
export function asksForAll({ terms, match }: Pick<TextQuery, 'terms' | 'match'>): boolean {
  return match === 'all' || terms.filter(({ negated }) => !negated).length <= 1;
}

/** Hits with the newest notes first, then those without a date, as they were. @param fits whether a hit has all that was asked for, so that it is kept whatever its score */
export async function newestFirst<H extends Hit>(
  hits: readonly H[],
  fits: (hit: H) => boolean,
  store: Store,
  signal: AbortSignal,
): Promise<HitsByDate<H>> {
  const best = Math.max(...hits.map(({ score }) => score), 0);
  const fitting = hits.filter((hit) => hit.named || hit.score >= MIN_SHARE * best || fits(hit));
  const dates = await ownDates(fitting, store, signal);
  const dateOf = ({ path }: Hit): string => dates.get(path)?.date ?? '';
  const dated = fitting
    .filter(({ path }) => dates.has(path))
    .toSorted((one, other) => compare(dateOf(other), dateOf(one)));
  const undated = fitting.filter(({ path }) => !dates.has(path));
  const weaker = hits.length - fitting.length;
  const view = {
    sorted: 'by note date, newest first',
    ...(undated.length > 0 && { undated: undated.length }),
    ...(weaker > 0 && { weaker_hits: weaker }),
  };
  return { hits: [...dated, ...undated], dates, view };
}

/** The newest hit gains most, the oldest nothing; the steps between are even, so that no odd date changes them. */
export async function recentPreferred<H extends Hit>(
  found: readonly H[],
  store: Store,
  signal: AbortSignal,
): Promise<HitsByDate<H>> {
  const first = found.slice(0, MAX_PREFERRED);
  const dates = await ownDates(first, store, signal);
  const steps = [...new Set([...dates.values()].map(({ date }) => date))].sort(compare);
  const places = new Map(steps.map((date, at) => [date, steps.length === 1 ? 0 : at / (steps.length - 1)]));
  const raised = first.map((hit) => {
    const { date = '' } = dates.get(hit.path) ?? {};
    return { ...hit, score: hit.score * (1 + BOOST * (places.get(date) ?? 0)) };
  });
  const groupOf = ({ named }: Hit): number => (named ? 0 : 1);
  const hits = raised.toSorted((one, other) => groupOf(one) - groupOf(other) || other.score - one.score);
  const preferred = `recent: scores of the first ${MAX_PREFERRED} hits rise by note date, the newest by ${100 * BOOST} %, those without a date not`;
  return { hits: [...hits, ...found.slice(MAX_PREFERRED)], dates, view: { preferred } };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** A file's time says when it was copied, if anything: it is not among them. */
export async function ownDates(
  hits: readonly { readonly path: NotePath }[],
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<NotePath, HitDate>> {
  const paths = hits.map(({ path }) => path);
  const listed = async (kind: Pick<NoteFilter, 'attachments'>) => {
    const filter = { among: paths, excluded: 'include', ...kind } as const;
    return (await store.listNotes(filter, 'path', 'asc', { limit: paths.length, offset: 0 }, signal)).notes;
  };
  const notes = await listed({});
  const others = paths.some(isPdf) ? await listed({ attachments: 'all' }) : [];
  const dated = [...notes, ...others].filter(({ datedBy }) => datedBy !== 'modified');
  return new Map(dated.map(({ path, date, datedBy }) => [path, { date, dated_by: datedBy }]));
}
