// Scans running text for escapes, code, HTML, math, embeds, links and tags.
import type { Link } from '../../base/note.ts';
import { isBlankOrLineEnd, isDigit, isLatinLetter, isPunctuation, isWhiteSpace, runLength } from './characters.ts';
import { autolinkEnd, tagEnd } from './html.ts';
import { decodeDestination, inlineTargetAt, isExternal, labelOf, readableText } from './markdown-link.ts';
import { attributesAt, codeEnd, commandEnd, isContents, regionAt, siteMacroAt, snippetsAt } from './site-syntax.ts';
import { tagNameEnd } from './tag.ts';
import { type LinkText, readWikilink, wikilinkClose } from './wikilink.ts';

/** Its offsets are in the scanned text, and its line is not known: its caller sets them in place, because a note may have a million. */
export type FoundLink = Link;

/** `[t][id]`, `[t][]` or `[t]`: a link only if the note defines `label`. */
export interface FoundReference {
  readonly label: string;
  readonly display: string;
  readonly from: number;
  readonly to: number;
}

/** Everything found, by offset in the scanned text. Links inside a link's text come before that link. */
export interface InlineFindings {
  readonly links: readonly FoundLink[];
  readonly tags: readonly { readonly from: number; readonly to: number }[];
  readonly references: readonly FoundReference[];
  /** `[^id]`, also where it begins the footnote itself; the label has its `^`. */
  readonly footnotes: readonly Pick<FoundReference, 'label' | 'from' | 'to'>[];
  /** Code spans with their backticks. */
  readonly code: readonly { readonly from: number; readonly to: number }[];
  /** Formulas, HTML, attributes and links to other places than notes. */
  readonly opaque: readonly { readonly from: number; readonly to: number }[];
  /** The names that attributes such as `{#id}` give what is before them. */
  readonly anchors: readonly { readonly id: string; readonly from: number }[];
}

interface Opener {
  readonly at: number;
  readonly image: boolean;
}

const MAX_LABEL_LENGTH = 999;

const EMPTY: InlineFindings = { links: [], tags: [], references: [], footnotes: [], code: [], opaque: [], anchors: [] };

/** Scans one text run. With `withReferences`, possible reference links are collected too. */
export function scanInline(text: string, withReferences: boolean): InlineFindings {
  if (nextSpecial(text, 0) === text.length) return EMPTY;
  const scanner = new InlineScanner(text, withReferences);
  scanner.scan();
  return scanner.findings;
}

/** The characters that can start a piece or close a bracket. */
const SPECIAL = new Uint8Array(128);
for (const sign of '\\`<$![]#{') SPECIAL[sign.charCodeAt(0)] = 1;

function nextSpecial(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 128 && SPECIAL[code] === 1) return at;
    at += 1;
  }
  return at;
}

class InlineScanner {
  readonly findings = {
    links: [] as FoundLink[],
    tags: [] as { from: number; to: number }[],
    references: [] as FoundReference[],
    footnotes: [] as { label: string; from: number; to: number }[],
    code: [] as { from: number; to: number }[],
    opaque: [] as { from: number; to: number }[],
    anchors: [] as { id: string; from: number }[],
  };
  readonly #text: string;
  readonly #withReferences: boolean;
  readonly #delimiters: Delimiters;
  readonly #openers: Opener[] = [];
  /** Openers below this index surround a link, so they cannot open another one. */
  #inactive = 0;
  #at = 0;
  /** The end of the last piece: a tag may start there. */
  #pieceEnd = 0;
  /** Up to where codes of a site are text. */
  #rawTo = -1;
  /** What closes regions and is not in the rest of the text. */
  readonly #unclosed = new Set<string>();

  constructor(text: string, withReferences: boolean) {
    this.#text = text;
    this.#withReferences = withReferences;
    this.#delimiters = new Delimiters(text);
  }

