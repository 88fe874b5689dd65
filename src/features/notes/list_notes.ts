// Tool: lists notes by filters, sorted.
import * as z from 'zod';
import type { NoteRecord, NoteSummary, Store } from '../../contracts/store.ts';
import { defineTool } from '../../contracts/tool.ts';
import { briefFilterShape, dateView, filtersByDate, noteFilter, warnOfEmptyFilters } from './filters.ts';
import { inputRefusal } from './input-refusal.ts';
import { createPaging, pageShape } from './page.ts';

const input = z.strictObject({
  ...briefFilterShape,
  sort: z.enum(['name', 'modified', 'created', 'links', 'random']).default('name'),
  order: z.enum(['asc', 'desc']).optional(),
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
});
const paging = createPaging('list_notes', input.shape);

export const listNotes = defineTool({
  name: 'list_notes',
  summary: 'List notes by folder, tag, property or time. `full` adds properties and aliases.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED'],
  input,
  run: async (args, { store }, call) => {
    if (args.sort === 'random' && args.cursor !== undefined) throw noPageOfRandom();
    const page = paging.pageOf(args);
    const filter = noteFilter(args);
    const order = args.order ?? (args.sort === 'name' ? 'asc' : 'desc');
    const { notes, total } = await store.listNotes(filter, args.sort, order, page, call.signal);
    await warnOfEmptyFilters(filter, store, call);
    const records = args.detail === 'brief' ? notes : await recordsOf(notes, store, call.signal);
    return {
      notes: records.map((note) => ({ ...noteView(note), ...(filtersByDate(filter) ? dateView(note) : {}) })),
      total,
      ...(args.sort === 'random' ? {} : paging.next(args, page, { shown: notes.length, total })),
    };
  },
});

function noPageOfRandom() {
  const issue = { path: 'cursor', rule: 'a random order has no next page; call again for other notes' };
  return inputRefusal('list_notes', Object.keys(input.shape), issue);
}

function recordsOf(notes: readonly NoteSummary[], store: Store, signal: AbortSignal): Promise<readonly NoteRecord[]> {
  return store.notes(
    notes.map(({ path }) => path),
    signal,
  );
}

function noteView(note: NoteSummary | NoteRecord) {
  const { path, title, modifiedMs, tags } = note;
  const brief = { path, title, modified: new Date(modifiedMs).toISOString(), tags };
  if (!('aliases' in note)) return brief;
  const { kind, sizeBytes, aliases, properties } = note;
  return { ...brief, kind, size_bytes: sizeBytes, aliases, properties };
}
