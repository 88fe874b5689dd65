// Finds the lines of front matter that can have a date of what the note is about.

import { DATE_PROPERTIES } from '../dates/note-date.ts';
import { splitLines } from '../parse/lines.ts';
import { bodyStart } from '../properties/front-matter.ts';

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
const PAIR = /^([\p{L}_][^:\n]{0,100}):[ \t]+(\S.{0,500})$/u;

export interface PropertyLine {
  readonly line: number;
  /** `born: 1815-12-10` */
  readonly text: string;
  readonly value: string;
}

export function propertyPassages(text: string): PropertyLine[] {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  return lines.starts.slice(0, bodyLine).flatMap((start, at) => {
    const [, name = '', value = ''] = PAIR.exec(text.slice(start, lines.ends[at])) ?? [];
    const plain = value.replace(/^(["'])(.*)\1$/, '$2');
    return name === '' || OF_NOTE.has(keyOf(name)) ? [] : [{ line: at + 1, text: `${name}: ${plain}`, value: plain }];
  });
}
