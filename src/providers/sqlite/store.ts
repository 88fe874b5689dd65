// Assembles the store: every question on one reading connection, every change through the writer.
import type { Store } from '../../contracts/store.ts';
import type { Connection } from './database/open-database.ts';
import { bounded, createAsking, createRows } from './database/rows.ts';
import { createGraphCache } from './read/graph-cache.ts';
import { linksBetween, linksOf, unresolvedLinks } from './read/links.ts';
import { listTags } from './read/list-tags.ts';
import { listTasks } from './read/list-tasks.ts';
import { allNames, nameCandidates } from './read/note-names.ts';
import { listNotes, noteRecords } from './read/note-summaries.ts';
import { mentioningNotes, searchText } from './read/search-text.ts';
import { createCounting, fileStates, progressOf, quarantineEntries } from './read/store-counts.ts';
import { createTermCounts, createWordCounts, termPlaces, wordsFrom } from './read/term-counts.ts';
import { createSharedStore } from './sharing/shared-store.ts';
import { createVectorStore } from './vectors/vector-store.ts';
import { keptAnswer } from './write/answer-cache.ts';
import type { Writer } from './write/writer.ts';

export function createStore(connection: Connection, file: string, writer: Writer): Store {
  const rows = createRows(connection);
  const ask = createAsking(connection, file);
  const countsNow = createCounting();
  const graphNow = createGraphCache();
  const termCounts = createTermCounts();
  const countWords = createWordCounts();
  return Object.freeze<Store>({
    ...createVectorStore(rows, ask, writer),
    ...createSharedStore(rows, ask, writer, file),
    keptAnswer: (key, signal) => ask('keptAnswer', signal, () => keptAnswer(rows, key)),
    keepAnswer: async (key, answer, signal) => {
      await writer.run({ op: 'keepAnswer', key, answer }, signal);
    },
    apply: (changes, signal) => writer.run({ op: 'apply', changes }, signal),
    completeScan: async (at, signal) => {
      await writer.run({ op: 'completeScan', at }, signal);
    },
    reset: async (signal) => {
      await writer.run({ op: 'reset' }, signal);
    },
    integrity: (signal) => writer.run({ op: 'integrity' }, signal),
    progress: (signal) => ask('progress', signal, () => progressOf(rows)),
    counts: (signal) => ask('counts', signal, () => countsNow(rows)),
    fileStates: (signal) => ask('fileStates', signal, () => fileStates(rows)),
    quarantine: (page, signal) => ask('quarantine', signal, () => quarantineEntries(rows, bounded(page))),
    searchText: (query, filter, page, signal) =>
      ask('searchText', signal, () => searchText(rows, query, filter, bounded(page), termCounts)),
    mentions: (phrase, limit, signal) =>
      ask('mentions', signal, () => mentioningNotes(rows, phrase, bounded({ limit, offset: 0 }).limit)),
    termPlaces: (path, terms, signal) => ask('termPlaces', signal, () => termPlaces(rows, path, terms)),
    wordCounts: (words, signal) => ask('wordCounts', signal, () => countWords(rows, words)),
    wordsFrom: (start, limit, signal) =>
      ask('wordsFrom', signal, () => wordsFrom(rows, start, bounded({ limit, offset: 0 }).limit)),
    listNotes: (filter, sort, order, page, signal) =>
      ask('listNotes', signal, () => listNotes(rows, filter, sort, order, bounded(page))),
    listTags: (prefix, filter, signal) => ask('listTags', signal, () => listTags(rows, prefix, filter)),
    listTasks: (filter, page, signal) => ask('listTasks', signal, () => listTasks(rows, filter, bounded(page))),
    notes: (paths, signal) => ask('notes', signal, () => noteRecords(rows, paths)),
    candidates: (name, signal) => ask('candidates', signal, () => nameCandidates(rows, name)),
    names: (signal) => ask('names', signal, () => allNames(rows)),
    links: (path, direction, page, signal) => ask('links', signal, () => linksOf(rows, path, direction, bounded(page))),
    linksBetween: (pairs, signal) => ask('linksBetween', signal, () => linksBetween(rows, pairs)),
    unresolved: (filter, linksPerGroup, page, signal) =>
      ask('unresolved', signal, () =>
        unresolvedLinks(rows, filter, bounded({ limit: linksPerGroup, offset: 0 }).limit, bounded(page)),
      ),
    graph: (signal) => ask('graph', signal, () => graphNow(rows)),
  });
}
