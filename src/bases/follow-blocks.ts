// Works out how the bases in code blocks of a note must change when files move; all other bytes of the note stay.
import type { NotePath } from '../base/note.ts';
import type { BrokenLink } from '../markdown/links/follow-links.ts';
import type { MovedFiles } from '../markdown/links/link-changes.ts';
import type { BaseBlock } from '../markdown/parse/base-blocks.ts';
import { decodeText, encoderLike, splitLines } from '../markdown/parse/lines.ts';
import { followedBase, type MovedFolder } from './follow-base.ts';

export interface FollowedBlocks {
  /** Present if a block must change. */
  readonly changed?: { readonly before: string; readonly bytes: Uint8Array; readonly lines: readonly number[] };
  readonly broken: readonly BrokenLink[];
}

/** Whether a note may have such a block. */
export const mayHaveBases = (text: string): boolean => /(?:`{3}|~{3})[ \t]*base\b/.test(text);

/**
 * Undefined for a note whose blocks name no moved file or folder.
 * @param path of the note before the move
 * @param blocks of the note
 */
export function followedBlocks(
  path: NotePath,
  bytes: Uint8Array,
  blocks: readonly BaseBlock[],
  files: MovedFiles,
  folder: MovedFolder | undefined,
): FollowedBlocks | undefined {
  const { text, encoding } = decodeText(bytes);
  if (encoding !== 'utf-8') return undefined;
  const followed = blocks.flatMap((block) => {
    const { file, broken } = followedBase(path, Buffer.from(block.text), files, folder) ?? {};
    return file === undefined ? [] : [{ block, changed: file.changed, broken: broken ?? [] }];
  });
  if (followed.length === 0) return undefined;
  const broken = followed.flatMap(({ block, broken: ofBlock }) =>
    ofBlock.map((each) => ({ ...each, line: each.line + block.linesAbove })),
  );
  const rows = followed.flatMap(({ block, changed }) =>
    changed === undefined ? [] : changedRows(block, changed.after),
  );
  if (rows.length === 0) return { broken };
  const after = withRows(text, rows);
  return { changed: { before: text, bytes: encoderLike(bytes)(after), lines: rows.map(({ line }) => line) }, broken };
}

interface ChangedRow {
  /** In the note, from 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** A name that is replaced has no line end, so the rows stay as many. */
function changedRows({ text, linesAbove }: BaseBlock, after: string): ChangedRow[] {
  const now = after.split('\n');
  return text.split('\n').flatMap((before, at) => {
    const row = now[at] ?? before;
    return row === before ? [] : [{ line: linesAbove + at + 1, before, after: row }];
  });
}

/** A row is the end of its line, after the marks of quotes and the indent. */
function withRows(text: string, rows: readonly ChangedRow[]): string {
  const { ends } = splitLines(text);
  let changed = '';
  let at = 0;
  for (const { line, before, after } of rows) {
    const end = ends[line - 1] ?? text.length;
    changed += text.slice(at, end - before.length) + after;
    at = end;
  }
  return changed + text.slice(at);
}
