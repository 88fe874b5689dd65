// What a renderer of notes leaves to its surroundings: the page that shows them, or a site of files.

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
  /** Each returns HTML. @param written as for `link`, or an address of the web */
  embed(written: string, shown: string): string;
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
