// Tool: broken links, unlinked notes and mentions, near-duplicates, stale notes and unused attachments.
import { fileKindOf, type NotePath, noteName, withoutNoteExtension } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { LinkedPart, ResolvedLink, Store, UnresolvedGroup } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { deadEnds, neighborsOf, orphans } from '../../graph/adjacency.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import type { mentionsWithin } from '../../markdown/links/mentions.ts';
import { attachmentView } from '../notes/attachments.ts';
import { isInFolder } from '../notes/file-names.ts';
import { periodView } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type MissingPart, missingParts, withNearest } from '../notes/missing-parts.ts';
import { type Suggestion, suggestNotes } from '../notes/name-index.ts';
import { readTexts } from '../notes/note-content.ts';
import { RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { titleBeside } from '../notes/note-view.ts';
import type { Place } from '../notes/page.ts';
import { parseDate } from '../notes/parse-date.ts';
import { filterWithoutTemplates, leftOutView, warnOfFilters } from '../notes/vault-filter.ts';
import { duplicateNotes, sharedLines } from './duplicate-notes.ts';
import { type GapQuery, input, isOutside, MAX_PLACES, paging, pathsWithin, type Sources } from './gap-query.ts';
import { isMentionable } from './mentions.ts';
import { listedGraph } from './note-graph.ts';
import { sentencesOf } from './sentences.ts';

const GAPS = {
  unresolved: unresolvedGaps,
  unlinked_mentions: mentionGaps,
  orphans: unlinkedNotes,
  dead_ends: unlinkedNotes,
  duplicates: duplicateGaps,
  stale: staleGaps,
  unused_attachments: attachmentGaps,
} as const;
export const findGaps = defineTool({
  name: 'find_gaps',
  title: 'Gaps between notes',
  summary:
    'Finds what needs tidying: broken links (unresolved, also to headings), notes without links (orphans; dead_ends: none outwards), unlinked_mentions of names, near-duplicates, stale notes, unused_attachments. Returns the places.',
  others: { replace_in_notes: 'repairing links' },
  words: 'orphans, clean up, maintenance',
  long: true,
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault'],
  index: 'whole',
  fails: [...RESOLVE_FAILURES, 'INVALID_INPUT', 'INVALID_QUERY'],
  input,
  run: async (args, granted, call) => {
    const byNote = args.kind === 'unresolved' || args.kind === 'unlinked_mentions';
    if (args.note !== undefined && !byNote) throw unfit('note', args.kind);
    if (args.before !== undefined && args.kind !== 'stale') throw unfit('before', args.kind);
    const note = args.note === undefined ? undefined : await resolveNote(args.note, 'note', granted, call);
    const filter = await gapFilter(args, note?.path, granted, call);
    await warnOfFilters(filter, granted.store, call);
    const gaps = await GAPS[args.kind]({ args, note: note?.path, filter }, granted, call);
    return { kind: args.kind, ...gaps, ...periodView(filter), ...leftOutView(filter) };
  },
});

/** A template that the caller names counts. */
async function gapFilter(
  { folder, modified_since, templates }: GapQuery['args'],
  note: NotePath | undefined,
  granted: Sources,
  call: CallContext,
): Promise<NoteFilter> {
  const { exceptFolders = [], ...filter } = await filterWithoutTemplates(
    { folder, modified_since, templates },
    granted,
    call,
  );
  const left = exceptFolders.filter((template) => note === undefined || !isInFolder(note, template));
  return left.length === 0 ? filter : { ...filter, exceptFolders: left };
}

function unfit(path: string, kind: string) {
  const issue = { path, rule: `does not go with kind ${kind}` };
  return inputRefusal('find_gaps', Object.keys(input.shape), issue);
}

async function unresolvedGaps({ args, note, filter }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const sources = { ...filter, ...(note === undefined ? {} : { source: note }) };
  const { groups, total: names } = await granted.store.unresolved(sources, MAX_PLACES[args.detail], page, call.signal);
  const linked = await granted.store.linkedParts(sources, call.signal);
  const missing = await missingParts(linked, granted.store, call.signal);
  const parts = missing.slice(Math.max(0, page.offset - names), Math.max(0, page.offset + page.limit - names));
  const places = await partPlaces(parts, sources, MAX_PLACES[args.detail], granted.store, call);
  const links = [...groups.flatMap((group) => group.links), ...places.flatMap((place) => place.links)];
  const sentences = await sentencesOf(links, granted.vault, call);
  const suggestions = await suggestNotes(
    groups.map(({ name }) => name),
    granted.store,
    call,
  );
  const gaps = [
    ...groups.map((group) => unresolvedGap(group, sentences, suggestions.get(group.name))),
    ...places.map(({ target, nearest, ...group }) => ({ ...unresolvedGap(group, sentences, { target, nearest }) })),
  ];
  const total = names + missing.length;
  return { gaps, total, ...paging.next(args, page, { shown: gaps.length, total }) };
}

/** The first links to each part, and the nearest parts that its note has. */
async function partPlaces(
  parts: readonly LinkedPart[],
  filter: Parameters<Store['linksToPart']>[1],
  limit: number,
  store: Store,
  { signal }: CallContext,
) {
  const near = await withNearest(parts, store, signal);
  return Promise.all(
    near.map(async ({ target, subpath, count, nearest }) => {
      const links = await store.linksToPart({ target, subpath }, filter, { limit, offset: 0 }, signal);
      return { name: `${withoutNoteExtension(target)}${subpath}`, count, links, target, nearest };
    }),
  );
}

/** `count` is the number of all links; only the first have places. */
function unresolvedGap(
  { name, count, links }: UnresolvedGroup,
  sentences: ReadonlyMap<ResolvedLink, string>,
  suggestion: Suggestion | Pick<MissingPart, 'target' | 'nearest'> | undefined,
) {
  const places = links.map((link) => {
    const text = sentences.get(link) ?? link.display;
    return { path: link.source, line: link.line, column: link.column, text };
  });
  return { name, count, ...suggestion, places };
}

async function unlinkedNotes({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const graph = listedGraph(await store.graph(call.signal));
  const nodes = args.kind === 'orphans' ? orphans(graph) : deadEnds(graph);
  const paths = nodes.map((node) => graph.paths[node] as NotePath);
  const all = paths.filter(await pathsWithin(filter, store, call.signal));
  const shown = await store.notes(all.slice(page.offset, page.offset + page.limit), call.signal);
  return {
    gaps: shown.map(({ path, title }) => ({ path, ...titleBeside(path, title) })),
    total: all.length,
    ...paging.next(args, page, { shown: shown.length, total: all.length }),
  };
}

async function mentionTargets({ exceptFolders }: NoteFilter, store: Store, { signal }: CallContext) {
  return listedGraph(await store.graph(signal)).paths.filter((path) =>
    isOutside(path as NotePath, exceptFolders),
  ) as NotePath[];
}

/** A page may be shorter than `limit`, even empty, with more to follow, because the work of one call is limited. */
async function mentionGaps({ args, note, filter }: GapQuery, granted: Sources, call: CallContext) {
  const start = paging.placeOf(args);
  const targets = note === undefined ? await mentionTargets(filter, granted.store, call) : [note];
  const isWithin = await pathsWithin(filter, granted.store, call.signal);
  const request = { targets, isWithin, limit: args.limit, start };
  const { gaps, next, unread } = await unlinkedMentions(request, granted, call);
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} notes could not be read for mentions`, count: unread });
  }
  return { gaps, more: next !== undefined, ...paging.nextPlace(args, next) };
}

/** @throws INVALID_INPUT without `before`, INVALID_QUERY for a date that cannot be parsed */
async function staleGaps({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
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

async function attachmentGaps({ args, filter }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const unused = { ...filter, attachments: 'unused' } as const;
  const { notes, total } = await store.listNotes(unused, 'path', 'asc', page, call.signal);
  return { gaps: notes.map(attachmentView), total, ...paging.next(args, page, { shown: notes.length, total }) };
}

async function duplicateGaps({ args, filter }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(args);
  const groups = await duplicateNotes(filter, granted, call);
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
  const graph = listedGraph(await store.graph(signal));
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

/** Limits of one call, so that it ends within a second. */
const MAX_TARGETS = 500;
const MAX_READS = 300;
const MAX_SENTENCE_LENGTH = 300;
const EVERY_PATH = 100_000;
const NO_MENTIONS: ReturnType<typeof mentionsWithin> = { mentions: [], hasMore: false };

type FoundMention = ReturnType<typeof mentionsWithin>['mentions'][number];

type MentionGap = ReturnType<typeof gapOf>;

interface MentionQuery {
  readonly targets: readonly NotePath[];
  /** Whether mentions in a note count. */
  readonly isWithin: (path: NotePath) => boolean;
  readonly limit: number;
  /** Index of the target, of the file and of the mention in the file; missing ones are 0. */
  readonly start: Place;
}

/**
 * By target, then by path, then in the order of the text.
 * `next`: where to continue; undefined at the end of the walk.
 * `unread`: the number of files that could not be read.
 */
async function unlinkedMentions(
  { targets, isWithin, limit, start }: MentionQuery,
  sources: Granted<'store' | 'vault'>,
  { compute, signal }: Pick<CallContext, 'compute' | 'signal'>,
) {
  const gaps: MentionGap[] = [];
  const [firstTarget = 0, ...within] = start;
  let [firstFile = 0, firstMention = 0] = within;
  let reads = 0;
  let unread = 0;
  for (let at = firstTarget; at < targets.length; at += 1) {
    if (at - firstTarget >= MAX_TARGETS) return { gaps, next: [at], unread };
    const target = await targetOf(targets[at] as NotePath, sources, isWithin, signal);
    for (let file = firstFile; file < target.files.length; file += 1) {
      if (reads >= MAX_READS) return { gaps, next: [at, file], unread };
      const text = (await readTexts([target.files[file] as NotePath], sources.vault, { compute, signal }))
        .values()
        .next().value;
      reads += 1;
      if (text === undefined) unread += 1;
      const room = limit - gaps.length;
      const search = { names: target.names, skip: firstMention, limit: room, maxSentence: MAX_SENTENCE_LENGTH };
      const { mentions, hasMore } =
        text === undefined ? NO_MENTIONS : await compute.run(jobs.mentions, { text, ...search }, signal);
      gaps.push(...mentions.map((mention) => gapOf(mention, target, target.files[file] as NotePath)));
      if (hasMore) return { gaps, next: [at, file, firstMention + room], unread };
      firstMention = 0;
    }
    firstFile = 0;
  }
  return { gaps, next: undefined, unread };
}

type Target = Awaited<ReturnType<typeof targetOf>>;

/** `files`: notes with the words of a name and without a link to the target, ascending. */
async function targetOf(
  path: NotePath,
  { store }: Granted<'store'>,
  isWithin: (path: NotePath) => boolean,
  signal: AbortSignal,
) {
  const [note] = await store.notes([path], signal);
  const called = note === undefined ? [] : [noteName(path), note.title, ...note.aliases];
  const names = [...new Set(called.map((name) => name.trim()))].filter(isMentionable);
  const files = new Set<NotePath>();
  for (const name of names) for (const file of await store.mentions(name, EVERY_PATH, signal)) files.add(file);
  files.delete(path);
  const within = [...files].filter((file) => isProse(file) && isWithin(file));
  if (within.length === 0) return { path, names, files: [] };
  const linking = new Set((await store.linkingNotes(path, signal)).map((note) => note.path));
  return { path, names, files: within.filter((file) => !linking.has(file)).sort(comparePaths) };
}

/** Canvases and bases are data: a name in them is not a mention. */
const isProse = (file: NotePath): boolean => fileKindOf(file) === 'note';

/** `path`: the place of the mention, and the mentioned note. */
function gapOf({ line, column, text, sentence }: FoundMention, { path }: Target, file: NotePath) {
  return { path: file, line, column, text: sentence, mention: text, mentions: path };
}
