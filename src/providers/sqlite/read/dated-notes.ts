// Finds the notes of a date that a query names: by their own date, or by a title or heading that is one.
import type { SoughtDate } from '../../../contracts/text-query.ts';
import { fieldBits } from '../../../postings/fields.ts';
import { idf, type Scores } from '../../../postings/rank.ts';
import type { TextIndex } from '../../../postings/text-index.ts';
import { type SoughtWords, soughtWords } from '../../../postings/words.ts';
import { createRevisionMemo } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';

export interface WantedDate extends SoughtDate {
  /** Its written forms. */
  readonly sought: readonly SoughtWords[];
}

export function wantedDate(date: SoughtDate): WantedDate {
  return { ...date, sought: date.written.flatMap((text) => soughtWords({ text, kind: 'phrase' }) ?? []) };
}

interface DatedFile {
  readonly id: number;
  readonly date: string;
}

/** All notes that have a date, by its year. */
export type DatesOfNotes = () => ReadonlyMap<string, readonly DatedFile[]>;

/** Read once for each revision of the index: to compare the dates in SQL takes as long for each date of a query. */
export function createDatesOfNotes(rows: Rows): DatesOfNotes {
  // A full memo is emptied.
  const memo = createRevisionMemo(rows, 2);
  const read = () => rows.all<DatedFile>('SELECT id, date FROM files WHERE date IS NOT NULL');
  return () => memo('dates', () => Map.groupBy(read(), ({ date }) => date.slice(0, YEAR_LENGTH)));
}

export interface DatedNotes {
  readonly notes: readonly number[];
  /** What each gains. */
  readonly share: number;
}

/** A date counts as much as so many words that are in as many notes. */
const WEIGHT = 2;
const NAMES = fieldBits('title', 'aliases', 'headings');

/** Before notes are excluded: those of a date that is found by itself are among the results. */
export function datedNotes(
  datesOf: DatesOfNotes,
  index: TextIndex,
  scores: Scores,
  dates: readonly WantedDate[],
): DatedNotes[] {
  return dates.flatMap(({ days, around, sought, isFound }) => {
    const notes = new Set([...notesOn(days, datesOf, index), ...sought.flatMap((words) => notesNamed(words, index))]);
    if (isFound) scores.find(notes);
    return [notes, new Set(notesOn(around, datesOf, index))].map((dated) => ({
      notes: [...dated],
      share: WEIGHT * idf(index.live, dated.size),
    }));
  });
}

const YEAR_LENGTH = 4;
const ANY_YEAR = '____-';

/** @param days of the same length */
function notesOn(days: readonly string[], datesOf: DatesOfNotes, index: TextIndex): number[] {
  const [first = ''] = days;
  if (first === '') return [];
  const skipped = first.startsWith(ANY_YEAR) ? ANY_YEAR.length : 0;
  const parts = new Set(days.map((day) => day.slice(skipped)));
  const byYear = datesOf();
  const years = skipped > 0 ? byYear.keys() : new Set(days.map((day) => day.slice(0, YEAR_LENGTH)));
  const dated = [...years].flatMap((year) => byYear.get(year) ?? []);
  const matching = dated.filter(({ date }) => parts.has(date.slice(skipped, first.length)));
  return matching.length === 0 ? [] : index.notesOf(matching.map(({ id }) => id));
}

function notesNamed(words: SoughtWords, index: TextIndex): number[] {
  const { notes, count, fields } = index.tally(words);
  return Array.from(notes.subarray(0, count)).filter((note) => ((fields[note] as number) & NAMES) !== 0);
}

export function addDates(scores: Float64Array, dated: readonly DatedNotes[]): void {
  for (const { notes, share } of dated) for (const note of notes) scores[note] = (scores[note] as number) + share;
}
