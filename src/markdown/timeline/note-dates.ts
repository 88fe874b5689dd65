// Finds the date of a whole note, in its properties or its name, and the lines of its properties that can have other dates.
import { type NotePath, noteName, type Properties } from '../../base/note.ts';
import { DATE_PROPERTIES, noteDate } from '../dates/note-date.ts';
import { type PlainDate, plainDate } from '../dates/written/plain-date.ts';
import type { WrittenDate } from '../dates/written/written-dates.ts';
import { splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';

export interface DateOfNote {
  readonly date: PlainDate;
  readonly until?: PlainDate;
  readonly by: 'property' | 'name' | 'file';
}

/** A name that is only a year. */
const YEAR = /^(?:1[5-9]|20)\d\d$/;

export function dateOfNote(
  path: NotePath,
  properties: Properties,
  datesIn: (text: string) => readonly WrittenDate[],
): DateOfNote | undefined {
  const noteDay = noteDate(path, properties);
  if (noteDay?.by === 'property') return { date: plainDate(noteDay.date), by: 'property' };
  const coarse = DATE_PROPERTIES.map((name) => properties[name]).find((value) => value !== undefined && value !== null);
  const ofProperty = typeof coarse === 'string' || typeof coarse === 'number' ? dateIn(String(coarse)) : undefined;
  if (ofProperty !== undefined) return { ...ofProperty, by: 'property' };
  const named = dateIn(noteName(path));
  if (named !== undefined) return { ...named, by: 'name' };
  return noteDay === undefined ? undefined : { date: plainDate(noteDay.date), by: 'name' };

  function dateIn(text: string): Pick<DateOfNote, 'date' | 'until'> | undefined {
    if (YEAR.test(text)) return { date: { year: Number(text) } };
    const first = datesIn(text.replaceAll('_', ' ')).find(({ date }) => date.year !== undefined);
    return first === undefined ? undefined : { date: first.date, ...(first.until && { until: first.until }) };
  }
}

const keyOf = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');
/** These are dates of the note or of its file. */
const OF_NOTE: ReadonlySet<string> = new Set(
  [
    ...DATE_PROPERTIES,
    'modified',
    'date modified',
    'updated',
    'updated at',
    'last updated',
    'last modified',
    'lastmod',
    'mtime',
    'ctime',
    'id',
    'uid',
    'uuid',
    'version',
  ].map(keyOf),
);
export const isDateOfNote = (property: string): boolean => OF_NOTE.has(keyOf(property));

const PAIR = /^([\p{L}_][^:\n]{0,100}):[ \t]+(\S.{0,500})$/u;

interface PropertyLine {
  readonly line: number;
  /** `born: 1815-12-10` */
  readonly text: string;
  readonly value: string;
}

export function propertyPassages(text: string): PropertyLine[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  return [...lines.starts.subarray(0, bodyLine)].flatMap((start, at) => {
    const [, name = '', value = ''] = PAIR.exec(text.slice(start, lines.ends[at])) ?? [];
    const plain = value.replace(/^(["'])(.*)\1$/, '$2');
    return name === '' || isDateOfNote(name) ? [] : [{ line: at + 1, text: `${name}: ${plain}`, value: plain }];
  });
}
