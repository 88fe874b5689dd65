// Recognizes the codes with which a site generator names another page: `ref` and `relref` of Hugo, `post_url` and `link` of Jekyll.
import { currentDialect } from '../../base/note.ts';

export interface SiteMacro {
  /** The path with its subpath. */
  readonly raw: string;
  /** The offset of the path, and the offset after the code and what is written directly after it. */
  readonly from: number;
  readonly end: number;
  /** The path and its subpath are in the file as in `raw`. */
  readonly isWhole: boolean;
  /** Quotes a path that takes the place of this one. */
  readonly quote: (path: string) => string;
}

const HUGO =
  /\{\{[<%]\s*(?:rel)?ref\s+(?:path\s*=\s*)?(?:"\/?([^"\r\n]*)"|`\/?([^`\r\n]*)`|\/?([^\s"`<>{}%]+))[^<>{}\r\n]*[>%]\}\}(#[^\s"'<>()]*)?/dy;
const JEKYLL =
  /(?:\{\{[^{}\r\n]*\}\})?\{%-?[ \t]*(?:post_url|link)[ \t]+\/?([^{}%\r\n]+?)[ \t]*-?%\}(#[^\s"'<>()]*)?/dy;

/** The code that begins at `from`, if the vault at hand is one of such a site. */
export function siteMacroAt(text: string, from: number): SiteMacro | undefined {
  if (text.charCodeAt(from) !== 123) return undefined;
  const dialect = currentDialect();
  const pattern = dialect === 'hugo' ? HUGO : dialect === 'jekyll' ? JEKYLL : undefined;
  if (pattern === undefined) return undefined;
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  const places = found?.indices?.slice(1, -1) ?? [];
  const [place] = places.filter((one) => one !== undefined);
  if (found === null || place === undefined) return undefined;
  const after = found.at(-1) ?? '';
  const isBare = dialect === 'hugo' && places[2] !== undefined;
  return {
    raw: text.slice(...place) + after,
    from: place[0],
    end: from + found[0].length,
    isWhole: after === '',
    quote: (path) => (isBare && path.includes(' ') ? `"${path}"` : path),
  };
}

/** Whether a code with this path reads back as the path. */
export const isMacroPath = (path: string): boolean => !/["`<>{}%#\r\n]/.test(path);
