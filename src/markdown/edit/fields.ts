// Changes properties where they are written: inline fields in their lines, all others in the front matter.
import { isDeepStrictEqual } from 'node:util';
import type { InlineField, PropertyChanges, PropertyValue } from '../../base/note.ts';
import { foldName } from '../links/fold.ts';
import { isBlank } from '../parse/characters.ts';
import { writtenValue } from '../parse/field-value.ts';
import { fieldKey, fieldsNamed } from '../parse/inline-field.ts';
import { type Lines, lineEnd, lineStart, lineStartAfter, splitLines } from '../parse/lines.ts';
import { type PlacedField, readBody } from '../parse/parse-note.ts';
import { editProperties } from '../properties/edit-properties.ts';
import { readFrontMatter } from '../properties/front-matter.ts';
import { planProperties } from '../properties/property-plan.ts';
import { applySplices, type Splice, sortSplices } from './splice.ts';
import { editRefusal } from './target.ts';

/**
 * A name that the front matter has is set there; a removed one is removed everywhere. Obsidian reads tags and aliases from the
 * front matter only, so they are always there.
 * @throws as `editProperties`
 */
export function setProperties(path: string, text: string, changes: PropertyChanges) {
  const lines = splitLines(text);
  const { properties, fault, bodyLine } = readFrontMatter(text, lines);
  const fields = fault === undefined && text.includes('::') ? readBody(text, lines, bodyLine).fields : [];
  if (fields.length === 0) return editProperties(path, text, changes);
  planProperties(properties, changes);
  const owned = new Set(Object.keys(properties).map(foldName));
  const plan = new FieldPlan(text, fields);
  const set = Object.entries(changes.set ?? {}).filter(([name, value]) => {
    if (!owned.has(foldName(name))) return !plan.set(name, value);
    plan.noticeOther(name);
    return true;
  });
  const remove = changes.remove?.filter((name) => !plan.remove(name) || owned.has(foldName(name)));
  const changed = plan.apply(lines, bodyLine);
  const others = { ...changes, set: Object.fromEntries(set), remove };
  const edited = editProperties(path, changed, others);
  return { text: edited.text, notices: [...plan.notices, ...edited.notices] };
}

const FRONT_MATTER_ONLY: ReadonlySet<string> = new Set(['tags', 'aliases']);

class FieldPlan {
  readonly notices: string[] = [];
  readonly #text: string;
  readonly #fields: readonly PlacedField[];
  /** The new value of each field that changes; undefined if it is removed. */
  readonly #wanted = new Map<PlacedField, PropertyValue | undefined>();
  readonly #claimed = new Set<string>();

  constructor(text: string, fields: readonly PlacedField[]) {
    this.#text = text;
    this.#fields = fields;
  }

  /** Whether fields have the name. Several of them share the items of a list, and those too many are removed. */
  set(name: string, value: PropertyValue): boolean {
    const fields = this.#claim(name, `set.${name}`);
    if (fields.length === 0) return false;
    if (isDeepStrictEqual(propertyOf(fields), value)) return true;
    const isShared = fields.length > 1 && Array.isArray(value) && value.length > 0;
    const [last, items] = [fields.length - 1, isShared ? value : [value]];
    for (const [at, field] of fields.entries()) {
      const rest = items.slice(at);
      const values = at === last && rest.length > 1 ? rest : rest[0];
      if (!isDeepStrictEqual(field.value, values)) this.#wanted.set(field, values);
    }
    return true;
  }

  remove(name: string): boolean {
    const fields = this.#claim(name, 'remove');
    for (const field of fields) this.#wanted.set(field, undefined);
    return fields.length > 0;
  }

  noticeOther(name: string): void {
    const [field] = this.#named(name);
    if (field === undefined) return;
    const where = `an inline field on line ${field.line}`;
    this.notices.push(`${JSON.stringify(name)} is set in the front matter; it is also ${where}, which stays.`);
  }

  #named(name: string): readonly PlacedField[] {
    return FRONT_MATTER_ONLY.has(foldName(name)) ? [] : fieldsNamed(this.#fields, name);
  }

