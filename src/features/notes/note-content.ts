// Reads the current text and outline of notes from the vault.
import { EMPTY_NOTE, fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileContent, Vault } from '../../contracts/vault.ts';
import { parseCanvas } from '../../markdown/parse/canvas.ts';
import { blankDataUris } from '../../markdown/parse/data-uris.ts';
import { type DecodedText, decodeText } from '../../markdown/parse/lines.ts';
import { parseNote } from '../../markdown/parse/parse-note.ts';

export interface NoteContent extends DecodedText {
  readonly bytes: Uint8Array;
  /** As in `FileContent`. */
  readonly differsHere?: boolean;
}

/** @throws FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function readContent(path: NotePath, vault: Vault, signal: AbortSignal): Promise<NoteContent> {
  const { bytes, differsHere = false } = await readFile(path, vault, signal);
  return { ...decodeText(bytes), bytes, differsHere };
}

/** @throws as `readContent` */
export async function readBytes(path: NotePath, vault: Vault, signal: AbortSignal): Promise<Uint8Array> {
  return (await readFile(path, vault, signal)).bytes;
}

async function readFile(path: NotePath, vault: Vault, signal: AbortSignal): Promise<FileContent> {
  const { succeeded, failed } = await vault.read([path], signal);
  for (const { error } of failed) throw error;
  const [read] = succeeded;
  return (read as (typeof succeeded)[number]).result;
}

/**
 * The text of each readable note, by path; by default with blanks instead of embedded files. Without those whose lines are indexed from
 * another content, on another machine.
 * @throws VAULT_UNAVAILABLE
 */
export async function readTexts(
  paths: readonly NotePath[],
  vault: Vault,
  signal: AbortSignal,
  shown: (text: string) => string = blankDataUris,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { succeeded } = await vault.readKept(paths, signal);
  const texts = new Map<string, string>();
  for (const { id, result } of succeeded.filter(({ result }) => result.differsHere !== true)) {
    texts.set(id, shown(decodeText(result.bytes).text));
    await letOthersRun();
  }
  return texts;
}

/** Bases are not Markdown: they have no headings and no links. */
export function parseContent(path: NotePath, text: string): ParsedNote {
  const kind = fileKindOf(path);
  return kind === 'canvas' ? parseCanvas(text) : parseNote(kind === 'note' ? text : '');
}

/** Up to this length, a text is parsed in some milliseconds. */
const SMALL_TEXT = 200_000;

export type OutlineContext = Pick<CallContext, 'compute' | 'signal'>;

/** The same, on the compute thread if the text is long. */
export async function outlineOfContent(
  path: NotePath,
  text: string,
  { compute, signal }: OutlineContext,
): Promise<ParsedNote> {
  if (fileKindOf(path) === 'base' || text.length <= SMALL_TEXT) return parseContent(path, text);
  const [row] = await compute.run('parse', [{ path, bytes: Buffer.from(text) }], signal);
  return row !== undefined && 'parsed' in row ? row.parsed : EMPTY_NOTE;
}
