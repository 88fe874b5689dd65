// Writes headings, blocks and tags as short JSON rows and reads them back.
import type { Block, Heading, Tag } from '../../../base/note.ts';
import { foldName } from '../../../markdown/links/fold.ts';

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

type TagRow = readonly [tag: string, line: number, column: number, offset: number];
type TagRows = readonly [properties: readonly TagRow[], body: readonly TagRow[]];

export const NO_TAGS = '[[],[]]';

/** Tags of the properties stand before those of the body. */
export function packTags(tags: readonly Tag[]): string {
  if (tags.length === 0) return NO_TAGS;
  return JSON.stringify([rowsOf(tags, 'properties'), rowsOf(tags, 'body')]);
}

/** Those of the properties first, each tag once, in the spelling met first. */
export function distinctTags(tags: readonly Tag[]): string[] {
  const distinct = new Map<string, string>();
  for (const { tag } of [...from(tags, 'properties'), ...from(tags, 'body')]) {
    const key = foldName(tag);
    if (!distinct.has(key)) distinct.set(key, tag);
  }
  return [...distinct.values()];
}

function from(tags: readonly Tag[], origin: Tag['from']): Tag[] {
  return tags.filter((tag) => tag.from === origin);
}

function rowsOf(tags: readonly Tag[], origin: Tag['from']): TagRow[] {
  return from(tags, origin).map(({ tag, line, column, offset }): TagRow => [tag, line, column, offset]);
}

export function unpackTags(packed: string): Tag[] {
  const [properties, body] = JSON.parse(packed) as TagRows;
  return [...tagsOf(properties, 'properties'), ...tagsOf(body, 'body')];
}

function tagsOf(rows: readonly TagRow[], from: Tag['from']): Tag[] {
  return rows.map(([tag, line, column, offset]) => ({ tag, from, line, column, offset }));
}
