// The HTML that a shown note may contain; everything else is removed.

export const ALLOWED_TAGS: readonly string[] = [
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'caption', 'cite', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 'rp', 'rt'],
  ...['ruby', 's', 'samp', 'section', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td'],
  ...['tfoot', 'th', 'thead', 'tr', 'u', 'ul', 'var'],
];

/** No `id`, `class`, `style` and `src`: a note must not look like the page, and must not load anything. */
export const ALLOWED_ATTRIBUTES: readonly string[] = [
  ...['align', 'colspan', 'dir', 'href', 'lang', 'open', 'reversed', 'rowspan', 'start', 'title'],
];

export const ALLOWED_ADDRESSES = /^(?:https?|mailto):/i;

const TAG = /<(?!!--)(\/?)([a-z][^\s/>]*|[!?])?([^<>]*>?)/gi;

/** Writes the tags that are not allowed as text; a sanitizer still has to follow. */
export function withoutOtherTags(html: string): string {
  return html.replaceAll(TAG, (tag, _slash, name, rest) => {
    if (!ALLOWED_TAGS.includes(String(name).toLowerCase())) return tag.replace('<', '&lt;');
    return tag.slice(0, tag.length - rest.length) + rest.replaceAll(/\bstyle\s*=/gi, 'data-style=');
  });
}

const ANY_TAG = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)?([^<>]*>?)/gi;

/** Keeps the names of allowed tags, without attributes; shows every other tag as text, and no comment. */
export function bareTags(html: string): string {
  return html.replaceAll(ANY_TAG, (tag, slash?: string, name?: string) => {
    if (tag.startsWith('<!--')) return '';
    const isAllowed = name !== undefined && tag.endsWith('>') && ALLOWED_TAGS.includes(name.toLowerCase());
    return isAllowed ? `<${slash}${name.toLowerCase()}>` : tag.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  });
}
