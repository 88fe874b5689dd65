// Lists notes by filter, and reads the full records of notes.
import { type NotePath, noteName } from '../../../base/note.ts';
import type { NoteFilter, Page } from '../../../contracts/note-filter.ts';
import type { NoteList, NoteRecord, NoteSort, NoteSummary } from '../../../contracts/store.ts';
import { distinctTags } from '../../../markdown/parse/tag.ts';
import { memoize, type RevisionMemo } from '../database/cache.ts';
import type { Rows } from '../database/rows.ts';
import { propertyName } from '../write/content-rows.ts';
import { NO_TAGS, unpackBlocks, unpackHeadings, unpackProperties, unpackTags } from '../write/packed-note.ts';
import type { KnownFiles } from './known-files.ts';
import { hasFilter, noteConditions } from './note-conditions.ts';
import { contentOf, type FileRow, fileAt, fileById } from './note-rows.ts';

/** The number of links to a note; notes without any are left out. */
const INCOMING = '(SELECT target, count(*) AS incoming FROM links WHERE target IS NOT NULL GROUP BY target)';

const SORTS: Readonly<Record<NoteSort, string>> = {
  name: 'name_key',
  path: 'path',
  modified: 'modified',
  created: 'coalesce(created, modified)',
  links: 'ifnull(incoming, 0) + (SELECT count(*) FROM links WHERE source = files.id)',
  random: 'random()',
};

export function listNotes(
  rows: Rows,
  filter: NoteFilter,
  sort: NoteSort,
  order: 'asc' | 'desc',
  { limit, offset }: Page,
  remembered: RevisionMemo,
): NoteList {
  const { sql, values } = noteConditions(filter);
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const files = sort === 'links' ? `files LEFT JOIN ${INCOMING} ON target = files.id` : 'files';
  // Only the ids go through the sort.
  const sorted = `SELECT files.id FROM ${files} WHERE ${sql} ORDER BY ${SORTS[sort]} ${direction}, path`;
  const listOf = (ids: readonly number[], total: number): NoteList => {
    return { notes: ids.map((id) => noteSummary(rows, fileById(rows, id))), total };
  };
  if (values.length === 0 && readsAllLinks(filter, sort)) {
    const ids = remembered(sorted, () => rows.column<number>(sorted));
    return listOf(ids.slice(offset, offset + limit), ids.length);
  }
  const counted = `SELECT count(*) FROM files WHERE ${sql}`;
  const total = remembered(JSON.stringify([counted, ...values]), () => rows.value<number>(counted, ...values) ?? 0);
  return listOf(rows.column<number>(`${sorted} LIMIT ? OFFSET ?`, ...values, limit, offset), total);
}

/** Such a list is kept whole for its other pages: reading all links takes many times as long as a page of notes. */
function readsAllLinks(filter: NoteFilter, sort: NoteSort): boolean {
  return sort === 'links' ? !hasFilter(filter) : filter.attachments === 'unused' && sort !== 'random';
}

function noteSummary(rows: Rows, file: FileRow): NoteSummary {
  return summary(file, distinctTags(unpackTags(contentOf(rows, file)?.tag_places ?? NO_TAGS)));
}

/** In the order of `paths`; a repeated path gives a repeated record. */
export function noteRecords(rows: Rows, paths: readonly NotePath[]): NoteRecord[] {
  const nameOf = memoize((id: number) => propertyName(rows, id));
  return paths.flatMap((path) => {
    const file = fileAt(rows, path);
    return file === undefined ? [] : [noteRecord(rows, file, nameOf)];
  });
}

export function titlesAt(files: KnownFiles, paths: readonly NotePath[]): Map<NotePath, string> {
  const found = paths.flatMap((path) => files.at(path) ?? []);
  return new Map(found.map(({ path, title }) => [path, title]));
}

function noteRecord(rows: Rows, file: FileRow, nameOf: (id: number) => string): NoteRecord {
  const content = contentOf(rows, file);
  const names = `SELECT * FROM names WHERE file = ? AND kind = 'alias' ORDER BY ordinal`;
  const tagPlaces = unpackTags(content?.tag_places ?? NO_TAGS);
  return {
    ...summary(file, distinctTags(tagPlaces)),
    ...(file.created === null ? {} : { createdMs: file.created }),
    hash: file.hash,
    encoding: content?.encoding ?? 'utf-8',
    conflictCopy: file.conflict_copy === 1,
    evicted: file.evicted === 1,
    aliases: rows.checked<{ name: string }>(names, file.id).map(({ name }) => name),
    properties: unpackProperties(content?.properties ?? '[]', nameOf),
    notices: JSON.parse(content?.notices ?? '[]') as string[],
    headings: unpackHeadings(content?.headings ?? '[]'),
    blocks: unpackBlocks(content?.blocks ?? '[]'),
    tagPlaces,
    bodyOffset: content?.body_offset ?? 0,
  };
}

function summary(file: FileRow, tags: readonly string[]): NoteSummary {
  const { path, kind, modified, size, title, date, dated_by } = file;
  return {
    ...{ path, title: title ?? noteName(path), kind, modifiedMs: modified, sizeBytes: size, tags },
    date: date ?? new Date(modified).toISOString(),
    datedBy: dated_by ?? 'modified',
  };
}
