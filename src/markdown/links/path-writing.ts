// Writes a path into a link in the form that it has there, or says that it cannot stand there. Knows no vault.

import { decodeDestination, inlineTargetAt, isExternal } from '../parse/markdown-link.ts';
import { readWikilink, wikilinkClose } from '../parse/wikilink.ts';
import { encodeDestination } from './destination-spelling.ts';
import type { LinkPath, PathForm } from './link-path.ts';
import { splitLink } from './link-target.ts';

/** The path as it is to stand in the file; undefined where it would not read back as itself. */
export function writePath(path: string, { form, written, quote }: LinkPath): string | undefined {
  const isDestination = form === 'bare' || form === 'enclosed';
  const text = isDestination ? encodeDestination(path, written, form === 'enclosed') : path;
  return readsBack(text, path, form) ? quote(text) : undefined;
}

function readsBack(text: string, path: string, form: PathForm): boolean {
  switch (form) {
    case 'file':
      return true;
    case 'wikilink':
      return wikilinkClose(`[[${text}]]`, 0) === text.length + 2 && isPathOf(readWikilink(text)?.link, path);
    case 'bare':
      return isDestination(`(${text})`, text, path);
    case 'enclosed':
      return isDestination(`(<${text}>)`, text, path);
  }
}

function isDestination(target: string, text: string, path: string): boolean {
  const found = inlineTargetAt(target, 0);
  return (
    found?.raw === text && found.end === target.length && !isExternal(text) && isPathOf(decodeDestination(text), path)
  );
}

function isPathOf(link: string | undefined, path: string): boolean {
  return link === path && splitLink(link).path === path;
}
