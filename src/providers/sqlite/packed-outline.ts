// Writes headings and blocks as short JSON rows and reads them back. Knows no table.
import type { Block, Heading } from '../../base/note.ts';

type HeadingRow = readonly [text: string, level: number, line: number, offset: number, column?: number];

export function packHeadings(headings: readonly Heading[]): string {
  const rows = headings.map(({ text, level, line, offset, column }): HeadingRow => {
    return column === 1 ? [text, level, line, offset] : [text, level, line, offset, column];
  });
  return JSON.stringify(rows);
}

export function unpackHeadings(packed: string): Heading[] {
  const rows = JSON.parse(packed) as HeadingRow[];
  return rows.map(([text, level, line, offset, column = 1]) => ({ text, level, line, column, offset }));
}

export function packBlocks(blocks: readonly Block[]): string {
  return JSON.stringify(blocks.map(({ id, line, endLine }) => [id, line, endLine]));
}

export function unpackBlocks(packed: string): Block[] {
  const rows = JSON.parse(packed) as [string, number, number][];
  return rows.map(([id, line, endLine]) => ({ id, line, endLine }));
}
