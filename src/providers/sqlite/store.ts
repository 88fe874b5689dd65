// Assembles the store: queries run on one read connection, changes go through the writer.

import type { SharedStore } from '../../contracts/lease.ts';
import type { Store } from '../../contracts/store.ts';
import { ownIdentity } from '../processes/process-identity.ts';
import { createRevisionMemo } from './database/cache.ts';
import type { Connection } from './database/connection.ts';
import { checkLimit, checkPage, createRead, createRows, type Read, type Rows, readMethods } from './database/rows.ts';
import { createAllLinks } from './read/all-links.ts';
import { createGraphCache } from './read/graph-cache.ts';
import { createKnownFiles, createPassingFiles } from './read/known-files.ts';
import { createLinkedParts, createLinkingNotes, linksToPart } from './read/linking-notes.ts';
import { createLinkRows, linksBetween, linksOf, linkTargets } from './read/links.ts';
import { createTaskLists } from './read/list-tasks.ts';
import { allNames, createChangedNames, nameCandidates } from './read/note-names.ts';
import { attachmentTexts } from './read/note-rows.ts';
import { createFileProperties, createNoteLists, noteRecords, titlesAt } from './read/note-summaries.ts';
import { createMentions, createTextSearch } from './read/search-text.ts';
import { createCounts, createProgress, fileStates, quarantineEntries } from './read/store-counts.ts';
import { createTagLists, propertyNames, propertyUse } from './read/tags-and-properties.ts';
import { createWordCounts, termPlaces, termVectors } from './read/term-counts.ts';
import { createUnresolved, unresolvedNamed } from './read/unresolved-links.ts';
import { removeHolderFile, writeHolderFile } from './sharing/holder-file.ts';
import { readLease } from './sharing/lease.ts';
import { keptJobs, openRequests, packJob, packUpdate, requestAnswer } from './sharing/packed-jobs.ts';
import { createTextIndexes } from './texts/read-index.ts';
import { createVectorStore } from './vectors/vector-store.ts';
import { cachedAnswer } from './write/answer-cache.ts';
import type { DamageCheck } from './write/damage-check.ts';
import type { IndexWriter } from './write/writer.ts';

/** Counts of filtered notes, lists of tags and the like. */
const MAX_REMEMBERED = 100;

