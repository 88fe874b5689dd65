// The piece of each found note that shows why it was found, from the vault's present text.
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

/** Of a snippet, by how much is asked for. */
export const SNIPPET_CHARS = { brief: 240, full: 900 } as const;

/** A term of a query, and how much it tells that a passage holds it. */
export type HighlightTerm = TextTerm & WeightedTerm;

export interface SnippetRequest {
  readonly path: NotePath;
  readonly title: string;
  /** Of the passage that was found; without it the words looked for choose one. */
  readonly lines?: readonly [number, number];
}

export interface Snippet {
  readonly lines: readonly [number, number];
  readonly snippet: string;
  /** Words looked for that neither the note nor its title holds. */
  readonly missing?: readonly string[];
}

/** By path; a hit whose file cannot be read has none and is counted in a warning. Reads each hit's file once. */
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
  warnOfUnread(hits.length - texts.size, call);
  return new Map(
    hits.flatMap((hit) => {
      const text = texts.get(hit.path);
      return text === undefined ? [] : [[hit.path, snippetOf(hit, text, wanted, maxChars)]];
    }),
  );
}

function warnOfUnread(count: number, call: CallContext): void {
  if (count === 0) return;
  call.warn({ code: 'EXTRA_MISSING', message: `${count} hits without snippet: their notes cannot be read`, count });
}

function snippetOf(hit: SnippetRequest, text: string, terms: readonly HighlightTerm[], maxChars: number): Snippet {
  return passageOf(hit, text, terms, maxChars) ?? bestExcerpt(hit, text, terms, maxChars);
}

/** Undefined where the note has changed meanwhile and no longer has text on these lines. */
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
  // Front matter is found by what it says of the note, its title or a tag; what a reader wants to see is the note's text.
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
