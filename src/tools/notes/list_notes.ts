// Tool: lists notes by filters, sorted.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { NoteRecord, NoteSummary, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { attachmentView, sourcesOf } from './attachments.ts';
import { dateView, filterShape, periodView } from './filters.ts';
import { inputRefusal } from './input-refusal.ts';
import { REFERENCE_FAILURES, resolveNote } from './note-reference.ts';
import { inlineFields } from './note-view.ts';
import { createPaging, pageShape } from './page.ts';
import { vaultFilter, warnOfFilters } from './vault-filter.ts';

const input = z.strictObject({
  ...filterShape,
  attachments: z.boolean().optional().describe('other files instead of notes'),
  links_to: z.string().optional().describe('notes that link to this one'),
  linked_from: z.string().optional().describe('notes it links to'),
  sort: z
    .enum(['name', 'date', 'modified', 'created', 'links', 'random'])
    .default('name')
    .describe('links: most linked'),
  order: z.enum(['asc', 'desc']).optional().describe('default desc, for name asc'),
  detail: z.enum(['brief', 'full']).default('brief').describe('full: properties and aliases; links to attachments'),
  ...pageShape,
});
const paging = createPaging('list_notes', input.shape);
type ListArgs = z.infer<typeof input>;

export const listNotes = defineTool({
  name: 'list_notes',
  title: 'List notes',
  summary:
    "Lists the user's notes by folder, tag, property or date, or attachments. Returns path, title, time and tags.",
  others: { search_text: 'words', query_base: 'a base' },
  example: { tags: ['sailing'], where: ['rating >= 4'], sort: 'modified' },
  words: 'recent, newest, in folder, by tag, front matter, random',
  long: true,
  effect: 'reads',
  across: ['notes', 'attachments'],
  references: ['links_to', 'linked_from'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', ...REFERENCE_FAILURES],
  input,
  run: async (args, { store, vault }, call) => {
    if (args.sort === 'random' && args.cursor !== undefined) throw noPageOfRandom();
    const page = paging.pageOf(args);
    const among = await linkedNotes(args, { store, vault }, call);
    const filter = { ...(await listFilter(args, store, call)), ...(among && { among }) };
    const order = args.order ?? (args.sort === 'name' ? 'asc' : 'desc');
    const { notes, total } = await store.listNotes(filter, args.sort, order, page, call.signal);
    await warnOfFilters(filter, store, call);
    const next = args.sort === 'random' ? {} : paging.next(args, page, { shown: notes.length, total });
    if (filter.attachments !== undefined)
      return { attachments: await attachmentViews(notes, args, store, call), total, ...next };
    const paths = notes.map(({ path }) => path);
    const records = args.detail === 'brief' ? notes : await store.notes(paths, call.signal);
    return {
      notes: records.map((note) => ({
        ...noteView(note),
        ...(args.sort === 'date' && { date: note.date, dated_by: note.datedBy }),
        ...dateView(note, filter),
      })),
      total,
      ...periodView(filter),
      ...next,
    };
  },
});

/** The notes with links to the one and from the other note, without these themselves; undefined if neither is given. @throws REFERENCE_FAILURES */
async function linkedNotes(
  { links_to, linked_from }: ListArgs,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<readonly NotePath[] | undefined> {
  const { store } = granted;
  const neighbours: ReadonlySet<NotePath>[] = [];
  if (links_to !== undefined) {
    const { path } = await resolveNote(links_to, 'links_to', granted, call);
    const linking = await store.linkingNotes(path, call.signal);
    neighbours.push(new Set(linking.flatMap((note) => (note.path === path ? [] : [note.path]))));
  }
  if (linked_from !== undefined) {
    const { path } = await resolveNote(linked_from, 'linked_from', granted, call);
    neighbours.push(await targetsOf(path, store, call.signal));
  }
  const [first, second] = neighbours;
  return first === undefined ? undefined : [...first].filter((path) => second === undefined || second.has(path));
}

const LINKS_AT_ONCE = 1_000;

async function targetsOf(path: NotePath, store: Store, signal: AbortSignal): Promise<ReadonlySet<NotePath>> {
  const targets = new Set<NotePath>();
  for (let offset = 0, isMore = true; isMore; offset += LINKS_AT_ONCE) {
    const part = await store.linkTargets(path, { limit: LINKS_AT_ONCE, offset }, signal);
    for (const target of part) if (target !== null && target !== path) targets.add(target);
    isMore = part.length === LINKS_AT_ONCE;
  }
  return targets;
}

/** @throws INVALID_INPUT for a filter that attachments cannot match */
async function listFilter({ attachments, ...args }: ListArgs, store: Store, call: CallContext): Promise<NoteFilter> {
  const filter = await vaultFilter(args, store, call);
  if (attachments !== true) return filter;
  const unfit = (['tags', 'where'] as const).find((name) => args[name] !== undefined);
  if (unfit === undefined) return { ...filter, attachments: 'all' };
  const issue = { path: unfit, rule: 'does not go with attachments, which have no tags and no properties' };
  throw inputRefusal('list_notes', Object.keys(input.shape), issue);
}

function attachmentViews(attachments: readonly NoteSummary[], { detail }: ListArgs, store: Store, call: CallContext) {
  return Promise.all(
    attachments.map(async (attachment) => {
      const view = attachmentView(attachment);
      return detail === 'brief' ? view : { ...view, linked_from: await sourcesOf(attachment.path, store, call) };
    }),
  );
}

function noPageOfRandom() {
  const issue = { path: 'cursor', rule: 'a random order has no next page; try again for other notes' };
  return inputRefusal('list_notes', Object.keys(input.shape), issue);
}

function noteView(note: NoteSummary | NoteRecord) {
  const { path, title, modifiedMs, tags } = note;
  const brief = { path, title, modified: new Date(modifiedMs).toISOString(), tags };
  if (!('aliases' in note)) return brief;
  const { kind, sizeBytes, aliases, properties, fields } = note;
  return { ...brief, kind, size_bytes: sizeBytes, aliases, properties, ...inlineFields(fields) };
}
