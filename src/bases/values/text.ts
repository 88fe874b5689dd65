// Writes values as text.
import { noteName } from '../../base/note.ts';
import { displayOf } from '../../markdown/parse/wikilink.ts';
import { dateText, millisecondsOf } from './dates.ts';
import { isList, PartCount, type Value } from './value.ts';

/** The text that text functions work on; undefined for any other value. */
export function textIn(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || isList(value)) return undefined;
  if (value.kind === 'link') return value.link;
  if (value.kind === 'tag') return `#${value.name}`;
  return value.kind === 'html' || value.kind === 'icon' || value.kind === 'image' ? value.text : undefined;
}

/** What `toString()` gives. @throws CellFault for a value that is too large */
export function textOf(value: Value, parts = new PartCount(), depth = 0): string {
  parts.add(depth);
  if (value === null) return '';
  const inner = (each: Value): string => textOf(each, parts, depth + 1);
  if (isList(value)) return value.map(inner).join(', ');
  if (typeof value !== 'object') return String(value);
  switch (value.kind) {
    case 'date':
      return dateText(value);
    case 'duration':
      return String(millisecondsOf(value));
    case 'link':
      return value.display === undefined ? displayOf(value.link) : inner(value.display);
    case 'file':
      return noteName(value.file.path);
    case 'regex':
      return `/${value.regex.pattern}/${value.regex.flags}`;
    case 'object':
      return `{${[...value.entries].map(([name, member]) => `${name}: ${inner(member)}`).join(', ')}}`;
    default:
      return textIn(value) ?? '';
  }
}
