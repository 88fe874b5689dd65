// `resources/list`: every note, canvas and base that the index knows, a page at a time. Knows nothing of their addresses.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { createPaging } from '../notes/page.ts';

/** About 50 KB on the wire; clients that want them all ask for page after page. */
const PAGE = 250;

const input = z.strictObject({ cursor: z.string().min(1).optional() });
const paging = createPaging('resources/list', input.shape);

export const listResources = defineTool({
  name: 'resources/list',
  summary: 'Notes as resources, ascending by path.',
  effect: 'reads',
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT'],
  input,
  run: async ({ cursor }, { store }, call) => {
    const asked = { limit: PAGE, cursor };
    const page = paging.pageOf(asked);
    const { notes, total } = await store.listNotes({}, 'path', 'asc', page, call.signal);
    return {
      resources: notes.map(({ path, title, kind, sizeBytes, modifiedMs }) => {
        return { path, title, kind, size: sizeBytes, modified: new Date(modifiedMs).toISOString() };
      }),
      ...paging.next(asked, page, { shown: notes.length, total }),
    };
  },
});
