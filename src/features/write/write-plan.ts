// Describes what a tool is about to write, and builds its answer.
import { contentHash } from '../../base/content-hash.ts';
import type { NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileOperation } from '../../contracts/writer.ts';
import type { TagRename } from '../../markdown/edit/tag-name.ts';
import type { PlannedMoves } from '../view/outside-view.ts';

/** A name of an existing note that a write gives to another file. */
export interface TakenName {
  readonly name: string;
  /** The note that the name means now, and by which of its names. */
  readonly note: NotePath;
  readonly by: 'name' | 'alias' | 'title';
  readonly to: NotePath;
  /** Links that lead to the note, or by an alias or title are written so, and would lead elsewhere. */
  readonly links: number;
  /** Links to the note that are rewritten, so that they still lead to it. */
  readonly rewritten?: number;
  readonly places?: readonly { readonly path: NotePath; readonly line: number; readonly link: string }[];
}

/** `total` counts all; `nearest` are notes, attachments or headings with similar names. */
export interface DeadLinks {
  readonly total: number;
  readonly links: readonly {
    readonly path: NotePath;
    readonly line: number;
    readonly link: string;
    readonly nearest: readonly string[];
  }[];
}

export interface EditableNote {
  readonly path: NotePath;
  /** Without its byte order mark. */
  readonly text: string;
  readonly etag: string;
  /** The bytes of a text that replaces this one. */
  readonly encode: (text: string) => Uint8Array;
}

export interface PlannedFile {
  readonly operation: FileOperation;
  /** The file after the write. It has no etag if it is deleted, or moved without being read. */
  readonly result: { readonly path: string; readonly etag?: string };
  /** The texts for the diff; an attachment has none. */
  readonly before?: string;
  readonly after?: string;
}

export interface WritePlan {
  /** Empty if nothing would change. */
  readonly files: readonly PlannedFile[];
  /** The path of the note or folder after the write; absent if the tool takes several notes. */
  readonly path?: string;
  /** The etag of the note before and after the write; absent if it does not exist then. */
  readonly etagBefore?: string;
  readonly etag?: string;
  /** Whether text is removed or several files change. */
  readonly needsConsent: boolean;
  /** The changes that CONFIRMATION_REQUIRED lists. */
  readonly affected: readonly string[];
  readonly emptied?: readonly string[];
  readonly undoes?: string;
  /** Files that get another path, or become part of another note, so that links to them must change. */
  readonly moves?: PlannedMoves;
  /** The tag that gets another name in all notes. */
  readonly renamesTag?: TagRename;
  /** Arguments that the caller left out, as they were resolved; the plan's execution uses the same. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The names that it takes from other notes. */
  readonly takesOver?: readonly TakenName[];
  /** New links that lead nowhere. */
  readonly deadLinks?: DeadLinks;
  /** What Obsidian ignores in properties that the write adds. */
  readonly ignoredProperties?: readonly { readonly path: NotePath; readonly notice: string }[];
  /** More fields of the answer. */
  readonly facts?: object;
}

export function plannedFile(
  operation: FileOperation,
  texts: { readonly before?: string; readonly after?: string } = {},
): PlannedFile {
  const path = operation.kind === 'move' ? operation.to : operation.path;
  const bytes = 'bytes' in operation ? operation.bytes : undefined;
  const unchanged = operation.kind === 'move' ? operation.before : undefined;
  const etag = bytes === undefined ? unchanged : contentHash(bytes);
  return { operation, result: { path, ...(etag === undefined ? {} : { etag }) }, ...texts };
}

/** The plan that replaces the text of a note; it has no file if the text stays the same. */
export function replacement(
  { path, text: before, etag, encode }: EditableNote,
  after: string,
  more: Pick<WritePlan, 'needsConsent' | 'facts'>,
): WritePlan & { readonly path: string } {
  if (after === before) return { files: [], path, etagBefore: etag, etag, affected: [], ...more };
  const file = plannedFile({ kind: 'replace', path, before: etag, bytes: encode(after) }, { before, after });
  return { files: [file], ...file.result, etagBefore: etag, affected: [path], ...more };
}

/** Every path that the index must read again. */
export function touchedPaths({ files }: WritePlan): readonly string[] {
  return files.flatMap(({ operation: { path }, result }) => (result.path === path ? [path] : [path, result.path]));
}

const MAX_DIFF_LENGTH = 20_000;
const MAX_FILES = 100;
const MAX_ROWS = 200;

/** @param head the fields that the answer begins with */
export async function planView(head: object, plan: WritePlan, call: CallContext): Promise<object> {
  const { path, etag, facts, files } = plan;
  const differences = { files: files.map(differenceOf), longest: MAX_DIFF_LENGTH };
  const { diff, cut } = await call.compute.run('diff', differences, call.signal);
  warnOfCut(cut, files.length, 'are missing from the diff, or cut', call);
  return {
    ...head,
    ...(path === undefined ? {} : { path }),
    ...(etag === undefined ? {} : { etag }),
    ...facts,
    ...(files.length < 2 ? {} : { files_changed: files.length, files: listedFiles(plan, call) }),
    diff,
  };
}

/** A file of the plan as the `diff` job takes it. */
export function differenceOf({ operation: { kind, path }, result, ...texts }: PlannedFile) {
  return {
    from: kind === 'create' || kind === 'restore' ? null : path,
    to: kind === 'trash' || kind === 'remove' ? null : result.path,
    ...texts,
  };
}

function listedFiles({ files }: WritePlan, call: CallContext): readonly object[] {
  warnOfCut(files.length - MAX_FILES, files.length, 'are not listed', call);
  return files.slice(0, MAX_FILES).map(({ result }) => result);
}

function warnOfCut(count: number, total: number, what: string, call: CallContext): void {
  if (count <= 0) return;
  call.warn({ code: 'TRUNCATED', message: `${count} of the ${total} changed files ${what}`, count });
}

/** The rows that an answer lists; a warning counts the others. */
export function firstRows<Row>(rows: readonly Row[], what: string, call: CallContext, max = MAX_ROWS): readonly Row[] {
  const left = rows.length - max;
  if (left > 0) call.warn({ code: 'TRUNCATED', message: `${left} more ${what} are not listed`, count: left });
  return rows.slice(0, max);
}
