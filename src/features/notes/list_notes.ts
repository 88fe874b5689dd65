// Tool: lists notes by filters, sorted.
import * as z from 'zod';
import type { NoteFilter } from '../../contracts/note-filter.ts';
import type { NoteRecord, NoteSummary, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { attachmentView, sourcesOf } from './attachments.ts';
import { dateView, filterShape, periodView } from './filters.ts';
import { inputRefusal } from './input-refusal.ts';
import { createPaging, pageShape } from './page.ts';
import { vaultFilter, warnOfFilters } from './vault-filter.ts';

const input = z.strictObject({
  ...filterShape,
  attachments: z.boolean().optional().describe('true: other files, not notes'),
  sort: z.enum(['name', 'modified', 'created', 'links', 'random']).default('name').describe('links: most linked'),
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
    "Lists the user's notes by folder, tag, property or date, or attachments. Returns path, title, modified time and tags of each, and the total.",
  others: { search_text: 'words', query_base: 'a base' },
  example: { tags: ['sailing'], where: ['rating >= 4'], sort: 'modified' },
  words: 'recent, newest, in folder, by tag, front matter, random',
  long: true,
  effect: 'reads',
  across: ['notes', 'attachments'],
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED'],
  input,
  run: async (args, { store }, call) => {
    if (args.sort === 'random' && args.cursor !== undefined) throw noPageOfRandom();
    const page = paging.pageOf(args);
    const filter = await listFilter(args, store, call);
    const order = args.order ?? (args.sort === 'name' ? 'asc' : 'desc');
    const { notes, total } = await store.listNotes(filter, args.sort, order, page, call.signal);
    await warnOfFilters(filter, store, call);
    const next = args.sort === 'random' ? {} : paging.next(args, page, { shown: notes.length, total });
    if (filter.attachments !== undefined)
      return { attachments: await attachmentViews(notes, args, store, call), total, ...next };
    const paths = notes.map(({ path }) => path);
    const records = args.detail === 'brief' ? notes : await store.notes(paths, call.signal);
    return {
      notes: records.map((note) => ({ ...noteView(note), ...dateView(note, filter) })),
      total,
      ...periodView(filter),
      ...next,
    };
  },
});

/** @throws INVALID_INPUT for a filter that attachments cannot match */
async function listFilter({ attachments, ...args }: ListArgs, store: Store, call: CallContext): Promise<NoteFilter> {
  const filter = await vaultFilter(args, store, call);
  if (attachments !== true) return filter;
  const unfit = (['tags', 'where'] as const).find((name) => args[name] !== undefined);
  if (unfit === undefined) return { ...filter, attachments: 'all' };
  const issue = { path: unfit, rule: 'does not go with attachments, which have no tags and no properties' };
  throw inputRefusal('list_notes', Object.keys(input.shape), issue);
}

function attachmentViews(found: readonly NoteSummary[], { detail }: ListArgs, store: Store, { signal }: CallContext) {
  return Promise.all(
    found.map(async (attachment) => {
      const view = attachmentView(attachment);
      return detail === 'brief' ? view : { ...view, linked_from: await sourcesOf(attachment.path, store, signal) };
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
  const { kind, sizeBytes, aliases, properties } = note;
  return { ...brief, kind, size_bytes: sizeBytes, aliases, properties };
}
