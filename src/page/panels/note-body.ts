// Renders a subset of Markdown as DOM nodes: headings, lists, quotes, code, emphasis and links between notes.
import { element, wordsThatOpen } from '../elements.ts';

export interface BodyLinks {
  /** The target of a link; null if unresolved, undefined if unknown. */
  targetOf(link: string): string | null | undefined;
  open(path: string): void;
}

const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^(#{1,6})[ \t]{1,9}(.{0,400}?)[ \t]{0,9}#{0,9}$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[(.)\]\s+)?(.*)$/;
const QUOTE = /^\s*>\s?(.*)$/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;

/** @param title shown above; a first heading that repeats it is left out */
export function noteBody(text: string, title: string, links: BodyLinks): HTMLElement {
  const body = element('div', { class: 'note-body' });
  const lines = withoutProperties(text)
    .trimStart()
    .split(/\r\n|\n|\r/);
  if (HEADING.exec(lines[0] ?? '')?.[2] === title) lines.shift();
  for (let at = 0; at < lines.length; ) at = addBlock(body, lines, at, links);
  return body;
}

function withoutProperties(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n[\s\S]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/, '');
}

/** Adds the block that begins at a line. @returns the line after it */
function addBlock(body: HTMLElement, lines: readonly string[], at: number, links: BodyLinks): number {
  const line = lines[at] ?? '';
  if (line.trim() === '') return at + 1;
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return addCode(body, lines, at + 1, fence);
  if (RULE.test(line)) {
    body.append(element('hr'));
    return at + 1;
  }
  const [, marks, heading] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    body.append(
      element(
        'p',
        { class: `heading level-${marks.length}`, role: 'heading', 'aria-level': String(marks.length + 2) },
        ...inline(heading ?? '', links),
      ),
    );
    return at + 1;
  }
  const item = ITEM.exec(line);
  if (item !== null) {
    body.append(itemOf(item, links));
    return at + 1;
  }
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    body.append(element('blockquote', {}, ...inline(quote[1] ?? '', links)));
    return at + 1;
  }
  return addParagraph(body, lines, at, links);
}

function addCode(body: HTMLElement, lines: readonly string[], from: number, fence: string): number {
  const length = lines.slice(from).findIndex((line) => line.trim().startsWith(fence));
  const to = length < 0 ? lines.length : from + length;
  body.append(element('pre', {}, lines.slice(from, to).join('\n')));
  return to + 1;
}

function itemOf([, indent = '', task, text = '']: RegExpExecArray, links: BodyLinks): HTMLElement {
  const depth = Math.min(4, Math.floor(indent.replaceAll('\t', '    ').length / 2));
  const mark = task === undefined ? '•' : task === ' ' ? '☐' : '☑';
  return element(
    'p',
    { class: `item depth-${depth}` },
    element('span', { class: 'mark' }, mark),
    ' ',
    ...inline(text, links),
  );
}

function addParagraph(body: HTMLElement, lines: readonly string[], from: number, links: BodyLinks): number {
  let to = from + 1;
  const ends = (line: string): boolean =>
    line.trim() === '' || [FENCE, HEADING, ITEM, QUOTE].some((form) => form.test(line));
  while (to < lines.length && !ends(lines[to] ?? '')) to += 1;
  body.append(element('p', {}, ...inline(lines.slice(from, to).join('\n'), links)));
  return to;
}

/** Code, wikilinks, other links, strong, emphasis, in this order so that none starts inside another; lengths are bounded, so matching is linear. */
const INLINE =
  /`([^`\n]{1,400})`|!?\[\[([^\]\n|]{1,400})(?:\|([^\]\n]{0,400}))?\]\]|!?\[([^\]\n]{0,400})\]\(([^()\s]{0,400})[^()\n]{0,200}\)|\*\*([^*\n]{1,400})\*\*|(?<![\w*])\*([^*\n]{1,400})\*(?!\w)|(?<!\w)_([^_\n]{1,400})_(?!\w)/g;

function inline(text: string, links: BodyLinks): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(at, found.index), styled(found, links));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

/** The text without its Markdown marks, for a single line. */
export function plainWords(text: string): string {
  const plain = text.replaceAll(INLINE, (all, code, target, shown, words, _address, strong, star, underscore) =>
    String(code ?? (shown || target) ?? words ?? strong ?? star ?? underscore ?? all),
  );
  return plain === text ? text : plainWords(plain);
}

function styled(found: RegExpExecArray, links: BodyLinks): Node {
  const [, code, target, shown, words, address, strong, star, underscore] = found;
  if (code !== undefined) return element('code', {}, code);
  if (target !== undefined) return linkTo(target, shown || target, links);
  if (address !== undefined) return linkTo(decoded(address), words || address, links);
  if (strong !== undefined) return element('strong', {}, strong);
  return element('em', {}, star ?? underscore ?? '');
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Links to a note of this vault; other addresses are never opened. */
function linkTo(link: string, shown: string, { targetOf, open }: BodyLinks): Node {
  const path = targetOf(link);
  if (typeof path === 'string') return wordsThatOpen(() => open(path), shown);
  return element('span', { class: path === null ? 'no-note' : 'elsewhere', title: link }, shown);
}
