// The gaps that a clean-up of the vault is about: near-duplicates, stale notes, unused attachments.
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { neighborsOf } from '../../graph/adjacency.ts';
import { localDate } from '../../markdown/frontmatter/note-date.ts';
import { attachmentView } from '../notes/attachments.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { titleBeside } from '../notes/note-view.ts';
import { parseDate } from '../notes/parse-date.ts';
import { duplicateNotes, sharedLines } from './duplicate-notes.ts';
import { type GapQuery, input, MAX_PLACES, paging, pathsWithin, type Sources } from './gap-query.ts';

/** @throws INVALID_INPUT without `before`, INVALID_QUERY for a date that cannot be parsed */
export async function staleGaps({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
  if (args.before === undefined) {
    const issue = { path: 'before', rule: 'is needed with kind stale: a date such as 2026-01-31 or `last year`' };
    throw inputRefusal('find_gaps', Object.keys(input.shape), issue);
  }
  const page = paging.pageOf(args);
  const isWithin = await pathsWithin(filter, store, call.signal);
  const beforeMs = parseDate(args.before, 'before', new Date());
  const stale = await staleNotes(beforeMs, store, call.signal);
  const all = stale.filter(({ path }) => isWithin(path));
  const shown = all.slice(page.offset, page.offset + page.limit);
  const titles = await store.titles(
    shown.map(({ path }) => path),
    call.signal,
  );
  return {
    gaps: shown.map(({ path, modifiedMs }) => {
      return { path, ...titleBeside(path, titles.get(path)), modified: new Date(modifiedMs).toISOString() };
    }),
    modified_before: localDate(beforeMs),
    total: all.length,
    ...paging.next(args, page, { shown: shown.length, total: all.length }),
  };
}

export async function attachmentGaps({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const unused = { ...filter, attachments: 'unused' } as const;
  const { notes, total } = await store.listNotes(unused, 'path', 'asc', page, call.signal);
  return { gaps: notes.map(attachmentView), total, ...paging.next(args, page, { shown: notes.length, total }) };
}

export async function duplicateGaps({ args, filter }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const groups = await duplicateNotes(await pathsWithin(filter, granted.store, call.signal), granted, call);
  const shown = groups.slice(page.offset, page.offset + page.limit);
  const gaps = await Promise.all(
    shown.map(async (group) => {
      const notes = group.notes.slice(0, MAX_PLACES[args.detail]);
      const overlap = Math.round(group.overlap * 100) / 100;
      return { notes, count: group.notes.length, overlap, shared: await sharedLines({ notes }, granted, call) };
    }),
  );
  const total = groups.length;
  return { gaps, total, ...paging.next(args, page, { shown: shown.length, total }) };
}

/** Files that are looked at before other calls may run. */
const FILES_PER_STEP = 256;

interface StaleNote {
  readonly path: NotePath;
  readonly modifiedMs: number;
}

/** Those changed longest ago first. @param beforeMs milliseconds since 1970; a note changed since is not stale */
async function staleNotes(beforeMs: number, store: Store, signal: AbortSignal): Promise<readonly StaleNote[]> {
  const graph = await store.graph(signal);
  const modified = new Map<string, number>();
  for (const [at, { path, modifiedMs }] of (await store.fileStates(signal)).entries()) {
    if (at % FILES_PER_STEP === 0) await letOthersRun();
    modified.set(path, modifiedMs);
  }
  const isRecent = new Uint8Array(graph.paths.length);
  const isLinked = new Uint8Array(graph.paths.length);
  for (const [node, path] of graph.paths.entries()) {
    if (node % FILES_PER_STEP === 0) await letOthersRun();
    if ((modified.get(path) ?? Number.POSITIVE_INFINITY) < beforeMs) continue;
    isRecent[node] = 1;
    for (const target of neighborsOf(graph, node)) isLinked[target] = 1;
  }
  await letOthersRun();
  return graph.paths
    .filter((_, node) => isRecent[node] === 0 && isLinked[node] === 0)
    .map((path) => ({ path, modifiedMs: modified.get(path) as number }))
    .sort((one, other) => one.modifiedMs - other.modifiedMs);
}
