// A note's text and outline as they stand in the vault at this moment.
import { fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { parseCanvas } from '../../markdown/parse/canvas.ts';
import { type DecodedText, decodeText } from '../../markdown/parse/decode.ts';
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
