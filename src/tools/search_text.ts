// Notes found by their words, best first. Knows nothing of the engine that finds them.
import * as z from 'zod';
import type { TextHit, TextTerm } from '../contracts/store.ts';
import { defineTool } from '../contracts/tool.ts';
import { filterShape, noteFilter, warnOfEmptyFilters } from '../queries/filters.ts';
import { createPaging, pageShape } from '../queries/page.ts';
import { SNIPPET_CHARS, type Snippet, snippetsOf } from '../queries/snippets.ts';
import { parseTextQuery } from '../queries/text-query.ts';

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
  summary: 'Full-text search (BM25). `any` ranks notes with more and rarer words first; `all` wants every word.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'LIMIT_EXCEEDED', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
  input,
  run: async (given, { store, vault }, call) => {
    const page = paging.pageOf(given);
    const { query, ignored } = parseTextQuery(given.query, given.match);
    const filter = noteFilter(given);
    const { hits, total, dropped } = await store.searchText(query, filter, page, call.signal);
    await warnOfEmptyFilters(filter, store, call);
    const looked = query.terms.filter(({ text }) => !dropped.includes(text));
    const snippets = await snippetsOf(hits, looked, SNIPPET_CHARS[given.detail], vault, call);
    const left = [...ignored, ...dropped];
    return {
      hits: hits.map((hit) => hitView(hit, snippets.get(hit.path), given.explain)),
      total,
      ...(left.length === 0 ? {} : { dropped: left }),
      ...(given.explain ? { explain: explained(given.match, query.terms, ignored, dropped) } : {}),
      ...paging.next(given, page, { shown: hits.length, total }),
    };
  },
});

function hitView({ path, title, bm25 }: TextHit, snippet: Snippet | undefined, explain: boolean) {
  return { path, title, ...snippet, score: bm25, ...(explain ? { scores: { bm25 } } : {}) };
}

/** How the query was read, and why some of its terms did not count. */
function explained(
  match: 'any' | 'all',
  terms: readonly TextTerm[],
  without_letters: readonly string[],
  in_most_notes: readonly string[],
) {
  return { match, terms, dropped: { without_letters, in_most_notes } };
}
