// Edits the cards of a canvas; all else of the file stays byte for byte.

import { contentHash } from '../../base/content-hash.ts';
import { isObject } from '../../base/plain-object.ts';
import { resolvePart } from '../links/section.ts';
import { canvasLists, cardTexts, type ListPlace } from '../parse/canvas.ts';
import { type CanvasOutline, type CardPlace, canvasOutline } from '../parse/canvas-outline.ts';
import { lineCountOf } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';
import { editNote, type NoteEdit } from './note.ts';
import { applySplices, type Splice, sortSplices } from './splice.ts';
import { editRefusal } from './target.ts';
import type { TaskDates } from './task.ts';

/** A text card with its whole text, and what the outline shows of it. */
interface TextCard extends CardPlace {
  readonly text: string;
  readonly shown: string;
}

interface EditOfCard {
  readonly card: TextCard;
  readonly edit: NoteEdit;
}

/** What an answer says of a canvas beside its text. */
export interface CanvasFacts {
  readonly added_cards?: readonly string[];
  readonly deleted_arrows?: number;
}

/**
 * The JSON with the edits in the cards that they name: by `#^ID`, by a heading, block, task or exact text of the card, or by a line of
 * the outline. `append` without a target and `insert_after` a card add a card; `delete_section` deletes one with its arrows.
 * @throws EDIT_TARGET_NOT_FOUND, EDIT_TARGET_AMBIGUOUS, INVALID_INPUT, as `editNote` for the outline or the card
 */
export function editCanvas(path: string, json: string, edits: readonly NoteEdit[], taskDates?: TaskDates) {
  const outline = canvasOutline(json);
  if (outline.fault !== undefined) throw editRefusal('edit_note', 'note', `${path} is not a valid canvas`);
  const spans = cardTexts(json);
  const cards = outline.cards.flatMap((card): TextCard[] => {
    const span = card.type === 'text' ? spans[card.at] : undefined;
    if (span === undefined) return [];
    return [
      {
        ...card,
        text: String(JSON.parse(json.slice(span.from, span.to))),
        shown: outline.text.slice(card.from, card.to),
      },
    ];
  });
  const canvas: WrittenCanvas = json.trim() === '' ? {} : JSON.parse(json);
  const { added, deleted, inside } = ofWholeCards(canvas, edits);
  const placed = inside.flatMap(({ edit, index }) => editsOfCards({ path, outline, cards }, edit, index, taskDates));
  const both = placed.find(({ card }) => deleted.has(card.at));
  if (both !== undefined) throw editRefusal('edit_note', 'edits', `edits and deletes ^${both.card.id}`);
  const splices = [...Map.groupBy(placed, ({ card }) => card)].map(([card, ofCard]) => {
    const { from, to } = spans[card.at] as { from: number; to: number };
    const after = editNote(
      path,
      card.text,
      ofCard.map(({ edit }) => edit),
      taskDates,
    ).text;
    return { from, to, text: JSON.stringify(after) };
  });
  const deletion = deletionOf(json, canvas, deleted);
  const { text, ids } = withCards(applySplices(json, sortSplices([...splices, ...deletion.splices])), added);
  const facts: CanvasFacts = {
    ...(ids.length > 0 && { added_cards: ids }),
    ...(deletion.arrows > 0 && { deleted_arrows: deletion.arrows }),
  };
  return { text, facts };
}

/** The cards that edits add, the places of the nodes that they delete, and the edits inside of cards. */
function ofWholeCards({ nodes = [] }: WrittenCanvas, edits: readonly NoteEdit[]) {
  const added: NewCard[] = [];
  const deleted = new Set<number>();
  const inside: { readonly edit: NoteEdit; readonly index: number }[] = [];
  for (const [index, edit] of edits.entries()) {
    const { op, text } = edit;
    const target = edit.target?.trim() ?? '';
    const id = cardId(target);
    const named = id === undefined ? [] : [...nodes.keys()].filter((at) => nodes[at]?.id === id);
    const adds = op === 'append' ? target === '' : op === 'insert_after' && named.length > 0;
    const deletes = op === 'delete_section' && named.length > 0;
    if ((adds || deletes) && named.length > 1)
      throw editRefusal('edit_note', `edits.${index}.target`, `${target} is the id of ${named.length} cards`);
    if (adds && (text ?? '').trim() === '')
      throw editRefusal('edit_note', `edits.${index}.text`, `is required for ${op}`);
    if (adds) added.push({ text: text ?? '', ...(id !== undefined && { below: id }) });
    else if (deletes) for (const at of named) deleted.add(at);
    else inside.push({ edit, index });
  }
  return { added, deleted, inside };
}

const cardId = (target: string): string | undefined => /^#?\^(.+)$/.exec(target)?.[1];

interface EditedCanvas {
  readonly path: string;
  readonly outline: CanvasOutline;
  readonly cards: readonly TextCard[];
}

