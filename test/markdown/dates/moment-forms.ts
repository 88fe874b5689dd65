// Reads `moment-forms.tsv`: what Moment.js makes of a few dates in each language, a line for each date and a column for each format.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [head = [], ...rows] = readFileSync(join(import.meta.dirname, 'moment-forms.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

export const formats = head.slice(2);
const byLanguage = Object.groupBy(rows, ([language = '']) => language);

/** By language: the texts of each date, in the order of the formats. */
export const texts: Readonly<Record<string, readonly (readonly string[])[]>> = Object.fromEntries(
  Object.entries(byLanguage).map(([language, dates = []]) => [language, dates.map((row) => row.slice(2))]),
);

/** The same for every language: local times. */
export const dates = Object.values(byLanguage)[0]?.map(([, time = '']) => new Date(time)) ?? [];
