// Writes values as JSON and as cells of a Markdown table.
import { displayOf } from '../../markdown/parse/wikilink.ts';
import type { BaseFiles } from '../files.ts';
import { dateText, millisecondsOf } from './dates.ts';
import { targetOf } from './links.ts';
import { textOf } from './text.ts';
import { isList, type LinkValue, PartCount, type Value } from './value.ts';

/** Texts, numbers, truth values, lists and null as they are; other types as an object with their name. */
export type PlainCell =
  | null
  | boolean
  | number
  | string
  | readonly PlainCell[]
  | { readonly [name: string]: PlainCell };

/** @throws CellFault for a value that is too large */
export function plainCell(value: Value, files: BaseFiles, parts = new PartCount(), depth = 0): PlainCell {
  parts.add(depth);
  const inner = (each: Value): PlainCell => plainCell(each, files, parts, depth + 1);
  if (isList(value)) return value.map(inner);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  switch (value.kind) {
    case 'date':
      return { date: dateText(value) };
    case 'duration':
      return { duration_ms: millisecondsOf(value) };
    case 'link':
      return plainLink(value, files);
    case 'file':
      return { file: value.file.path };
    case 'tag':
      return `#${value.name}`;
    case 'object':
      return { object: Object.fromEntries([...value.entries].map(([name, each]) => [name, inner(each)])) };
    case 'regex':
      return { regex: textOf(value) };
    default:
      return { [value.kind]: value.text };
  }
}

/** The path of its file, or the link as written if it leads to none. */
function plainLink(link: LinkValue, files: BaseFiles): PlainCell {
  const target = targetOf(link, files);
  const shown = textOf(link);
  const display = shown === (target ?? displayOf(link.link)) ? {} : { display: shown };
  if (target !== null) return { link: target, ...display };
  return { link: link.link, ...display, ...(link.link.includes('://') ? {} : { unresolved: true }) };
}

/** The same as Markdown on one line. */
export function markdownCell(cell: PlainCell): string {
  return rawCell(cell)
    .replaceAll('|', '\\|')
    .replace(/\r\n|[\r\n]/g, '<br>');
}

function rawCell(cell: PlainCell): string {
  if (cell === null) return '';
  if (isCells(cell)) return cell.map(rawCell).join(', ');
  if (typeof cell !== 'object') return String(cell);
  const { link, display, unresolved, object, ...rest } = cell;
  if (link !== undefined)
    return `[[${link}${display === undefined ? '' : `|${display}`}]]${unresolved ? ' (no file)' : ''}`;
  if (object !== undefined) return JSON.stringify(object);
  const [[kind, value] = ['', '']] = Object.entries(rest);
  if (kind === 'duration_ms') return `${value} ms`;
  if (kind === 'file') return `[[${value}]]`;
  return kind === 'date' || kind === 'regex' ? String(value) : `${kind}: ${value}`;
}

function isCells(cell: PlainCell): cell is readonly PlainCell[] {
  return Array.isArray(cell);
}