  #claim(name: string, at: string): readonly PlacedField[] {
    const [fields, key] = [this.#named(name), fieldKey(name)];
    if (fields.length > 0 && this.#claimed.has(key))
      throw editRefusal('set_properties', at, `${JSON.stringify(name)} is changed twice`);
    this.#claimed.add(key);
    return fields;
  }

  /** The text with all changes, which must read back. @throws INVALID_INPUT */
  apply(lines: Lines, bodyLine: number): string {
    if (this.#wanted.size === 0) return this.#text;
    const removed = [...this.#wanted].filter(([, value]) => value === undefined).map(([field]) => field);
    const byLine = Map.groupBy(removed, ({ line }) => line);
    const splices = [
      ...[...this.#wanted].flatMap(([field, value]) => (value === undefined ? [] : [this.#valueSplice(field, value)])),
      ...[...byLine.values()].flatMap((ofLine) => removals(this.#text, ofLine)),
    ];
    const isGone = new Set(removed.filter(({ isBracketed }) => !isBracketed).map(({ line }) => line));
    const changed = applySplices(this.#text, sortSplices(splices));
    const [before, after] = [readBody(this.#text, lines, bodyLine), readBody(changed, splitLines(changed), bodyLine)];
    const isRead =
      isDeepStrictEqual(after.fields.map(pairOf), this.#expected()) &&
      after.tasks.length === before.tasks.length &&
      after.headings.length === before.headings.filter(({ line }) => !isGone.has(line)).length &&
      isDeepStrictEqual(readFrontMatter(changed, splitLines(changed)).bodyLine, bodyLine);
    if (isRead) return changed;
    throw this.#refusal([...this.#wanted.keys()]);
  }

  #expected() {
    return this.#fields.flatMap((field) => {
      const value = this.#wanted.has(field) ? this.#wanted.get(field) : field.value;
      return value === undefined ? [] : [pairOf({ name: field.name, value })];
    });
  }

  #valueSplice(field: PlacedField, value: PropertyValue): Splice {
    const spelled = writtenValue(value);
    if (spelled === undefined) throw this.#refusal([field]);
    const { from, to } = field.valuePlace;
    const [before, after] = [this.#text.charAt(from - 1), this.#text.charAt(to)];
    if (spelled === '') return { from, to, text: '' };
    return { from, to, text: `${before === ':' ? ' ' : ''}${spelled}${after === '^' ? ' ' : ''}` };
  }

  #refusal(fields: readonly InlineField[]) {
    const places = fields.map(({ name, line }) => `${JSON.stringify(name)} on line ${line}`).join(', ');
    const rule = `the inline field ${places} cannot take this change so that it reads back; edit the line with edit_note`;
    return editRefusal('set_properties', 'set', rule);
  }
}

/** The value of the property: of several fields, all values in their order. */
function propertyOf(fields: readonly InlineField[]): PropertyValue {
  const [first, ...others] = fields.map(({ value }) => value);
  return others.length === 0 ? (first ?? null) : [first ?? null, ...others].flat();
}

const pairOf = ({ name, value }: Pick<InlineField, 'name' | 'value'>) => [name, value] as const;

/** A line without anything but marks of quotes and a list item. */
const MARKS = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]*)?$/;
const ITEM = /^([ \t>]*)(?:[-+*]|\d{1,9}[.)])[ \t]/;

/** @param fields all those of a line that are removed, in their order */
function removals(text: string, fields: readonly PlacedField[]): Splice[] {
  const start = lineStart(text, fields[0]?.from ?? 0);
  const end = lineEnd(text, start);
  const splices: Splice[] = [];
  let rest = '';
  let last = start;
  for (const field of fields) {
    const { from, to } = withBlank(text, field, Math.max(start, last), end);
    rest += text.slice(last, from);
    splices.push({ from, to, text: '' });
    last = to;
  }
  rest += text.slice(last, end);
  const isWhole = fields.some(({ isBracketed }) => !isBracketed) || MARKS.test(rest);
  if (!isWhole) return splices;
  const mark = ITEM.exec(text.slice(start, end));
  // What is below the item stays an item.
  if (mark !== null && isIndented(text, end, mark[1] ?? ''))
    return [{ from: start + mark[0].length, to: end, text: '' }];
  return [{ from: start, to: Math.min(text.length, lineStartAfter(text, end)), text: '' }];
}

/** With one of the blanks around it. */
function withBlank(text: string, { from, to }: PlacedField, least: number, end: number) {
  const isAfter = to >= end || isBlank(text.charCodeAt(to));
  if (from > least && isAfter && isBlank(text.charCodeAt(from - 1))) return { from: from - 1, to };
  return { from, to: to < end && isAfter ? to + 1 : to };
}

function isIndented(text: string, end: number, indent: string): boolean {
  const next = lineStartAfter(text, end);
  const line = text.slice(next, lineEnd(text, Math.min(next, text.length)));
  return line.startsWith(`${indent} `) || line.startsWith(`${indent}\t`);
}
