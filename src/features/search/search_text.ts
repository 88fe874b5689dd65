// Notes found by their words, best first.
import * as z from 'zod';
import type { TextHit, TextQuery } from '../../contracts/store.ts';
import { defineTool } from '../../contracts/tool.ts';
import { datesOf, filterShape, noteFilter, warnOfEmptyFilters } from '../notes/filters.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { SNIPPET_CHARS, type Snippet, snippetsOf } from './snippets.ts';
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
  summary: 'Full-text search (BM25). `any` ranks notes with more and rarer words first; `all` wants every word.',
  effect: 'reads',
  needs: ['store', 'vault'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'LIMIT_EXCEEDED', 'PATH_NOT_ALLOWED', 'VAULT_UNAVAILABLE'],
  input,
  run: async (given, { store, vault }, call) => {
    const page = paging.pageOf(given);
    const { query: written, ignored, binding } = parseTextQuery(given.query, given.match);
    const filter = noteFilter(given);
    const { query, corrected, found } = await searchWords(written, filter, page, store, call);
    const { hits, total, dropped } = found;
    await warnOfEmptyFilters(filter, store, call);
    const snippets = await snippetsOf(hits, highlightTerms(query, found), SNIPPET_CHARS[given.detail], vault, call);
    const paths = hits.map(({ path }) => path);
    const dates = await datesOf(paths, filter, store, call.signal);
    const left = [...ignored, ...binding, ...dropped];
    return {
      hits: hits.map((hit) => ({ ...hitView(hit, snippets.get(hit.path), given.explain), ...dates.get(hit.path) })),
      total,
      ...(corrected === undefined ? {} : { corrected }),
      ...(left.length === 0 ? {} : { dropped: left }),
      ...(given.explain
        ? { explain: explained(query, { without_letters: ignored, function_words: binding, in_most_notes: dropped }) }
        : {}),
      ...paging.next(given, page, { shown: hits.length, total }),
    };
  },
});

function hitView({ path, title, bm25, named }: TextHit, snippet: Snippet | undefined, explain: boolean) {
  const scores = explain ? { scores: { bm25 } } : {};
  return { path, title, ...snippet, score: bm25, ...(named ? { named } : {}), ...scores };
}

/** How the query was read, and why some of its terms did not count. */
function explained({ match, terms }: TextQuery, dropped: Readonly<Record<string, readonly string[]>>) {
  return { match, terms, dropped };
}
