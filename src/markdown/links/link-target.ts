// Parts a link's text into path and subpath.

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
