// Reads the current text and outline of notes from the vault.
import { fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { parseCanvas } from '../../markdown/parse/canvas.ts';
import { type DecodedText, decodeText, splitLines } from '../../markdown/parse/lines.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';

export interface NoteContent extends DecodedText {
  readonly bytes: Uint8Array;
}

/** @throws FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function readContent(path: NotePath, vault: Vault, signal: AbortSignal): Promise<NoteContent> {
  const { succeeded, failed } = await vault.read([path], signal);
  for (const { error } of failed) throw error;
  const [read] = succeeded;
  const { bytes } = (read as (typeof succeeded)[number]).result;
  return { ...decodeText(bytes), bytes };
}

/** The text of each readable note, by path. @throws VAULT_UNAVAILABLE */
export async function readTexts(
  paths: readonly NotePath[],
  vault: Vault,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { succeeded } = await vault.read(paths, signal);
  return new Map(succeeded.map(({ id, result }) => [id, decodeText(result.bytes).text]));
}

/** Bases are not Markdown: they have no headings and no links. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  return kind === 'canvas' ? parseCanvas(text) : parseNote(kind === 'note' ? text : '');
}

interface CutText {
  readonly text: string;
  /** Complete lines in the text; 0 if even the first line was cut. */
  readonly wholeLines: number;
}

/** Cuts after the last line that ends within `maxLength` UTF-16 units, or inside the first line if that is longer. */
export function cutToLines(text: string, maxLength: number): CutText {
  const { ends, starts } = splitLines(text);
  if (text.length <= maxLength) return { text, wholeLines: ends.length };
  const wholeLines = ends.findLastIndex((end) => end <= maxLength) + 1;
  if (wholeLines > 0)
    return { text: text.slice(0, Math.min(starts[wholeLines] ?? text.length, maxLength)), wholeLines };
  return { text: text.slice(0, isInsidePair(text, maxLength) ? maxLength - 1 : maxLength), wholeLines };
}

/** Whether a cut at `offset` would split a surrogate pair. */
function isInsidePair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
