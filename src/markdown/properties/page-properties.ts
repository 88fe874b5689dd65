// Reads the properties with which a page of Logseq begins: lines `key:: value`, in its first block or above it.
import type { Properties, PropertyValue, Tag } from '../../base/note.ts';
import { type Lines, lineIndexAt, positionAt } from '../parse/lines.ts';
import { isTagName } from '../parse/tag.ts';
import type { Span } from '../parse/text-run.ts';

interface PageProperties {
  readonly properties: Properties;
  readonly aliases: readonly string[];
  readonly tags: readonly Tag[];
  /** The last one, from 1; 0 without any. */
  readonly lastLine: number;
}

const LINE = /^(?:- )?[ \t]*([\p{L}\p{N}][\p{L}\p{N}_./?-]*)::(?:[ \t]+(.*)|[ \t]*)$/u;
/** What Logseq writes for itself and never shows: its ids of blocks, folded items, times, tables, highlights and cards. */
const HIDDEN =
  /^(?:(?:custom-)?id|collapsed|heading|background[-_]color|(?:created|updated|last[-_]modified)[-_]at|query-(?:table|properties|sort-by|sort-desc)|ls-type|hl-(?:type|page|stamp|color)|card-(?:last-interval|repeats|last-reviewed|next-schedule|ease-factor|last-score)|logseq\.[\w.-]+|todo|doing|now|later|done)$/i;

export const isHiddenProperty = (name: string): boolean => HIDDEN.test(name);

/** A property of a block, or the times that were spent on a task. */
const BLOCK_LINES =
  /^([ \t]{0,200}(?:[-*] )?[ \t]{0,9})(?:([\p{L}\p{N}][\p{L}\p{N}_./?-]{0,60})::(?=[ \t]|\r?$)[^\r\n]*|:LOGBOOK:[ \t]{0,9}(?:\r?\n[ \t]{0,200}CLOCK:[^\r\n]*){0,500}\r?\n[ \t]{0,200}:END:)/gmu;

/** What of the blocks of a page Logseq never shows, outside of code. @param isCode of a line, from 1 */
export function hiddenProperties(text: string, lines: Lines, isCode: (line: number) => boolean): readonly Span[] {
  return Array.from(text.matchAll(BLOCK_LINES)).flatMap(({ index, 0: found, 1: start = '', 2: name }) => {
    const [from, to] = [index + start.length, index + found.length];
    const isHidden = name === undefined || isHiddenProperty(name);
    return isHidden && !isCode(lineIndexAt(lines, from) + 1) ? [{ from, to }] : [];
  });
}

const LISTS: readonly string[] = ['tags', 'alias', 'aliases'];

/** @param firstLine of the body, 0-based */
export function readPageProperties(text: string, lines: Lines, firstLine: number): PageProperties {
  const properties: Record<string, PropertyValue> = {};
  const aliases: string[] = [];
  const tags: Tag[] = [];
  let lastLine = 0;
  for (let at = firstLine; at < lines.starts.length; at += 1) {
    const start = lines.starts[at] ?? 0;
    const line = text.slice(start, lines.ends[at]);
    const [, written = '', value = ''] = LINE.exec(line) ?? [];
    const name = written.toLowerCase();
    if (name === '') break;
    lastLine = at + 1;
    if (isHiddenProperty(name)) continue;
    const items = LISTS.includes(name) ? itemsOf(value) : [];
    properties[name] = LISTS.includes(name) ? items.map((item) => item.name) : value.trim();
    if (name === 'tags') {
      const from = start + line.length - value.length;
      for (const item of items.filter((one) => !one.isTag && isTagName(one.name)))
        tags.push({ tag: `#${item.name}`, from: 'properties', ...positionAt(lines, from + item.at) });
    } else aliases.push(...items.map((item) => item.name));
  }
  return { properties, aliases, tags, lastLine };
}

/** Names between commas, each also as a link or a tag, which is read as one anyway, or in quotes with commas in it. */
function itemsOf(value: string) {
  const items = value.matchAll(
    /\[\[([^[\]]+)\]\]|(?<=(?:^|[,，])[ \t]*)"([^"]+)"(?=[ \t]*(?:$|[,，]))|[^,，[\]\s][^,，[\]]*/g,
  );
  return Array.from(items, ({ index, 0: item, 1: linked, 2: quoted }) => {
    const plain = linked ?? quoted ?? item;
    const name = plain.trim().replace(/^#/, '');
    return { name, at: index + item.indexOf(name), isTag: plain.trim().startsWith('#') };
  }).filter(({ name }) => name !== '');
}