/** The edit as one of its card, or of each of several cards whose text it replaces. */
function editsOfCards(
  canvas: EditedCanvas,
  edit: NoteEdit,
  index: number,
  taskDates: TaskDates | undefined,
): readonly EditOfCard[] {
  const at = `edits.${index}`;
  const id = cardId(edit.target?.trim() ?? '');
  const named =
    id === undefined || edit.op === 'replace_text' ? undefined : canvas.outline.cards.find((card) => card.id === id);
  if (named !== undefined) return [wholeCard(named, canvas, edit, at)];
  const within = edit.line === undefined ? canvas.cards : canvas.cards.filter(hasLine(edit.line));
  const targets = within.filter((card) => hasTarget(card, edit));
  const counts = targets.map(({ shown }) => (edit.op === 'replace_text' ? occurrences(shown, edit.target ?? '') : 1));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const isMeant = edit.line === undefined ? total === (edit.count ?? 1) : targets.length === 1;
  if (targets.length === 0 || !isMeant) throw refusalOf(canvas, edit, at, taskDates);
  return targets.map((card, nth) => ({ card, edit: editWithin(card, edit, counts[nth] ?? 1) }));
}

const hasLine =
  (line: number) =>
  (card: TextCard): boolean =>
    line >= card.line && line <= card.endLine;

/** Lines of the outline are counted from the card's first. */
function editWithin({ line: first, text, lead }: TextCard, edit: NoteEdit, count: number): NoteEdit {
  const { line } = edit;
  const above = lineCountOf(`${text.slice(0, lead)}.`) - 1;
  const counted = edit.count === undefined || line !== undefined ? {} : { count };
  return { ...edit, ...counted, ...(line === undefined ? {} : { line: line - first + 1 + above }) };
}

/** Operations that name a card change its text as those without a target change a note. */
function wholeCard(named: CardPlace, { cards }: EditedCanvas, edit: NoteEdit, at: string): EditOfCard {
  const card = cards.find((one) => one.at === named.at);
  if (card === undefined)
    throw editRefusal('edit_note', `${at}.target`, `^${named.id} is not a text card: only the text of cards is edited`);
  const { target: _, line: __, ...own } = edit;
  if (edit.op === 'append' || edit.op === 'prepend') return { card, edit: own };
  if (edit.op === 'replace_section' && edit.text !== undefined)
    return { card, edit: { op: 'replace_text', target: card.text, text: edit.text } };
  throw editRefusal(
    'edit_note',
    `${at}.op`,
    `takes append, prepend, replace_section, delete_section, or insert_after for a new card below it`,
  );
}

function hasTarget({ text, shown }: TextCard, { op, target = '' }: NoteEdit): boolean {
  if (target === '') return false;
  if (op === 'replace_text') return occurrences(shown, target) > 0;
  if (op === 'set_task') return parseNote(text).tasks.some((task) => task.text.includes(target.trim()));
  return resolvePart(target, parseNote(text), lineCountOf(text)) !== null;
}

const occurrences = (text: string, target: string): number =>
  target === '' ? 0 : text.replaceAll(/\r\n?/g, '\n').split(target.replaceAll(/\r\n?/g, '\n')).length - 1;

/** What the same edit of the outline is refused for, with its lines; else that no card is meant. */
function refusalOf({ path, outline }: EditedCanvas, edit: NoteEdit, at: string, taskDates: TaskDates | undefined) {
  editNote(path, outline.text, [edit], taskDates);
  return editRefusal(
    'edit_note',
    `${at}.target`,
    'must name a card: `#^ID` as read_notes lists them, or text of one card',
  );
}

// Adds text cards to a canvas and deletes nodes of it, with the arrows of these; all else of the file stays byte for byte.

/** What a canvas file says of a node; all but the id can be missing. */
interface WrittenNode {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
}

interface WrittenCanvas {
  readonly nodes?: readonly WrittenNode[];
  readonly edges?: unknown;
}

/** `below`: the id of the card below which it is; without one it is below all. */
interface NewCard {
  readonly text: string;
  readonly below?: string;
}

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

const GAP = 20;
const WIDTH = 260;
const MIN_HEIGHT = 60;
const LINE_HEIGHT = 26;
const LINE_LENGTH = 32;

/** The canvas with the cards, and their ids. Each has the width of the one that it is below, and the first free place there. */
function withCards(json: string, added: readonly NewCard[]): { readonly text: string; readonly ids: string[] } {
  if (added.length === 0) return { text: json, ids: [] };
  const canvas: WrittenCanvas = json.trim() === '' ? {} : JSON.parse(json);
  const nodes = canvas.nodes ?? [];
  const usedIds = new Set(nodes.map(({ id }) => id));
  const ids: string[] = [];
  const boxes = nodes.filter(({ type }) => type !== 'group').map(boxOf);
  const groups = nodes.filter(({ type }) => type === 'group').map(boxOf);
  const cards = added.map(({ text, below }) => {
    const above = nodes.find(({ id }) => below !== undefined && id === below);
    // What is below all is in no group.
    const box = freePlace(
      boxes,
      text,
      above === undefined ? lowest([...boxes, ...groups]) : boxOf(above),
      above !== undefined,
    );
    boxes.push(box);
    const id = freshId(`${json}\n${text}`, usedIds);
    usedIds.add(id);
    ids.push(id);
    return JSON.stringify({ id, type: 'text', text, ...box });
  });
  return { text: applySplices(json, [insertion(json, cards)]), ids };
}

