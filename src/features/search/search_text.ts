// Tool: full-text search.
import * as z from 'zod';
import { defineTool } from '../../contracts/tool.ts';
import { datesOf, filterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { SNIPPET_CHARS, snippetsOf } from './snippets.ts';
import { parseTextQuery } from './text-query.ts';
import { highlightTerms, searchWords } from './word-search.ts';

const input = z.strictObject({
  query: z.string().describe('words "a phrase" -not prefix*'),
  match: z.enum(['any', 'all']).default('any'),
  ...filterShape,
  explain: z.boolean().default(false),
  detail: z.enum(['brief', 'full']).default('brief'),
  ...pageShape,
});
const paging = createPaging('search_text', input.shape);

export const searchText = defineTool({
  name: 'search_text',
  summary:
    'Full-text search (BM25). `any` ranks notes that match more and rarer words higher; `all` requires every word.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'LIMIT_EXCEEDED', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
  input,
  run: async (args, { store, vault }, call) => {
    const page = paging.pageOf(args);
    const written = parseTextQuery(args.query, args.match);
    const filter = noteFilter(args);
    const { query, corrected, found } = await searchWords(written.query, filter, page, store, call);
    await warnOfEmptyFilters(filter, store, call);
    const snippets = await snippetsOf(
      found.hits,
      highlightTerms(query, found),
      SNIPPET_CHARS[args.detail],
      vault,
      call,
    );
    const dates = await datesOf(found.hits, filter, store, call.signal);
    const dropped = {
      without_letters: written.ignored,
      function_words: written.functionWords,
      in_most_notes: found.dropped,
    };
    const allDropped = Object.values(dropped).flat();
    return {
      hits: found.hits.map(({ path, title, bm25, named }) => ({
        ...{ path, title, ...snippets.get(path), score: bm25 },
        ...(named ? { named } : {}),
        ...(args.explain ? { scores: { bm25 } } : {}),
        ...dates.get(path),
      })),
      total: found.total,
      ...(corrected === undefined ? {} : { corrected }),
      ...(allDropped.length === 0 ? {} : { dropped: allDropped }),
      ...(args.explain ? { explain: { match: query.match, terms: query.terms, dropped } } : {}),
      ...paging.next(args, page, { shown: found.hits.length, total: found.total }),
    };
  },
});
