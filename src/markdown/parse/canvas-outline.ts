// Writes a canvas as the text that its user sees: groups with their cards, the other cards, and what the arrows say.
import { EMPTY_NOTE, type Link, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import { bodyStart } from '../properties/front-matter.ts';
import { canvasFault, readCard } from './canvas.ts';
import { lineCountOf, splitLines } from './lines.ts';
import type { Body } from './parse-note.ts';
import { jsonTexts } from './plugin-data.ts';

/** A group or a card; `text` is what the outline has of it. */
interface CanvasNode extends Record<'x' | 'y' | 'width' | 'height', number> {
  readonly id: string;
  /** Its number among the nodes of the file. */
  readonly at: number;
  readonly type: string;
  readonly text: string;
  /** The beginning of a card's text, of blank lines, that the outline leaves out. */
  readonly lead: number;
  /** The vault path of a file card, and the part of the file. */
  readonly file?: string;
  readonly subpath?: string;
}

/** Where the outline has a card or group: offsets in its text, the end without a line end, and lines from 1. */
export interface CardPlace extends Pick<CanvasNode, 'id' | 'at' | 'type' | 'lead'> {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly endLine: number;
}

export interface CanvasOutline {
  readonly text: string;
  /** All positions are in the outline. */
  readonly parsed: ParsedNote;
  readonly cards: readonly CardPlace[];
  /** Why the file is not a canvas; then the text is that of the cards that can be found in it, and nothing is known of their places. */
  readonly fault?: string;
}

/** The outline of the text of a `.canvas` file. An empty file is an empty canvas, as in Obsidian. */
export function canvasOutline(json: string): CanvasOutline {
  const fault = json.trim() === '' ? undefined : canvasFault(json);
  if (fault !== undefined) return { text: textsOfDamaged(json), parsed: EMPTY_NOTE, cards: [], fault };
  const canvas: { readonly nodes?: readonly object[]; readonly edges?: unknown } =
    json.trim() === '' ? {} : JSON.parse(json);
  const nodes = (canvas.nodes ?? []).map(nodeOf);
  const outline = new OutlineWriter();
  for (const [node, level] of inReadingOrder(nodes)) outline.add(node, level);
  outline.addArrows(arrowsOf(canvas.edges, nodes));
  return outline.written();
}

/** What a user would see in the cards, in the order of the file: never the JSON. */
function textsOfDamaged(json: string): string {
  const spans = jsonTexts(json, { from: 0, to: json.length }, ['text', 'label', 'file', 'url']);
  const texts = spans.map(({ from, to }, at) => {
    const gap = json.slice(spans[at - 1]?.to ?? from, from);
    const isEscape = /^(?:\\.)*\\?$/.test(gap);
    const between = isEscape ? gap.replaceAll('\\n', '\n').replace(/\\.?/g, '') : CARD_BREAK;
    return between + json.slice(from, to);
  });
  return texts.length === 0 ? '' : `${texts.join('')}\n`;
}

function nodeOf(written: object, at: number): CanvasNode {
  const of = written as Readonly<Record<string, unknown>>;
  const string = (name: string): string => (typeof of[name] === 'string' ? of[name] : '');
  const number = (name: string): number => (typeof of[name] === 'number' ? of[name] : 0);
  const place = { x: number('x'), y: number('y'), width: number('width'), height: number('height') };
  const node = { id: string('id'), at, type: string('type'), lead: 0, ...place };
  const [file, subpath] = [string('file').normalize('NFC'), string('subpath')];
  switch (node.type) {
    case 'text':
      return { ...node, ...trimmedCard(string('text')) };
    case 'file':
      return { ...node, text: file === '' ? '' : `![[${file}${subpath}]]`, file, subpath };
    case 'group':
      return { ...node, text: string('label').replace(/\s+/g, ' ').trim() };
    default:
      return { ...node, text: node.type === 'link' ? string('url') : '' };
  }
}

/** Without blank lines around it. */
function trimmedCard(text: string) {
  const lead = /^(?:[^\S\r\n]*(?:\r\n?|\n))*/.exec(text)?.[0].length ?? 0;
  return { lead, text: text.slice(lead).trimEnd() };
}

/** With more pairs of a group and a node, which no canvas of a user has, the groups stay without cards. */
const MAX_COMPARED = 1_000_000;

type Placed = readonly [node: CanvasNode, level: number];

/** Groups by place, each with its cards and then its groups; then the cards outside of groups. `level` counts the groups around. */
function inReadingOrder(nodes: readonly CanvasNode[]): readonly Placed[] {
  const groups = nodes.filter(({ type }) => type === 'group').sort((one, other) => areaOf(one) - areaOf(other));
  const compared = groups.length * nodes.length > MAX_COMPARED ? [] : groups;
  const within = Map.groupBy(nodes, (node) => compared.find((group) => contains(group, node)));
  const below = (group: CanvasNode | undefined, level: number): Placed[] => {
    const inside = (within.get(group) ?? []).toSorted(byPlace);
    const cards = inside.filter(({ type }) => type !== 'group').map((card): Placed => [card, level]);
    const inner = inside
      .filter(({ type }) => type === 'group')
      .flatMap((one): Placed[] => [[one, level], ...below(one, level + 1)]);
    return group === undefined ? [...inner, ...cards] : [...cards, ...inner];
  };
  return below(undefined, 0);
}

const areaOf = ({ width, height }: CanvasNode): number => width * height;

/** Whether the middle of the node is in the group; of two groups the larger one contains the other. */
function contains(group: CanvasNode, node: CanvasNode): boolean {
  if (node.type === 'group' && areaOf(group) <= areaOf(node)) return false;
  const [x, y] = [node.x + node.width / 2 - group.x, node.y + node.height / 2 - group.y];
  return x >= 0 && y >= 0 && x <= group.width && y <= group.height;
}

const byPlace = (one: CanvasNode, other: CanvasNode): number => one.y - other.y || one.x - other.x || one.at - other.at;

/** `A → B: label` for each arrow between two nodes; without a label only if both have a name. */
function arrowsOf(edges: unknown, nodes: readonly CanvasNode[]): readonly string[] {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  return (Array.isArray(edges) ? edges : []).filter(isObject).flatMap((edge): string[] => {
    const { fromNode, toNode, fromEnd = 'none', toEnd = 'arrow', label } = edge;
    const [one, other] = [names.get(String(fromNode)), names.get(String(toNode))];
    const said = typeof label === 'string' && label.trim() !== '' ? `: ${label.replace(/\s+/g, ' ').trim()}` : '';
    if (one === undefined || other === undefined || (said === '' && (one === '' || other === ''))) return [];
    const [from, to] = [one || NAMELESS, other || NAMELESS];
    if (toEnd === 'none' && fromEnd === 'arrow') return [`${to} → ${from}${said}`];
    return [`${from} ${SIGNS[`${fromEnd} ${toEnd}`] ?? '→'} ${to}${said}`];
  });
}

const SIGNS: Readonly<Record<string, string>> = { 'none none': '—', 'arrow arrow': '↔' };
/** An empty card, or a group without a label. */
const NAMELESS = '…';
const MAX_NAME = 60;

/** The first line of a card without its mark, or the name of its file. */
function nameOf({ type, text, file = '', subpath = '' }: CanvasNode): string {
  if (type === 'file') return file === '' ? '' : noteName(file as NotePath) + subpath;
  const name = type === 'text' ? firstShownLine(text) : text;
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).trimEnd()}…`;
}

/** A fence or a rule. */
const SHOWS_NOTHING = /^\s*(?:[`~]{3}.*|([-*_])(?:\s*\1){2,}\s*)$/;
/** The marks of a heading, item or quote, and of a task or callout in it. */
const MARKS = /^\s*(?:(?:#{1,6}|[-*+>]|\d+[.)])\s+)?(?:\[(?:.|![\w-]+)\][-+]?(?:\s+|$))?/u;

/** Without what is around it in Markdown, or the first line if none is shown. */
function firstShownLine(text: string): string {
  const shown = text.slice(bodyStart(text, splitLines(text)).bodyOffset);
  for (const [line] of shown.matchAll(/[^\r\n]+/g)) {
    const name = SHOWS_NOTHING.test(line) ? '' : line.replace(MARKS, '').trim();
    if (name !== '') return name;
  }
  return text.split(/[\r\n]/, 1)[0]?.trim() ?? '';
}

const MAX_LEVEL = 6;
/** Between two cards. */
export const CARD_BREAK = '\n\n---\n\n';

class OutlineWriter {
  #text = '';
  #line = 1;
  #isAfterCard = false;
  readonly #cards: CardPlace[] = [];
  /** How many groups are around each card. */
  readonly #levels: number[] = [];
  readonly #findings: (() => Body)[] = [];

  add(node: CanvasNode, level: number): void {
    if (node.text === '') return;
    const isGroup = node.type === 'group';
    const mark = isGroup ? `${'#'.repeat(Math.min(level + 1, MAX_LEVEL))} ` : '';
    this.#separate(isGroup, node.text);
    const [from, line] = [this.#text.length, this.#line];
    this.#write(mark + node.text);
    const { id, at, type, lead } = node;
    const place = { id, at, type, lead, from, to: this.#text.length, line, endLine: this.#line };
    const index = this.#cards.push(place) - 1;
    this.#levels.push(level);
    this.#findings.push(() =>
      isGroup ? groupHeading(node, mark, place, this.#groupEnd(index)) : findingsIn(node, place),
    );
  }

  /** The last line of the cards and groups in the group. */
  #groupEnd(index: number): number {
    const level = this.#levels[index] ?? 0;
    let next = index + 1;
    while ((this.#levels[next] ?? 0) > level) next += 1;
    return this.#cards[next - 1]?.endLine ?? 0;
  }

  addArrows(arrows: readonly string[]): void {
    if (arrows.length === 0) return;
    this.#separate(false, '');
    this.#write(arrows.join('\n'));
  }

  written(): CanvasOutline {
    const parsed = (): ParsedNote => this.#parsed();
    return {
      text: this.#text === '' ? '' : `${this.#text}\n`,
      // Most callers need only the text.
      get parsed() {
        return parsed();
      },
      cards: this.#cards,
    };
  }

  #parsed(): ParsedNote {
    const findings = this.#findings.map((find) => find());
    const ofNodes = this.#cards.flatMap(({ id, line, endLine }) => (id === '' ? [] : [{ id, line, endLine }]));
    return {
      ...EMPTY_NOTE,
      tags: findings.flatMap(({ tags }) => tags),
      headings: findings.flatMap(({ headings }) => headings),
      blocks: [...findings.flatMap(({ blocks }) => blocks), ...ofNodes],
      links: findings.flatMap(({ links }) => links),
    };
  }

  /** A first line of dashes would begin properties. */
  #separate(isGroup: boolean, next: string): void {
    if (this.#text !== '') this.#write(isGroup || !this.#isAfterCard ? '\n\n' : CARD_BREAK);
    else if (next.startsWith('---')) this.#write('\n');
    this.#isAfterCard = !isGroup;
  }

  #write(text: string): void {
    this.#text += text;
    this.#line += lineCountOf(`${text}.`) - 1;
  }
}

const NOTHING: Body = { headings: [], blocks: [], links: [], tags: [], tasks: [] };

function groupHeading({ text }: CanvasNode, mark: string, { line, from }: CardPlace, endLine: number): Body {
  return { ...NOTHING, headings: [{ text, level: mark.length - 1, line, column: 1, offset: from, endLine }] };
}

/** Only text cards and file cards have links. A task of a card is none: Obsidian does not list it. */
function findingsIn({ type, text, file = '', subpath = '' }: CanvasNode, { line, from, endLine }: CardPlace): Body {
  if (type === 'file') return { ...NOTHING, links: [fileLink(file, subpath, line, from)] };
  if (type !== 'text') return NOTHING;
  const { headings, blocks, links, tags } = readCard(text);
  const moved = <One extends { readonly line: number; readonly offset: number }>(one: One): One => {
    return { ...one, line: one.line + line - 1, offset: one.offset + from };
  };
  return {
    tasks: [],
    // A section of a card ends with the card, whatever is below it.
    headings: headings.map((heading, at) => {
      let next = at + 1;
      while ((headings[next]?.level ?? 0) > heading.level) next += 1;
      const below = headings[next];
      return { ...moved(heading), endLine: below === undefined ? endLine : below.line + line - 2 };
    }),
    tags: tags.map(moved),
    blocks: blocks.map((one) => ({ ...one, line: one.line + line - 1, endLine: one.endLine + line - 1 })),
    links: links.map((link) => ({ ...moved(link), end: link.end + from })),
  };
}

/** A file card names exactly one vault path; the part of the file is beside it. */
function fileLink(file: string, subpath: string, line: number, from: number): Link {
  const { length } = '![[';
  const place = { line, column: 1 + length, offset: from + length, end: from + length + file.length };
  return { kind: 'canvas', link: file, display: file + subpath, ...place };
}
