// Which notes there are, narrowed by filters and sorted. Knows nothing of their text.
import * as z from 'zod';
import type { NoteRecord, NoteSummary, Store } from '../contracts/store.ts';
import { defineTool } from '../contracts/tool.ts';
import { filterShape, noteFilter, warnOfEmptyFilters } from '../queries/filters.ts';
import { inputRefusal } from '../queries/input-refusal.ts';
import { createPaging, pageShape } from '../queries/page.ts';

const input = z.strictObject({
  ...filterShape,
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
  run: async (given, { store }, call) => {
    if (given.sort === 'random' && given.cursor !== undefined) throw noPageOfRandom();
    const page = paging.pageOf(given);
    const filter = noteFilter(given);
    const order = given.order ?? (given.sort === 'name' ? 'asc' : 'desc');
    const { notes, total } = await store.listNotes(filter, given.sort, order, page, call.signal);
    await warnOfEmptyFilters(filter, store, call);
    return {
      notes: given.detail === 'brief' ? notes.map(brief) : await inFull(notes, store, call.signal),
      total,
      ...(given.sort === 'random' ? {} : paging.next(given, page, { shown: notes.length, total })),
    };
  },
});

function noPageOfRandom() {
  const issue = { path: 'cursor', rule: 'a random order has no next page; call again for other notes' };
  return inputRefusal('list_notes', Object.keys(input.shape), issue);
}

function brief({ path, title, modifiedMs, tags }: NoteSummary) {
  return { path, title, modified: new Date(modifiedMs).toISOString(), tags };
}

async function inFull(notes: readonly NoteSummary[], store: Store, signal: AbortSignal) {
  const records = await store.notes(
    notes.map(({ path }) => path),
    signal,
  );
  return records.map(full);
}

function full(record: NoteRecord) {
  const { kind, sizeBytes, aliases, properties } = record;
  return { ...brief(record), kind, size_bytes: sizeBytes, aliases, properties };
}
