// When a property's text is a link, and where that link stands in the file. Knows nothing of YAML but a scalar's range.
import { decodeDestination, inlineTargetAt, isExternal } from '../parse/markdown-link.ts';
import { type LinkText, readWikilink, wikilinkClose } from '../parse/wikilink.ts';

/** Reads a text that is one link and nothing else. */
export function readPropertyLink(text: string): LinkText | undefined {
  const written = text.trim();
  if (!written.startsWith('[')) return undefined;
  return written.startsWith('[[') ? onlyWikilink(written) : onlyMarkdownLink(written);
}

function onlyWikilink(written: string): LinkText | undefined {
  const close = wikilinkClose(written, 0);
  return close !== -1 && close + 2 === written.length ? readWikilink(written.slice(2, close)) : undefined;
}

function onlyMarkdownLink(written: string): LinkText | undefined {
  const close = written.indexOf('](');
  const target = close === -1 ? undefined : inlineTargetAt(written, close + 1);
  if (target === undefined || target.end !== written.length || target.raw === '' || isExternal(target.raw))
    return undefined;
  return { link: decodeDestination(target.raw), display: written.slice(1, close) };
}

/** The span of the link inside the source of its scalar, from its first bracket to its last. */
export function linkSpan(text: string, from: number, to: number): { offset: number; end: number } {
  const source = text.slice(from, to);
  const last = Math.max(source.lastIndexOf(']'), source.lastIndexOf(')'));
  return { offset: from + Math.max(source.indexOf('['), 0), end: from + last + 1 };
}
