// Reads links out of texts and finds the files that they lead to.
import { type NotePath, noteName } from '../../base/note.ts';
import { resolveLink } from '../../markdown/links/resolve-link.ts';
import { displayOf, readWikilink, wikilinkClose } from '../../markdown/parse/wikilink.ts';
import type { BaseFile, BaseFiles } from '../files.ts';
import type { FileValue, LinkValue, Value } from './value.ts';

const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The link of a text that is one `[[link]]` and nothing else. */
export function wikilinkIn(text: string, source: NotePath): LinkValue | undefined {
  if (!text.startsWith('[[') || wikilinkClose(text, 0) !== text.length - 2) return undefined;
  const found = readWikilink(text.slice(2, -2));
  return found === undefined ? undefined : linkValue(found.link, source, found.display);
}

export function linkValue(link: string, source: NotePath, display?: Value): LinkValue {
  const shows = display !== undefined && display !== null && display !== displayOf(link);
  return { kind: 'link', link, source, ...(shows ? { display } : {}) };
}

/** A link that leads to the file from anywhere. */
export function linkTo({ path }: BaseFile, display?: Value): LinkValue {
  return { ...linkValue(`/${path}`, path, display ?? noteName(path)), target: path };
}

/** The path of the file, null for a link to a URL or to no file. */
export function targetOf({ link, source, target }: LinkValue, files: BaseFiles): NotePath | null {
  if (target !== undefined) return target;
  return URL_START.test(link) ? null : resolveLink(link, source, files.candidatesFor).path;
}

export function linkedFile(link: LinkValue, files: BaseFiles): FileValue | null {
  const path = targetOf(link, files);
  const file = path === null ? undefined : files.at(path);
  return file === undefined ? null : { kind: 'file', file };
}

/** The file that a file, a link or a text such as a path, a name or `[[name]]` means. */
export function fileMeant(value: Value, source: NotePath, files: BaseFiles): FileValue | null {
  if (typeof value === 'string') {
    return linkedFile(wikilinkIn(value, source) ?? linkValue(value, source), files);
  }
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  if (value.kind === 'file') return value;
  return value.kind === 'link' ? linkedFile(value, files) : null;
}
