// Splits links and normalizes names for comparison, as Obsidian does.
import { extensionOf, fileKindOf, type Link } from '../../base/note.ts';
import { noteId } from './page-names.ts';

const BEYOND_ASCII = /[^\0-\x7f]/;

/** NFC with no-break spaces as plain ones, so that names that look the same are equal. */
export function normalizeName(name: string): string {
  return BEYOND_ASCII.test(name) ? name.normalize('NFC').replace(/[\u00A0\u202F]/g, ' ') : name;
}

/** A name or path for comparison: normalized and in lower case, including its extension. */
export function foldName(name: string): string {
  return normalizeName(name).toLowerCase();
}

/** The folded last segment of a path, including its extension, of a note with an id only that: the key for looking up files by name. */
export function nameKeyOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const id = noteId(name);
  const isNote = id !== undefined && fileKindOf(name) === 'note';
  return foldName(isNote ? `${id}.${extensionOf(name)}` : name);
}

export type LinkTarget = ReturnType<typeof splitLink>;

/**
 * `path`: as written, trimmed; empty for a link within its own note.
 * `subpath`: from the first `#` on, inclusive; empty if there is none.
 */
export function splitLink(link: string) {
  const cut = link.indexOf('#');
  return cut === -1
    ? { path: link.trim(), subpath: '' }
    : { path: link.slice(0, cut).trim(), subpath: link.slice(cut).trimEnd() };
}

/** The part of a file that a link names, with its `#`; that of a canvas card is beside its path. */
export function subpathOf({ kind, link, display }: Pick<Link, 'kind' | 'link' | 'display'>): string {
  return kind === 'canvas' ? display.slice(link.length) : splitLink(link).subpath;
}
