// Writes headings and blocks as short JSON rows and reads them back. Knows no table.
import type { Block, Heading } from '../../base/note.ts';

export function packHeadings(headings: readonly Heading[]): string {
  return JSON.stringify(headings.map(({ text, level, line, column, offset }) => [text, level, line, column, offset]));
}

export function unpackHeadings(packed: string): Heading[] {
  const rows = JSON.parse(packed) as [string, number, number, number, number][];
  return rows.map(([text, level, line, column, offset]) => ({ text, level, line, column, offset }));
}

export function packBlocks(blocks: readonly Block[]): string {
  return JSON.stringify(blocks.map(({ id, line, endLine }) => [id, line, endLine]));
}

export function unpackBlocks(packed: string): Block[] {
  const rows = JSON.parse(packed) as [string, number, number][];
  return rows.map(([id, line, endLine]) => ({ id, line, endLine }));
}
