// How names are made comparable, as Obsidian compares them.

const BEYOND_ASCII = /[^\0-\x7f]/;

/** NFC, and the no-break blanks as plain ones: two spellings of one name that look the same are the same. */
export function normalizeName(name: string): string {
  return BEYOND_ASCII.test(name) ? name.normalize('NFC').replace(/[\u00A0\u202F]/g, ' ') : name;
}

/** A name or path as it is compared: normalized and in lower case, extension included (a final Σ folds by what follows it). */
export function foldName(name: string): string {
  return normalizeName(name).toLowerCase();
}

/** The folded last segment of a path, extension included: the key under which a file's name is looked up. */
export function nameKeyOf(path: string): string {
  return foldName(path.slice(path.lastIndexOf('/') + 1));
}

export interface LinkTarget {
  /** As written, its ends trimmed; empty for a link into its own note. */
  readonly path: string;
  /** From the first `#` on, that included; empty when there is none. */
  readonly subpath: string;
}

export function splitLink(link: string): LinkTarget {
  const cut = link.indexOf('#');
  return cut === -1
    ? { path: link.trim(), subpath: '' }
    : { path: link.slice(0, cut).trim(), subpath: link.slice(cut).trimEnd() };
}
