// Names the places in a note that a link leads to.

/** The same for a heading and for any spelling of a link to it, with blanks, hyphens or no punctuation: `aheading`; `^id` for a block. */
export function slugOf(subpath: string): string {
  const last = subpath.slice(subpath.lastIndexOf('#') + 1).trim();
  if (/^\^[\w-]+$/.test(last)) return last.toLowerCase();
  return last
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');
}
