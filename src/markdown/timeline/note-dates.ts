// Finds the date of a whole note: in its properties, or in its name, in any form that a text can write.
import type { NotePath, Properties } from '../../base/note.ts';
import { noteName } from '../../base/note.ts';
import { DATE_PROPERTIES, noteDate } from '../dates/note-date.ts';
import { type PlainDate, plainDate } from '../dates/written/plain-date.ts';
import type { WrittenDate } from '../dates/written/written-dates.ts';

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
  const known = noteDate(path, properties);
  if (known?.by === 'property') return { date: plainDate(known.date), by: 'property' };
  const coarse = DATE_PROPERTIES.map((name) => properties[name]).find((value) => value !== undefined && value !== null);
  const ofProperty = typeof coarse === 'string' || typeof coarse === 'number' ? dateIn(String(coarse)) : undefined;
  if (ofProperty !== undefined) return { ...ofProperty, by: 'property' };
  const named = dateIn(noteName(path));
  if (named !== undefined) return { ...named, by: 'name' };
  return known === undefined ? undefined : { date: plainDate(known.date), by: 'name' };

  function dateIn(text: string): Pick<DateOfNote, 'date' | 'until'> | undefined {
    if (YEAR.test(text)) return { date: { year: Number(text) } };
    const first = datesIn(text.replaceAll('_', ' ')).find(({ date }) => date.year !== undefined);
    return first === undefined ? undefined : { date: first.date, ...(first.until && { until: first.until }) };
  }
}
