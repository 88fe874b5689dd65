// Reads the current text and outline of notes from the vault.
import { fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileContent, Vault } from '../../contracts/vault.ts';
import { type DecodedText, decodeText } from '../../markdown/parse/lines.ts';
import { parseContent } from '../../markdown/parse/parse-content.ts';
import type { ShownForm } from '../../markdown/parse/shown-text.ts';

export interface NoteContent extends DecodedText {
  readonly bytes: Uint8Array;
  /** The same as in `FileContent`. */
  readonly differsHere?: boolean;
}

/** @throws FILE_UNREADABLE, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
export async function readContent(path: NotePath, vault: Vault, signal: AbortSignal): Promise<NoteContent> {
  const { bytes, differsHere = false } = await readFile(path, vault, signal);
  const decoded = decodeText(bytes);
  // What callers make of a long text takes as long again.
  await letOthersRun(signal);
  return { ...decoded, bytes, differsHere };
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
 * The text of each readable note, by path; by default as its user sees it. Without those whose lines are indexed from
 * another content, on another machine.
 * @param most the beginning of a longer file stands for the whole; not of a canvas, which is read as a whole
 * @throws VAULT_UNAVAILABLE
 */
export async function readTexts(
  paths: readonly NotePath[],
  vault: Vault,
  call: OutlineContext,
  as: ShownForm = 'text',
  most = Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { succeeded } = await vault.readKept(paths, call.signal);
  const texts = new Map<string, string>();
  for (const { id, result } of succeeded.filter(({ result }) => result.differsHere !== true)) {
    const { text } = decodeText(result.bytes);
    const begins = text.length > most && fileKindOf(id) !== 'canvas' ? text.slice(0, most) : text;
    texts.set(id, await shownFile(id, begins, as, call));
    await letOthersRun();
  }
  return texts;
}

/** A long text is made on the compute thread. */
export function shownFile(
  path: string,
  text: string,
  as: ShownForm,
  { compute, signal }: OutlineContext,
): Promise<string> | string {
  const isAsWritten = as === 'written' || (as === 'lines' && fileKindOf(path) !== 'canvas');
  return isAsWritten ? text : compute.run(jobs.shown, { path, text, as }, signal);
}

/** Up to this length, a text is parsed in some milliseconds. */
const SMALL_TEXT = 200_000;

export type OutlineContext = Pick<CallContext, 'compute' | 'signal'>;

/** These parts of what the text holds. A long text is parsed on the compute thread, from which only these come. */
export async function outlineOfContent<Part extends keyof ParsedNote>(
  path: NotePath,
  text: string,
  parts: readonly Part[],
  { compute, signal }: OutlineContext,
): Promise<Pick<ParsedNote, Part>> {
  if (text.length <= SMALL_TEXT) return parseContent(path, text);
  return (await compute.run(jobs.outline, { path, text, parts }, signal)) as Pick<ParsedNote, Part>;
}
