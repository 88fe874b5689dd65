// Assembles the store: queries run on one read connection, changes go through the writer.
import type { Store } from '../../contracts/store.ts';
import type { Connection } from './database/open-database.ts';
import { checkLimit, checkPage, createRead, createRows, readMethods } from './database/rows.ts';
import { createGraphCache } from './read/graph-cache.ts';
import { linksBetween, linksOf, unresolvedLinks } from './read/links.ts';
import { listTags } from './read/list-tags.ts';
import { listTasks } from './read/list-tasks.ts';
import { allNames, nameCandidates } from './read/note-names.ts';
import { listNotes, noteRecords } from './read/note-summaries.ts';
import { mentioningNotes, searchText } from './read/search-text.ts';
import { createCounts, fileStates, progressOf, quarantineEntries } from './read/store-counts.ts';
import { createTermCounts, createWordCounts, termPlaces, wordsFrom } from './read/term-counts.ts';
import { createSharedStore } from './sharing/shared-store.ts';
import { createVectorStore } from './vectors/vector-store.ts';
import { keptAnswer } from './write/answer-cache.ts';
import type { Writer } from './write/writer.ts';

export function createStore(connection: Connection, file: string, writer: Writer): Store {
  const rows = createRows(connection);
  const read = createRead(connection, file);
  const termCounts = createTermCounts(rows);
  return Object.freeze<Store>({
    ...createVectorStore(rows, read, writer),
    ...createSharedStore(rows, read, writer, file),
    keepAnswer: (key, answer, signal) => writer.run({ op: 'keepAnswer', key, answer }, signal),
    apply: (changes, signal) => writer.run({ op: 'apply', changes }, signal),
    completeScan: (at, signal) => writer.run({ op: 'completeScan', at }, signal),
    reset: (signal) => writer.run({ op: 'reset' }, signal),
    integrity: (signal) => writer.run({ op: 'integrity' }, signal),
    ...readMethods(read, {
      keptAnswer: (key) => keptAnswer(rows, key),
      progress: () => progressOf(rows),
      counts: createCounts(rows),
      fileStates: () => fileStates(rows),
      quarantine: (page) => quarantineEntries(rows, checkPage(page)),
      searchText: (query, filter, page) => searchText(rows, query, filter, checkPage(page), termCounts),
      mentions: (phrase, limit) => mentioningNotes(rows, phrase, checkLimit(limit)),
      termPlaces: (path, terms) => termPlaces(rows, path, terms),
      wordCounts: createWordCounts(rows),
      wordsFrom: (start, limit) => wordsFrom(rows, start, checkLimit(limit)),
      listNotes: (filter, sort, order, page) => listNotes(rows, filter, sort, order, checkPage(page)),
      listTags: (prefix, filter) => listTags(rows, prefix, filter),
      listTasks: (filter, page) => listTasks(rows, filter, checkPage(page)),
      notes: (paths) => noteRecords(rows, paths),
      candidates: (name) => nameCandidates(rows, name),
      names: () => allNames(rows),
      links: (path, direction, page) => linksOf(rows, path, direction, checkPage(page)),
      linksBetween: (pairs) => linksBetween(rows, pairs),
      unresolved: (filter, maxLinks, page) => unresolvedLinks(rows, filter, checkLimit(maxLinks), checkPage(page)),
      graph: createGraphCache(rows),
    }),
  });
}
