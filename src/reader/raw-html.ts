// Makes the HTML that a note contains safe without a document to parse it in.
import { ALLOWED_TAGS } from './allowed.ts';

const TAG = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)?([^<>]*>?)/gi;

/** Keeps the names of allowed tags, without attributes; shows every other tag as text, and no comment. */
export function bareTags(html: string): string {
  return html.replaceAll(TAG, (tag, slash?: string, name?: string) => {
    if (tag.startsWith('<!--')) return '';
    const isAllowed = name !== undefined && tag.endsWith('>') && ALLOWED_TAGS.includes(name.toLowerCase());
    return isAllowed ? `<${slash}${name.toLowerCase()}>` : tag.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  });
}
