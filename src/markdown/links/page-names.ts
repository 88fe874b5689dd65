// Names of notes that are not the names of their files: pages of Logseq, and notes of a Zettelkasten by their ids.
import { currentDialect, noteName } from '../../base/note.ts';

/** The page of Logseq that a file is: `a/b` for `a___b.md` and `a%2Fb.md`; undefined where the file has the name itself. */
export function pageName(path: string): string | undefined {
  if (currentDialect() !== 'logseq') return undefined;
  const file = noteName(path);
  const page = decoded(file.replaceAll('___', '/'));
  return page === file ? undefined : page;
}

/** The file names that the page can have, beside its own. */
export function filesOfPage(page: string): readonly string[] {
  if (currentDialect() !== 'logseq') return [];
  const safe = page.replace(/[%?:*"<>|\\#^[\]]/g, percent).replace(/\.$/, percent);
  return [...new Set(['___', '%2F', '.'].map((slash) => safe.replaceAll('/', slash)))].filter((name) => name !== page);
}

function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (thrown) {
    // A lone `%` is a character of the name.
    if (thrown instanceof URIError) return name;
    throw thrown;
  }
}

/** A time with minutes or seconds, at the beginning of a name. */
const ID = /^(\d{12}(?:\d\d)?)(?!\d)/;

/** The id of a note of a Zettelkasten by the name of its file. */
export function noteId(name: string): string | undefined {
  return currentDialect() === 'zettelkasten' ? ID.exec(name)?.[1] : undefined;
}
