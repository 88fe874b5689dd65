// Writes plain data as YAML that reads back as the same data, also in YAML 1.1 readers.
import type { PropertyValue } from '../../base/note.ts';

export interface YamlStyle {
  /** The indentation of a map inside a map. */
  readonly indent: string;
  /** The indentation of a list inside a map; can be empty. */
  readonly listIndent: string;
  /** The quotes of texts and names that need none. */
  readonly quote: 'none' | 'single' | 'double';
}

export const DEFAULT_STYLE: YamlStyle = { indent: '  ', listIndent: '  ', quote: 'none' };

type Collection = readonly PropertyValue[] | { readonly [name: string]: PropertyValue };

function isList(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

/** Whether the value takes several lines in block style. */
function takesLines(value: PropertyValue): value is Collection {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** On one line, with lists and maps in brackets. */
export function yamlInline(value: PropertyValue, style: YamlStyle): string {
  if (typeof value === 'string') return yamlText(value, style, true);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  if (isList(value)) return `[${value.map((item) => yamlInline(item, style)).join(', ')}]`;
  const entries = Object.entries(value).map(
    ([name, each]) => `${yamlText(name, style, true)}: ${yamlInline(each, style)}`,
  );
  return `{${entries.join(', ')}}`;
}

/** The text after the colon of a property, including a blank; empty for null and for values on lines of their own. */
export function yamlAfterColon(value: PropertyValue, style: YamlStyle): string {
  if (value === null || takesLines(value)) return '';
  return ` ${typeof value === 'string' ? yamlText(value, style, false) : yamlInline(value, style)}`;
}

/** The lines of a list or map below its property, which is indented by `pad`. */
export function yamlLines(value: PropertyValue, style: YamlStyle, pad: string): string[] {
  if (!takesLines(value)) return [];
  if (isList(value)) return itemLines(value, style, pad + style.listIndent);
  return entryLines(value, style, pad + style.indent);
}

function entryLines(map: { readonly [name: string]: PropertyValue }, style: YamlStyle, pad: string): string[] {
  return Object.entries(map).flatMap(([name, value]) => yamlProperty(name, value, style, pad));
}

/** The lines of one property, each indented by `pad`. */
export function yamlProperty(name: string, value: PropertyValue, style: YamlStyle, pad: string): string[] {
  const line = `${pad}${yamlText(name, style, false)}:${yamlAfterColon(value, style)}`;
  return [line, ...yamlLines(value, style, pad)];
}

function itemLines(items: readonly PropertyValue[], style: YamlStyle, pad: string): string[] {
  return items.flatMap((item) => yamlItem(item, style, `${pad}- `));
}

/** The lines of one list item; `lead` is its indentation, its dash and the blanks after it. A list in it stays in brackets, as in `- [[Note]]`. */
export function yamlItem(item: PropertyValue, style: YamlStyle, lead: string): string[] {
  const pad = ' '.repeat(lead.length);
  if (!takesLines(item) || isList(item))
    return [lead + (typeof item === 'string' ? yamlText(item, style, false) : yamlInline(item, style))];
  const [first = '', ...rest] = entryLines(item, style, pad);
  return [lead + first.slice(pad.length), ...rest];
}

function yamlText(text: string, { quote }: YamlStyle, inBrackets: boolean): string {
  if (quote === 'single' && isPrintable(text)) return `'${text.replaceAll("'", "''")}'`;
  return quote !== 'double' && isPlain(text, inBrackets) ? text : doubleQuoted(text);
}

/** JSON syntax, with characters escaped that a YAML reader may treat as line ends or refuse. */
function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function isPrintable(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that YAML must escape
  return text.isWellFormed() && !/[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/.test(text);
}

const OPENING_SIGN = /^[-?:,[\]{}#&*!|>'"%@`=<~]|^\.\.\./;
const BREAKING_SIGN = /:(?:\s|$)|\s#|^\s|\s$/;
const BRACKET_SIGN = /[,[\]{}]|:/;
const OTHER_TYPE = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
/** Numbers of YAML 1.2 and 1.1: with signs, bases, underscores, exponents, and sexagesimal ones. */
const NUMBER =
  /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[\da-f_]+|\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|(?:\d[\d_]*(?:\.[\d_]*)?|\.[\d_]*)(?:e[-+]?\d+)?|\.?[\d_]*e[-+]?\d+|\.inf|\.nan)$/i;

/**
 * Whether the text reads as itself without quotes. A date does: it is text in YAML 1.2, and the same date in YAML
 * 1.1.
 */
function isPlain(text: string, inBrackets: boolean): boolean {
  if (text === '' || !isPrintable(text) || OPENING_SIGN.test(text) || BREAKING_SIGN.test(text)) return false;
  return !OTHER_TYPE.test(text) && !NUMBER.test(text) && !(inBrackets && BRACKET_SIGN.test(text));
}
