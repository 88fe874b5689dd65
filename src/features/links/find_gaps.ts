// What is missing in the graph of links: four kinds of gaps, each with where it is.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { ResolvedLink, UnresolvedGroup } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { deadEnds, orphans } from '../../graph/degree.ts';
import { folderArgument, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type Suggestion, suggestNotes } from '../notes/name-index.ts';
import { REFERENCE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { titleBeside } from '../notes/note-view.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { sentencesOf } from './sentences.ts';
import { unlinkedMentions } from './unlinked-mentions.ts';

/** Of an unresolved name, by how much is asked for. */
const MAX_PLACES = { brief: 3, full: 50 } as const;

const input = z.strictObject({
  kind: z.enum(['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions']),
  note: z.string().min(1).optional(),
  folder: folderArgument,
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
});
const paging = createPaging('find_gaps', input.shape);
type Sources = Granted<'store' | 'vault'>;

interface GapQuery {
  readonly given: z.infer<typeof input>;
  readonly note: NotePath | undefined;
  readonly folder: string | undefined;
}

export const findGaps = defineTool({
  name: 'find_gaps',
  summary: 'Links that lead nowhere, notes without links in or out, and notes named in text but not linked.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'whole',
  fails: [...REFERENCE_FAILURES, 'INVALID_INPUT'],
  input,
  run: async (given, granted, call) => {
    const { folder } = noteFilter({ folder: given.folder, tag_mode: 'any' });
    const byNote = given.kind === 'unresolved' || given.kind === 'unlinked_mentions';
    if (given.note !== undefined && !byNote) throw noNoteFor(given.kind);
    const note = given.note === undefined ? undefined : await resolveNote(given.note, 'note', granted, call);
    await warnOfEmptyFilters(folder === undefined ? {} : { folder }, granted.store, call);
    const question = { given, note: note?.path, folder };
    if (given.kind === 'unresolved') return unresolvedGaps(question, granted, call);
    if (given.kind === 'unlinked_mentions') return mentionGaps(question, granted, call);
    return unlinkedNotes(question, granted, call);
  },
});

function noNoteFor(kind: string) {
  const issue = { path: 'note', rule: `does not go with kind ${kind}` };
  return inputRefusal('find_gaps', Object.keys(input.shape), issue);
}

async function unresolvedGaps({ given, note, folder }: GapQuery, granted: Sources, call: CallContext) {
  const page = paging.pageOf(given);
  const filter = { ...(note === undefined ? {} : { source: note }), ...(folder === undefined ? {} : { folder }) };
  const { groups, total } = await granted.store.unresolved(filter, MAX_PLACES[given.detail], page, call.signal);
  const links = groups.flatMap((group) => group.links);
  const sentences = await sentencesOf(links, granted.vault, call);
  const suggestions = await suggestNotes(
    groups.map(({ name }) => name),
    granted.store,
    call,
  );
  const gaps = groups.map((group) => unresolvedGap(group, sentences, suggestions.get(group.name)));
  return { kind: given.kind, gaps, total, ...paging.next(given, page, { shown: groups.length, total }) };
}

/** `count` links in all; the first of them with their places. */
function unresolvedGap(
  { name, count, links }: UnresolvedGroup,
  sentences: ReadonlyMap<ResolvedLink, string>,
  suggestion: Suggestion | undefined,
) {
  const places = links.map((link) => {
    const text = sentences.get(link) ?? link.display;
    return { path: link.source, line: link.line, column: link.column, text };
  });
  return { name, count, ...suggestion, places };
}

async function unlinkedNotes({ given, folder }: GapQuery, { store }: Sources, call: CallContext) {
  const page = paging.pageOf(given);
  const graph = await store.graph(call.signal);
  const nodes = given.kind === 'orphans' ? orphans(graph) : deadEnds(graph);
  const paths = nodes.map((node) => graph.paths[node] as NotePath);
  const all = folder === undefined ? paths : paths.filter((path) => path.startsWith(`${folder}/`));
  const shown = await store.notes(all.slice(page.offset, page.offset + page.limit), call.signal);
  return {
    kind: given.kind,
    gaps: shown.map(({ path, title }) => ({ path, ...titleBeside(path, title) })),
    total: all.length,
    ...paging.next(given, page, { shown: shown.length, total: all.length }),
  };
}

/** A page may hold fewer gaps than asked for, even none, and more may follow: what one call looks through is limited. */
async function mentionGaps({ given, note, folder }: GapQuery, granted: Sources, call: CallContext) {
  const start = paging.placeOf(given);
  const targets = note === undefined ? (await granted.store.graph(call.signal)).paths : [note];
  const request = { targets, folder, limit: given.limit, start };
  const { gaps, next, unread } = await unlinkedMentions(request, granted, call.signal);
  if (unread > 0) {
    call.warn({ code: 'EXTRA_MISSING', message: `${unread} notes could not be read for mentions`, count: unread });
  }
  return { kind: given.kind, gaps, more: next !== undefined, ...paging.nextPlace(given, next) };
}
