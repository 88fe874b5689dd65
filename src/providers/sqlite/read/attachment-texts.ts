// Reads the texts of attachments, and leaves attachments out of what is found by words.
import type { NotePath } from '../../../base/note.ts';
import type { AttachmentText } from '../../../contracts/change-set.ts';
import type { TextIndex } from '../../../postings/text-index.ts';
import type { Rows } from '../database/rows.ts';
import { fileAt } from './note-rows.ts';

/** In the order of `paths`, without those that have none. */
export function attachmentTexts(rows: Rows, paths: readonly NotePath[]): AttachmentText[] {
  return paths.flatMap((path) => {
    const file = fileAt(rows, path);
    if (file?.kind !== 'attachment' || file.hash === null) return [];
    const { id, hash, size: sizeBytes, modified: modifiedMs } = file;
    const sql = 'SELECT * FROM attachment_texts WHERE file = ?';
    return rows.checked<{ text: string; fault: string | null }>(sql, id).map(({ text, fault }) => {
      return { path, text, hash, sizeBytes, modifiedMs, ...(fault !== null && { fault }) };
    });
  });
}

/** @param notes numbers of the text index */
export function withoutAttachments({ column }: Rows, { files }: TextIndex, notes: Int32Array): Int32Array {
  const attachments = new Set(column<number>('SELECT file FROM attachment_texts'));
  return attachments.size === 0 ? notes : notes.filter((note) => !attachments.has(files[note] as number));
}
