// Builds the snippets of found notes from their current text.
import type { NotePath } from '../../base/note.ts';
import type { TextTerm } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { excerptAround, excerptOf, type WeightedTerm, weightsOf } from '../../markdown/excerpt/excerpt.ts';
import { findTerms, type TermMatch } from '../../markdown/excerpt/term-matches.ts';
import { bodyStart } from '../../markdown/frontmatter/front-matter.ts';
import { lineCountOf, textOfLines } from '../../markdown/links/section.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
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

export interface Snippet {
  readonly lines: readonly [number, number];
  readonly snippet: string;
  /** Terms that neither the note nor its title has. */
  readonly missing?: readonly string[];
}

/** By path. Reads each file once; hits that cannot be read have no snippet and are counted in a warning. */
export async function snippetsOf(
  hits: readonly SnippetRequest[],
  terms: readonly HighlightTerm[],
  maxChars: number,
  vault: Vault,
  call: CallContext,
): Promise<ReadonlyMap<string, Snippet>> {
  const wanted = terms.filter((term) => !term.negated);
  const texts = await readTexts(
    hits.map(({ path }) => path),
    vault,
    call.signal,
  );
  const count = hits.length - texts.size;
  const message = `${count} hits without snippet: their notes cannot be read`;
  if (count > 0) call.warn({ code: 'EXTRA_MISSING', message, count });
  return new Map(
    hits.flatMap((hit) => {
      const text = texts.get(hit.path);
      if (text === undefined) return [];
      return [[hit.path, passageOf(hit, text, wanted, maxChars) ?? bestExcerpt(hit, text, wanted, maxChars)]];
    }),
  );
}

/** Undefined if the note has changed and these lines have no text any more. */
function passageOf(
  { lines }: SnippetRequest,
  text: string,
  terms: readonly HighlightTerm[],
  maxChars: number,
): Snippet | undefined {
  if (lines === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { lines, snippet: excerptAround(passage, terms, maxChars).snippet };
}

function bestExcerpt(
  { title }: SnippetRequest,
  written: string,
  terms: readonly HighlightTerm[],
  maxChars: number,
): Snippet {
  const text = written.normalize('NFC');
  const lines = splitLines(text);
  // A match in the front matter (title, tags) is shown by the note's text instead.
  const { bodyOffset } = bodyStart(text, lines);
  const start = text.slice(bodyOffset).trim() === '' ? 0 : bodyOffset;
  const findings = findTerms(text, terms);
  const inBody = findings.filter(({ from }) => from >= start);
  const { snippet, from, to } = excerptOf({ text, lines, start }, inBody, weightsOf(terms), maxChars);
  const missing = terms.length > 1 ? missingTerms(title, terms, findings) : [];
  return { lines: [from, to], snippet, ...(missing.length === 0 ? {} : { missing }) };
}

function missingTerms(title: string, terms: readonly TextTerm[], inText: readonly TermMatch[]): string[] {
  const found = new Set([...inText, ...findTerms(title.normalize('NFC'), terms)].map(({ term }) => term));
  return terms.filter((_, index) => !found.has(index)).map((term) => term.text);
}
