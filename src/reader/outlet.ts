// What a renderer of notes leaves to its surroundings, the HTML that notes may contain, and the names of places in a note.

/** Attributes by name; values are escaped when they are written. */
export type Attributes = Readonly<Record<string, string>>;

export interface Outlet {
  /** The attributes of an element that links inside the note lead to. @param slug as of `slugOf`; unique in a note, apart from equal headings */
  place(slug: string): Attributes;
  /** The attributes of a link to such an element. */
  jump(slug: string): Attributes;
  /** The attributes of a link to a file of the vault. @param written `Note#Heading`, as in the note */
  link(written: string): Attributes;
  /** The attributes of a link to the web. */
  web(address: string): Attributes;
  /** The attributes of a tag with its `#`. */
  tag(tag: string): Attributes;
  /** Each returns HTML. @param link as for `link`, or an address of the web */
  embed(link: string, shown: string): string;
  /** @param mark the character between the brackets; a space for an open task */
  checkbox(mark: string): string;
  math(tex: string, isBlock: boolean): string;
  /** @param language empty without one */
  code(text: string, language: string): string;
  /** HTML that the note itself contains; the result must be safe. */
  html(text: string, isBlock: boolean): string;
}

/** ` name="value"` for each. */
export function attributeText(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

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

/** The same for a heading and for any spelling of a link to it, with blanks, hyphens or no punctuation: `aheading`; `^id` for a block. */
export function slugOf(subpath: string): string {
  const last = subpath.slice(subpath.lastIndexOf('#') + 1).trim();
  if (/^\^[\w-]+$/.test(last)) return last.toLowerCase();
  return last
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');
}
