// Reads the notes of a vault folder from disk, without folders whose names start with a dot.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Store } from '../../src/contracts/store.ts';
import { splitLines } from '../../src/markdown/parse/lines.ts';
import { bodyStart } from '../../src/markdown/properties/front-matter.ts';

/** Texts by vault path, sorted. */
export function notesIn(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.md'),
  );
  const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  const shown = paths.filter((path) => !path.split('/').some((segment) => segment.startsWith('.')));
  return new Map(shown.sort().map((path) => [path.normalize('NFC'), readFileSync(join(folder, path), 'utf8')]));
}

/** Title and body of each note: the input for plain BM25. */
export async function titledTexts(notes: ReadonlyMap<string, string>, store: Store): Promise<Map<string, string>> {
  const records = await store.notes([...notes.keys()] as never, new AbortController().signal);
  return new Map(records.map(({ path, title }) => [path, `${title}\n${bodyOf(notes.get(path) ?? '')}`]));
}

function bodyOf(text: string): string {
  return text.slice(bodyStart(text, splitLines(text)).bodyOffset);
}