function boxOf(node: WrittenNode): Box {
  const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return { x: number(node.x), y: number(node.y), width: number(node.width), height: number(node.height) };
}

function lowest(boxes: readonly Box[]): Box | undefined {
  const bottom = boxes.reduce((most, box) => Math.max(most, box.y + box.height), Number.NEGATIVE_INFINITY);
  return boxes.find((box) => box.y + box.height === bottom);
}

/** @param asWide whether it is as wide as what is above it */
function freePlace(boxes: readonly Box[], text: string, last: Box | undefined, asWide: boolean): Box {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil((line.length + 1) / LINE_LENGTH), 0);
  const height = Math.max(MIN_HEIGHT, (lines + 1) * LINE_HEIGHT);
  const x = last?.x ?? 0;
  const width = last !== undefined && asWide && last.width > 0 ? last.width : WIDTH;
  let y = last === undefined ? 0 : last.y + last.height + GAP;
  for (const box of boxes.toSorted((one, other) => one.y - other.y)) {
    const overlaps = box.x < x + width && x < box.x + box.width && box.y < y + height && y < box.y + box.height;
    if (overlaps) y = box.y + box.height + GAP;
  }
  return { x, y, width, height };
}

const ID_DIGITS = 16;

/** The same for the same canvas and text, so that a plan is carried out as it was shown. */
function freshId(seed: string, taken: ReadonlySet<unknown>): string {
  for (let round = 0; ; round += 1) {
    const id = contentHash(Buffer.from(`${round}\n${seed}`)).slice(0, ID_DIGITS);
    if (!taken.has(id)) return id;
  }
}

/** In the layout of the file, or as Obsidian writes an empty canvas. */
function insertion(json: string, cards: readonly string[]): Splice {
  const list = canvasLists(json).nodes;
  const listed = `"nodes":[\n\t\t${cards.join(',\n\t\t')}\n\t]`;
  if (json.trim() === '') return { from: 0, to: json.length, text: `{\n\t${listed},\n\t"edges":[]\n}` };
  const root = json.indexOf('{') + 1;
  const isEmpty = json.slice(root).trim().startsWith('}');
  if (list === undefined) return { from: root, to: root, text: `\n\t${listed}${isEmpty ? '\n' : ','}` };
  const last = list.items.at(-1);
  if (last === undefined) return { from: list.from, to: list.to, text: listed.slice('"nodes":'.length) };
  const between = separator(json, list);
  return { from: last.to, to: last.to, text: cards.map((card) => between + card).join('') };
}

/** What the file has between two nodes. */
function separator(json: string, { from, items: [first, second] }: ListPlace): string {
  if (first === undefined) return ',';
  return second === undefined ? `,${json.slice(from + 1, first.from)}` : json.slice(first.to, second.from);
}

/** Removes the nodes at these places of the list, and every arrow from or to one of them; `arrows`: how many these are. */
function deletionOf(json: string, canvas: WrittenCanvas, nodes: ReadonlySet<number>) {
  if (nodes.size === 0) return { splices: [], arrows: 0 };
  const { nodes: written = [], edges } = canvas;
  const keptIds = new Set(written.filter((_, at) => !nodes.has(at)).map(({ id }) => id));
  const gone = new Set([...nodes].map((at) => written[at]?.id).filter((id) => !keptIds.has(id)));
  const lists = canvasLists(json);
  const all: readonly unknown[] = Array.isArray(edges) && lists.edges?.items.length === edges.length ? edges : [];
  const touches = (edge: unknown): boolean => isObject(edge) && (gone.has(edge.fromNode) || gone.has(edge.toNode));
  const arrows = new Set(all.flatMap((edge, at) => (touches(edge) ? [at] : [])));
  return { splices: [...removals(lists.nodes, nodes), ...removals(lists.edges, arrows)], arrows: arrows.size };
}

function removals(list: ListPlace | undefined, removed: ReadonlySet<number>): Splice[] {
  const items = list?.items ?? [];
  const splices: Splice[] = [];
  for (let at = 0; at < items.length; at += 1) {
    if (!removed.has(at)) continue;
    const first = at;
    while (removed.has(at + 1)) at += 1;
    const [one, last, next, before] = [items[first], items[at], items[at + 1], items[first - 1]];
    if (one === undefined || last === undefined) continue;
    if (next !== undefined) splices.push({ from: one.from, to: next.from, text: '' });
    else splices.push({ from: before?.to ?? one.from, to: last.to, text: '' });
  }
  return splices;
}
