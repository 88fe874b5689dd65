// Names the places in a note that a link leads to.

/** The same for a heading and for the links to it, which leave out punctuation: `a-heading`; `^id` for a block. */
export function slugOf(subpath: string): string {
  const last = subpath.slice(subpath.lastIndexOf('#') + 1).trim();
  if (/^\^[\w-]+$/.test(last)) return last.toLowerCase();
  const words = last.normalize('NFC').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-').replaceAll(/^-|-$/g, '');
}
