// Tool: lists tags, including parent tags, with the number of notes.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { createPaging } from './page.ts';

/** About five thousand tokens; longer lists are paged. */
const MAX_TAGS = 500;

const input = z.strictObject({
  prefix: z.string().optional().describe('area or area/sub'),
  limit: z.int().min(1).max(MAX_TAGS).default(MAX_TAGS),
  cursor: z.string().min(1).optional(),
});
const paging = createPaging('list_tags', input.shape);

export const listTags = defineTool({
  name: 'list_tags',
  summary: 'List tags with the number of notes that have them or a tag nested below.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT'],
  input,
  run: async (args, { store }, call) => {
    const page = paging.pageOf(args);
    const all = await store.listTags(prefixOf(args.prefix), {}, call.signal);
    const tags = all.slice(page.offset, page.offset + page.limit);
    return { tags, total: all.length, ...paging.next(args, page, { shown: tags.length, total: all.length }) };
  },
});

function prefixOf(written: string | undefined): string | undefined {
  if (written === undefined || written.trim() === '') return undefined;
  return `#${written.trim().replace(/^#/, '')}`;
}
