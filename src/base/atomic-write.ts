// Replaces files atomically: a reader sees the old content or the new content, never part of it.
import { randomBytes } from 'node:crypto';
import { createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { renamePatiently, renamePatientlySync } from './system/rename.ts';

export interface ReplaceOptions {
  /** Permissions of the new file, before the umask; by default 0o666. */
  readonly mode?: number;
  /** Flushes the content to disk before the file is put in place. */
  readonly flush?: boolean;
  /** Puts the complete temporary file in place; by default it is renamed. */
  readonly commit?: (temporary: string) => void | Promise<void>;
}

/** Writes a temporary file in the same folder, and then puts it in place. The temporary file is removed on every failure. */
export async function replaceFile(
  file: string,
  content: string | AsyncIterable<string>,
  { mode = 0o666, flush = false, commit = (temporary) => renamePatiently(temporary, file) }: ReplaceOptions = {},
): Promise<void> {
  const temporary = temporaryName(file);
  try {
    const chunks = typeof content === 'string' ? [content] : content;
    await pipeline(chunks, createWriteStream(temporary, { flags: 'wx', mode, flush }));
    await commit(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Does what `replaceFile` does, for a process that cannot wait. */
export function replaceFileSync(file: string, content: string, mode = 0o666): void {
  const temporary = temporaryName(file);
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode });
    renamePatientlySync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

const temporaryName = (file: string): string => `${file}.${randomBytes(6).toString('hex')}.tmp`;
