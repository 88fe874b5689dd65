// A note's text and outline as they stand in the vault at this moment.
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

/** The text of each note that can be read. @throws VAULT_UNAVAILABLE */
export async function readTexts(
  paths: readonly NotePath[],
  vault: Vault,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { succeeded } = await vault.read(paths, signal);
  return new Map(succeeded.map(({ id, result }) => [id, decodeText(result.bytes).text]));
}

/** Bases are no Markdown: they have no parts and no links. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  return kind === 'canvas' ? parseCanvas(text) : parseNote(kind === 'note' ? text : '');
}

interface CutText {
  readonly text: string;
  /** Lines shown whole; 0 when even the first had to be cut. */
  readonly wholeLines: number;
}

/** At most `longest` UTF-16 units: as many whole lines as fit, or the beginning of the first where it alone is longer. */
export function cutToLines(text: string, longest: number): CutText {
  const { ends, starts } = splitLines(text);
  if (text.length <= longest) return { text, wholeLines: ends.length };
  const wholeLines = ends.findLastIndex((end) => end <= longest) + 1;
  if (wholeLines > 0) return { text: text.slice(0, Math.min(starts[wholeLines] ?? text.length, longest)), wholeLines };
  return { text: text.slice(0, isInsidePair(text, longest) ? longest - 1 : longest), wholeLines };
}

/** Whether a cut at `offset` would part the two halves of one character. */
function isInsidePair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
