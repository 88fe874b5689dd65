// The piece of each found note that shows why it was found, from the vault's present text. Knows nothing of how it was found.
import type { NotePath } from '../base/note.ts';
import type { TextTerm } from '../contracts/store.ts';
import type { CallContext } from '../contracts/tool.ts';
import type { Vault } from '../contracts/vault.ts';
import { excerptAround } from '../markdown/excerpt.ts';
import { bodyStart } from '../markdown/front-matter.ts';
import { splitLines } from '../markdown/lines.ts';
import { lineCountOf, textOfLines } from '../markdown/section.ts';
import { findTerms } from '../markdown/term-findings.ts';
import { readTexts } from './note-content.ts';

/** Of a snippet, by how much is asked for. */
export const SNIPPET_CHARS = { brief: 240, full: 900 } as const;

export interface ShownHit {
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
  hits: readonly ShownHit[],
  terms: readonly TextTerm[],
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

function snippetOf(hit: ShownHit, text: string, terms: readonly TextTerm[], maxChars: number): Snippet {
  return passageOf(hit, text, terms, maxChars) ?? bestPlace(hit, text, terms, maxChars);
}

/** Undefined where the note has changed meanwhile and no longer has text on these lines. */
function passageOf(
  { lines }: ShownHit,
  text: string,
  terms: readonly TextTerm[],
  maxChars: number,
): Snippet | undefined {
  if (lines === undefined || lines[1] > lineCountOf(text)) return undefined;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === '' ? undefined : { lines, snippet: excerptAround(passage, terms, maxChars).snippet };
}

function bestPlace({ title }: ShownHit, text: string, terms: readonly TextTerm[], maxChars: number): Snippet {
  // Front matter is found by what it says of the note, its title or a tag; what a reader wants to see is the note's text.
  const { bodyLine, bodyOffset } = bodyStart(text, splitLines(text));
  const { snippet, from, to } = excerptAround(text.slice(bodyOffset), terms, maxChars);
  const missing = terms.length > 1 ? missingTerms(`${title}\n${text}`, terms) : [];
  return { lines: [bodyLine + from, bodyLine + to], snippet, ...(missing.length === 0 ? {} : { missing }) };
}

function missingTerms(text: string, terms: readonly TextTerm[]): string[] {
  const found = new Set(findTerms(text.normalize('NFC'), terms).map(({ term }) => term));
  return terms.filter((_, index) => !found.has(index)).map((term) => term.text);
}
