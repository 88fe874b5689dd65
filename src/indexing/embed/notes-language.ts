// Finds out whether the notes of a folder are in English, before there is an index: reads the beginning of some of them.
import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOrRethrow } from '../../base/errno.ts';
import { isEvicted } from '../../base/system/evicted-file.ts';
import { isEnglish } from '../../markdown/excerpt/languages.ts';
import { sampleSentence } from '../../markdown/excerpt/sentence.ts';
import { decodeText } from '../../markdown/parse/lines.ts';

/** Folders that are looked into at most; the notes of a vault are in one language everywhere, or in several anywhere. */
const MAX_FOLDERS = 200;
const MAX_NOTES = 60;
const BEGINNING = 8_192;
const IS_NOTE = /\.(?:md|markdown|qmd|mdx)$/i;

/** Undefined if no note says anything, as in a new vault. Files that cannot be read, or are only in the cloud, are passed over. */
export function areNotesEnglish(vault: string): boolean | undefined {
  const sentences = spread(notesIn(vault)).flatMap((file) => orNothing(() => beginningOf(file)) ?? []);
  return sentences.length === 0 ? undefined : isEnglish(sentences.join(' '));
}

function notesIn(vault: string): readonly string[] {
  const notes: string[] = [];
  const folders = [vault];
  for (const folder of folders) {
    for (const entry of orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      const path = join(folder, entry.name);
      if (isFolder(entry) && folders.length < MAX_FOLDERS) folders.push(path);
      else if (entry.isFile() && IS_NOTE.test(entry.name)) notes.push(path);
    }
  }
  return notes;
}

const isFolder = (entry: Dirent): boolean => entry.isDirectory() && !entry.name.startsWith('.');

const spread = (all: readonly string[]): readonly string[] =>
  all.filter((_, at) => at % Math.ceil(all.length / MAX_NOTES) === 0);

/** A sentence; undefined if there is none. */
function beginningOf(file: string): string | undefined {
  const stats = statSync(file);
  if (isEvicted(stats)) return undefined;
  const bytes = Buffer.alloc(Math.min(stats.size, BEGINNING));
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return sampleSentence(decodeText(bytes.subarray(0, length)).text);
  } finally {
    closeSync(descriptor);
  }
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return undefined;
  }
}
