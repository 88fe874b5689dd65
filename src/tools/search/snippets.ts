// Builds the snippets of found notes from their current text.
import { fileKindOf, isPdf, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { TextTerm } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { WeightedTerm } from '../../markdown/excerpt/excerpt.ts';
import type { Snippet as TextSnippet } from '../../markdown/excerpt/snippet.ts';
import { pageReference } from '../../markdown/parse/pdf-pages.ts';
import { readTexts } from '../notes/note-content.ts';

/** Characters per snippet, by level of detail. */
export const SNIPPET_CHARS = { brief: 240, full: 900 } as const;

/** A query term with its weight in a passage. */
export type HighlightTerm = TextTerm & WeightedTerm;

export interface SnippetRequest {
  readonly path: NotePath;
  readonly title: string;
  /** The passage that matched; without it the terms choose one. */
  readonly lines?: readonly [number, number];
}

/** `ref` leads to the page, as a reference of tools and as a link of Obsidian. */
export type Snippet = TextSnippet & { readonly ref?: string };

/** Does what `readSnippets` does, and counts hits that cannot be read in a warning. */
export async function snippetsOf(
  hits: readonly SnippetRequest[],
  terms: readonly HighlightTerm[],
  maxChars: number,
  vault: Vault,
  call: CallContext,
  texts?: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Snippet>> {
  const snippets = await readSnippets(hits, terms, maxChars, vault, call, texts);
  const count = hits.length - snippets.size;
  const message = `${count} hits without snippet: their notes cannot be read here`;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message, count });
  return snippets;
}

/**
 * By path. Reads each file once; hits that cannot be read have no snippet.
 * @param known texts that this call has read already, as their user sees them
 */
export async function readSnippets(
  hits: readonly SnippetRequest[],
  terms: readonly HighlightTerm[],
  maxChars: number,
  vault: Vault,
  call: Pick<CallContext, 'compute' | 'signal'>,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<ReadonlyMap<string, Snippet>> {
  const positive = terms.filter((term) => !term.negated);
  const paths = hits.map(({ path }) => path).filter((path) => !known.has(path));
  const texts = new Map([...known, ...(await readTexts(paths, vault, call))]);
  const read = hits.flatMap(({ path, title, lines }) => {
    const text = texts.get(path);
    const kind = {
      ...(lines === undefined ? {} : { lines }),
      ...(isPdf(path) && { isPaged: true }),
      ...(fileKindOf(path) === 'canvas' && { isCanvas: true }),
    };
    return text === undefined ? [] : [{ path, title, text, ...kind }];
  });
  const snippets = await call.compute.run(jobs.snippets, { hits: read, terms: positive, maxChars }, call.signal);
  return new Map(read.map(({ path }, at) => [path, withReference(path, snippets[at] as Snippet)]));
}

function withReference(path: NotePath, snippet: Snippet): Snippet {
  return snippet.page === undefined ? snippet : { ...snippet, ref: pageReference(path, snippet.page) };
}