  scan(): void {
    for (;;) {
      this.#at = nextSpecial(this.#text, this.#at);
      if (this.#at >= this.#text.length) return;
      this.#at = this.#step(this.#text.charCodeAt(this.#at));
    }
  }

  /** Reads what the special character opens or closes, and returns the offset to continue at. */
  #step(code: number): number {
    switch (code) {
      case 92:
        return this.#escape();
      case 96:
        return this.#codeSpan();
      case 60:
        return this.#html();
      case 36:
        return this.#math();
      case 33:
        return this.#embed();
      case 91:
        return this.#openBracket();
      case 93:
        return this.#closeBracket();
      case 35:
        return this.#tag();
      case 123:
        return this.#macro();
      default:
        return this.#skip(1);
    }
  }

  /** Ends a piece at `end`; a tag may follow directly. */
  #endPiece(end: number): number {
    this.#pieceEnd = end;
    return end;
  }

  /** Ends a piece whose text is not read. */
  #endOpaque(to: number): number {
    this.findings.opaque.push({ from: this.#at, to });
    return this.#endPiece(to);
  }

  /** Treats the next characters as text. */
  #skip(length: number): number {
    return this.#at + length;
  }

  #escape(): number {
    return isPunctuation(this.#text.charCodeAt(this.#at + 1)) ? this.#endPiece(this.#at + 2) : this.#skip(1);
  }

  #codeSpan(): number {
    const length = runLength(this.#text, this.#at, this.#text.length);
    const close = this.#delimiters.closingBackticks(length, this.#at + length);
    if (close === -1) return this.#skip(length);
    this.findings.code.push({ from: this.#at, to: close + length });
    return this.#endPiece(close + length);
  }

  #html(): number {
    if (this.#text.startsWith('--8<--', this.#at - 3)) return this.#snippets() ?? this.#macro();
    if (this.#text.startsWith('<!--', this.#at) && siteMacroAt(this.#text, this.#at)) return this.#macro();
    const end = this.#htmlEnd();
    return end === 0 ? this.#skip(1) : this.#endOpaque(end);
  }

  #htmlEnd(): number {
    const { at, text } = { at: this.#at, text: this.#text };
    if (text.startsWith('<!--', at)) return this.#endAfter('-->', at + 4);
    if (text.startsWith('<![CDATA[', at)) return this.#endAfter(']]>', at + 9);
    if (text.startsWith('<?', at)) return this.#endAfter('?>', at + 2);
    // Code of a template.
    if (text.startsWith('<%', at)) return this.#endAfter('%>', at + 2);
    if (text.startsWith('<!', at) && isLatinLetter(text.charCodeAt(at + 2))) return this.#endAfter('>', at + 3);
    return tagEnd(text, at) || autolinkEnd(text, at);
  }

  #endAfter(mark: string, from: number): number {
    const delimiter = this.#delimiters.next(mark, from);
    return delimiter === -1 ? 0 : delimiter + mark.length;
  }

  #math(): number {
    if (this.#text.charAt(this.#at + 1) === '$') {
      const end = this.#endAfter('$$', this.#at + 2);
      return end === 0 ? this.#skip(2) : this.#endOpaque(end);
    }
    const opens = this.#at + 1 < this.#text.length && !isWhiteSpace(this.#text.charCodeAt(this.#at + 1));
    const close = opens ? this.#delimiters.closingDollar(this.#at) : -1;
    return close === -1 ? this.#skip(1) : this.#endOpaque(close + 1);
  }

  #embed(): number {
    if (this.#text.charAt(this.#at + 1) !== '[') return this.#skip(1);
    const close = wikilinkClose(this.#text, this.#at + 1);
    if (close !== -1) return this.#wikilink('embed', this.#at + 3, close);
    this.#openers.push({ at: this.#at, image: true });
    return this.#skip(2);
  }

  #openBracket(): number {
    const close = wikilinkClose(this.#text, this.#at);
    if (close !== -1) return this.#wikilink('wikilink', this.#at + 2, close);
    this.#openers.push({ at: this.#at, image: false });
    return this.#skip(1);
  }

  /** Reads the wikilink at the current offset; its content is between `from` and `close`. */
  #wikilink(kind: 'wikilink' | 'embed', from: number, close: number): number {
    const wikilink = readWikilink(this.#text.slice(from, close));
    const isLink = wikilink !== undefined && !isContents(this.#text, this.#at, close + 2);
    if (isLink) this.#addLink(kind, wikilink, this.#at, close + 2);
    return this.#endPiece(close + 2);
  }

  #closeBracket(): number {
    const opener = this.#openers.pop();
    const active = opener !== undefined && (opener.image || this.#openers.length >= this.#inactive);
    this.#inactive = Math.min(this.#inactive, this.#openers.length);
    if (opener === undefined || !active) return this.#skip(1);
    const target = this.#text.charAt(this.#at + 1) === '(' ? inlineTargetAt(this.#text, this.#at + 1) : undefined;
    if (target === undefined) return this.#reference(opener);
    this.#markdownLink(opener, target.raw, target.end);
    return this.#endPiece(target.end);
  }

  #markdownLink(opener: Opener, raw: string, to: number): void {
    const textFrom = opener.at + (opener.image ? 2 : 1);
    this.#tagsAt(textFrom);
    if (!opener.image) this.#inactive = this.#openers.length;
    if (raw === '' || isExternal(raw) || raw.includes('<%')) {
      this.findings.opaque.push({ from: opener.at, to });
      return;
    }
    const kind = opener.image ? 'embed' : 'markdown';
    const display = this.#displayFrom(textFrom);
    this.#addLink(kind, { link: decodeDestination(raw), display }, opener.at, to);
  }

  #addLink(kind: FoundLink['kind'], { link, display }: LinkText, offset: number, end: number): void {
    this.findings.links.push({ kind, link, display, line: 0, column: 0, offset, end });
  }

  #displayFrom(from: number): string {
    return readableText(this.#text.slice(from, this.#at));
  }

  #reference(opener: Opener): number {
    const textFrom = opener.at + (opener.image ? 2 : 1);
    if (this.#withReferences && this.#at - textFrom <= MAX_LABEL_LENGTH) this.#rememberReference(opener.at, textFrom);
    return this.#skip(1);
  }

  #rememberReference(from: number, textFrom: number): void {
    const display = this.#displayFrom(textFrom);
    if (/^\^[^\s^]/.test(display)) {
      this.findings.footnotes.push({ label: labelOf(display), from, to: this.#at + 1 });
      return;
    }
    const rest = this.#text.slice(this.#at + 1, this.#at + 1 + MAX_LABEL_LENGTH);
    const bracketed = /^\[([^[\]]*)\]/.exec(rest);
    const label = labelOf(bracketed?.[1] || display);
    const to = this.#at + 1 + (bracketed?.[0].length ?? 0);
    if (label !== '' && !label.startsWith('^')) this.findings.references.push({ label, display, from, to });
  }

  #macro(): number {
    const [text, at] = [this.#text, this.#at];
    const macro = at < this.#rawTo ? undefined : siteMacroAt(text, at);
    if (macro === undefined) return this.#attributes();
    this.#addLink(macro.kind, { link: macro.raw, display: '' }, at, macro.end);
    return this.#endPiece(macro.end);
  }

  #snippets(): number | undefined {
    const snippets = snippetsAt(this.#text, this.#at);
    for (const { raw, from } of snippets?.files ?? [])
      this.#addLink('embed', { link: raw, display: '' }, from, from + raw.length);
    return snippets && this.#endPiece(snippets.end);
  }

  #attributes(): number {
    const command = commandEnd(this.#text, this.#at);
    if (command > 0) return this.#endOpaque(command);
    const [text, at] = [this.#text, this.#at];
    const attributes = attributesAt(text, at);
    if (attributes?.id !== undefined) this.findings.anchors.push({ id: attributes.id, from: at });
    if (attributes !== undefined) return this.#endOpaque(attributes.end);
    const end = this.#regionEnd(regionAt(text, at));
    if (end > at) return this.#endOpaque(end);
    if (/^\{%-?[ \t]*raw\b/.test(text.slice(at, at + 20))) this.#rawTo = this.#delimiters.next('endraw', at);
    const code = at < this.#rawTo ? 0 : codeEnd(text, at);
    return code > 0 ? this.#endOpaque(code) : this.#skip(1);
  }

  /** After the code that closes the region, if it is in the same text. */
  #regionEnd(closing: RegExp | undefined): number {
    if (closing === undefined) return -1;
    if (this.#unclosed.has(closing.source)) return -1;
    closing.lastIndex = this.#at;
    if (closing.test(this.#text)) return closing.lastIndex;
    this.#unclosed.add(closing.source);
    return -1;
  }

  #tag(): number {
    const starts = this.#at === this.#pieceEnd || isWhiteSpace(this.#text.charCodeAt(this.#at - 1));
    const end = starts ? tagNameEnd(this.#text, this.#at) : 0;
    if (end === 0) return this.#skip(1);
    this.findings.tags.push({ from: this.#at, to: end });
    return this.#endPiece(end);
  }

  /** Collects tags at the start of a link's text, which are known to be tags only once the link is complete. */
  #tagsAt(start: number): void {
    let from = start;
    while (this.#text.charAt(from) === '#') {
      const to = tagNameEnd(this.#text, from);
      if (to === 0 || to > this.#at) return;
      this.findings.tags.push({ from, to });
      from = to;
    }
  }
}

const BACKTICK = '`';
const DOLLAR = '$';

class Delimiters {
  readonly #text: string;
  #lastOffsets: Map<string, number> | undefined;
  #lastBackticks: Map<number, number> | undefined;
  #dollarAt = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of the first `mark` at or after `from`, or -1. */
  next(mark: string, from: number): number {
    this.#lastOffsets ??= new Map();
    const last = this.#lastOffsets.get(mark) ?? this.#text.lastIndexOf(mark);
    this.#lastOffsets.set(mark, last);
    return last < from ? -1 : this.#text.indexOf(mark, from);
  }

  /** The offset of the first run of exactly `length` backticks at or after `from`, or -1. */
  closingBackticks(length: number, from: number): number {
    this.#lastBackticks ??= lastBacktickRuns(this.#text);
    if ((this.#lastBackticks.get(length) ?? -1) < from) return -1;
    let at = this.#text.indexOf(BACKTICK, from);
    for (;;) {
      const run = runLength(this.#text, at, this.#text.length);
      if (run === length) return at;
      at = this.#text.indexOf(BACKTICK, at + run);
    }
  }

  /**
   * The offset of the first `$` after `from` that can close inline math, or -1. Offsets must not decrease between
   * calls.
   */
  closingDollar(from: number): number {
    if (this.#dollarAt > from || this.#dollarAt === -1) return this.#dollarAt;
    let at = from + 1;
    while (at < this.#text.length && !this.#closesMath(at)) at = this.#skip(at);
    this.#dollarAt = at < this.#text.length ? at : -1;
    return this.#dollarAt;
  }

  #closesMath(at: number): boolean {
    if (this.#text.charAt(at) !== DOLLAR) return false;
    return !isBlankOrLineEnd(this.#text.charCodeAt(at - 1)) && !isDigit(this.#text.charCodeAt(at + 1));
  }

  /** Skips one character, one escape or one wikilink: a `$` inside those is text. */
  #skip(at: number): number {
    if (this.#text.charAt(at) === '\\') return at + 2;
    const close = wikilinkClose(this.#text, at);
    return close === -1 ? at + 1 : close + 2;
  }
}

function lastBacktickRuns(text: string): Map<number, number> {
  const last = new Map<number, number>();
  let at = text.indexOf(BACKTICK);
  while (at !== -1) {
    const length = runLength(text, at, text.length);
    last.set(length, at);
    at = text.indexOf(BACKTICK, at + length);
  }
  return last;
}