export function createStore(
  connection: Connection,
  file: string,
  writer: IndexWriter,
  check: Pick<DamageCheck, 'start' | 'throwIfDamaged'>,
): Store {
  const rows = createRows(connection);
  const read = createRead(connection, file, () => check.throwIfDamaged());
  const remembered = createRevisionMemo(rows, MAX_REMEMBERED);
  const knownFiles = createKnownFiles(rows);
  const passingFiles = createPassingFiles(rows);
  const linkRows = createLinkRows(rows, knownFiles);
  const texts = createTextIndexes(rows);
  return Object.freeze<Store>({
    ...createVectorStore({ rows, read }, passingFiles, writer),
    ...createSharedStore(rows, read, writer, file, () => check.start()),
    cacheAnswer: (key, answer, signal) => writer.run({ op: 'cacheAnswer', key, answer }, signal),
    apply: (changes, signal) => writer.run({ op: 'apply', changes }, signal),
    completeScan: (at, signal) => writer.run({ op: 'completeScan', at }, signal),
    reset: (signal) => writer.run({ op: 'reset' }, signal),
    integrity: (signal) => writer.run({ op: 'integrity' }, signal),
    names: (signal) => allNames({ rows, read }, signal),
    counts: createCounts({ rows, read }),
    fileStates: (signal) => fileStates({ rows, read }, signal),
    fileProperties: createFileProperties({ rows, read }),
    changedNames: createChangedNames({ rows, read }),
    listNotes: createNoteLists({ rows, read }, remembered),
    listTags: createTagLists({ rows, read }),
    listTasks: createTaskLists({ rows, read }),
    graph: createGraphCache({ rows, read }),
    allLinks: createAllLinks({ rows, read }),
    linkingNotes: createLinkingNotes({ rows, read }, linkRows),
    searchText: createTextSearch({ rows, read }, knownFiles, passingFiles, texts),
    linkedParts: createLinkedParts({ rows, read }, linkRows),
    unresolved: createUnresolved({ rows, read }, linkRows),
    mentions: createMentions({ rows, read }, texts.whole),
    ...readMethods(read, {
      cachedAnswer: (key) => cachedAnswer(rows, key),
      progress: createProgress(rows),
      quarantine: (page) => quarantineEntries(rows, checkPage(page)),
      termPlaces: (path, terms) => termPlaces(rows, texts, path, terms),
      termVectors: (paths) => termVectors(knownFiles(), paths),
      wordCounts: createWordCounts(rows, texts.listed),
      wordsFrom: (start, limit) => texts.listed().wordsFrom(Buffer.from(start), checkLimit(limit)),
      compoundsOf: (word, limit) => texts.listed().compoundsOf(word, checkLimit(limit)),
      propertyNames: () => propertyNames(rows),
      propertyUse: (name, limit) => propertyUse(rows, name, checkLimit(limit)),
      notes: (paths) => noteRecords(rows, paths),
      attachmentTexts: (paths) => attachmentTexts(rows, paths),
      titles: (paths) => titlesAt(knownFiles(), paths),
      candidates: (name) => nameCandidates(rows, name),
      unresolvedNamed: (name) => unresolvedNamed(rows, name),
      links: (path, direction, page) => linksOf(linkRows(), path, direction, checkPage(page)),
      linkTargets: (path, page) => linkTargets(linkRows(), path, checkPage(page)),
      linksBetween: (pairs, perPair) => linksBetween(linkRows(), pairs, perPair),
      linksToPart: (part, filter, page) => linksToPart(linkRows(), part, filter, checkPage(page)),
    }),
  });
}

// Assembles the part of the store that processes share: the lease, the jobs and the requests to the lease holder.

/** SQLite counts the changes that one connection sees: another one, as of an index that was replaced, may be at the same number. */
let lastSerial = 0;
const MAX_DATA_VERSION = 2 ** 32;

/** @param onUncleanEnd called when the lease is taken from a process that did not release it */
function createSharedStore(
  rows: Rows,
  read: Read,
  writer: IndexWriter,
  file: string,
  onUncleanEnd: () => void,
): SharedStore {
  const lease = () => readLease(rows, writer.token());
  lastSerial += 1;
  const serial = lastSerial;
  return {
    ...readMethods(read, {
      mark: () => serial * MAX_DATA_VERSION + (rows.value<number>('PRAGMA data_version') ?? 0),
      lease,
      keptJobs: () => keptJobs(rows, readLease(rows, null)),
      openRequests: () => openRequests(rows),
      leaderReply: (id) => requestAnswer(rows, id),
    }),
    takeLease: async ({ client, stalled = null, jobs }, signal) => {
      const before = await read('lease', signal, lease);
      await writer.run({ op: 'takeLease', request: { client, stalled, jobs: jobs.map(packJob) } }, signal);
      const taken = await read('lease', signal, lease);
      if (taken.isMine && taken.holder) writeHolderFile(file, { ...taken.holder, life: ownIdentity() });
      if (taken.isMine && before.holder !== undefined && !before.isMine) onUncleanEnd();
      return taken;
    },
    publish: (update, signal) => writer.run({ op: 'publish', update: packUpdate(update) }, signal),
    releaseLease: async (signal) => {
      if (writer.token() === null) return;
      await writer.run({ op: 'releaseLease' }, signal);
      removeHolderFile(file);
    },
    requestFromLeader: (request, signal) =>
      writer.run({ op: 'requestFromLeader', request: JSON.stringify(request) }, signal),
  };
}
