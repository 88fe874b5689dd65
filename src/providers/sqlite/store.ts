// Assembles the store: every question on one reading connection, every change through the writer. Knows no SQL but the revision's.
import { VaultgraphError } from '../../base/errors.ts';
import type { Page, Store } from '../../contracts/store.ts';
import type { Connection } from './engine.ts';
import { createGraphCache } from './graph-cache.ts';
import { linksBetween, linksOf } from './link-rows.ts';
import { listTags } from './list-tags.ts';
import { allNames, nameCandidates } from './note-names.ts';
import { listNotes, noteRecords } from './note-summaries.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { createRows } from './rows.ts';
import { mentioningNotes, searchText } from './search-text.ts';
import { createCounting, fileStates, quarantineEntries } from './store-counts.ts';
import { createTermCounts } from './term-counts.ts';
import { unresolvedLinks } from './unresolved-links.ts';
import type { Writer } from './writer.ts';

/** No question reads more rows than this for one page. */
const MOST_ROWS = 100_000;

export function createStore(connection: Connection, file: string, writer: Writer): Store {
  const rows = createRows(connection);
  const ask = createAsking(connection, file);
  const countsNow = createCounting();
  const graphNow = createGraphCache();
  const countNotes = createTermCounts();
  return Object.freeze<Store>({
    apply: (changes, signal) => writer.run({ op: 'apply', changes }, signal),
    completeScan: async (at, signal) => {
      await writer.run({ op: 'completeScan', at }, signal);
    },
    reset: async (signal) => {
      await writer.run({ op: 'reset' }, signal);
    },
    integrity: (signal) => writer.run({ op: 'integrity' }, signal),
    counts: (signal) => ask('counts', signal, () => countsNow(rows)),
    fileStates: (signal) => ask('fileStates', signal, () => fileStates(rows)),
    quarantine: (page, signal) => ask('quarantine', signal, () => quarantineEntries(rows, bounded(page))),
    searchText: (query, filter, page, signal) =>
      ask('searchText', signal, () => searchText(rows, query, filter, bounded(page), countNotes)),
    mentions: (phrase, limit, signal) =>
      ask('mentions', signal, () => mentioningNotes(rows, phrase, bounded({ limit, offset: 0 }).limit)),
    listNotes: (filter, sort, order, page, signal) =>
      ask('listNotes', signal, () => listNotes(rows, filter, sort, order, bounded(page))),
    listTags: (prefix, filter, signal) => ask('listTags', signal, () => listTags(rows, prefix, filter)),
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

type Ask = <T>(op: string, signal: AbortSignal, question: () => T) => Promise<T>;

/** Every question sees one state of the index from beginning to end. */
function createAsking(connection: Connection, file: string): Ask {
  const inOneState = connection.transaction((question: () => unknown) => question());
  return <T>(op: string, signal: AbortSignal, question: () => T) => {
    const stop = () => {
      signal.throwIfAborted();
      if (!connection.open) throw new VaultgraphError('SHUTTING_DOWN', {});
    };
    return retryWhileBusy({ op, file, stop }, () => inOneState(question) as T);
  };
}

function bounded(page: Page): Page {
  for (const [field, actual] of Object.entries(page)) {
    const whole = Number.isSafeInteger(actual) && actual >= 0;
    if (!whole || (field === 'limit' && actual > MOST_ROWS)) {
      throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit: MOST_ROWS, actual });
    }
  }
  return page;
}
