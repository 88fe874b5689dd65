// Turns the filter arguments of tools into a note filter for the store.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter, PropertyFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import { listedAs } from '../../contracts/tool.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { withPeriod } from '../periods/compared-period.ts';
import { dayBefore, parseDate } from './parse-date.ts';

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'exists'] as const;
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const comparable = z.union([z.string(), z.number()]);
const operators = z
  .strictObject({
    eq: scalar.optional(),
    ne: scalar.optional(),
    gt: comparable.optional(),
    gte: comparable.optional(),
    lt: comparable.optional(),
    lte: comparable.optional(),
    contains: scalar.optional(),
    exists: z.boolean().optional(),
  })
  .refine((condition) => Object.keys(condition).length > 0, 'names no operator');
const condition = z.union([operators, scalar]);

interface Condition {
  readonly property: string;
  readonly op: PropertyFilter['operator'];
  readonly value: PropertyFilter['value'];
}

/** Property names with a value, which the property equals or has as a list item, or with operators that must all match. */
const conditionsByName = z
  .record(z.string().min(1), z.unknown())
  .superRefine((where, context) => {
    for (const [name, value] of Object.entries(where)) {
      if (condition.safeParse(value).success) continue;
      const message = `is not a value and not { ${OPERATORS.join(', ')} }`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .pipe(z.record(z.string(), condition))
  .transform((where) => Object.entries(where).flatMap(([property, value]) => conditionsOf(property, value)));

function conditionsOf(property: string, value: z.infer<typeof condition>): Condition[] {
  if (typeof value !== 'object' || value === null) return [{ property, op: 'eq', value }];
  return Object.entries(value).flatMap(([op, operand]) =>
    operand === undefined ? [] : [{ property, op: op as Condition['op'], value: operand }],
  );
}

const SIGNS: Readonly<Record<string, Condition['op']>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  contains: 'contains',
};
/** The first operator between blanks; only where there is none, the first sign. */
const COMPARISONS = [/^(.+?)\s+(==?|!=|[<>]=?|contains)\s+(.*)$/su, /^(.+?)\s*(==?|!=|[<>]=?)\s*(.*)$/su];
const EXISTENCE = /^(.+)\s(exists|missing)$/su;

/** The condition that a text such as `rating >= 4` or `due exists` states; every value can be written as text. */
function conditionIn(text: string): Condition | undefined {
  for (const form of COMPARISONS) {
    const [, name = '', sign = '', value = ''] = form.exec(text.trim()) ?? [];
    if (name !== '') return { property: unquoted(name), op: SIGNS[sign] ?? 'eq', value: unquoted(value) };
  }
  const [, name, word] = EXISTENCE.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { property: unquoted(name), op: 'exists', value: word === 'exists' };
}

const unquoted = (text: string): string => /^"(.*)"$/s.exec(text)?.[1] ?? text;

/** A list may compare one property several times with one operator. */
const conditionList = z
  .array(
    z.string().refine((text) => conditionIn(text) !== undefined, {
      message: 'is not a condition such as `status = open`, with =, !=, >, >=, <, <= or contains, or `due exists`',
    }),
  )
  .min(1)
  .transform((list) => list.flatMap((text) => conditionIn(text) ?? []));

const whereArgument = z
  .union([conditionList, conditionsByName])
  .describe('status = open, rating >= 4, author contains Ada, due exists')
  .meta(listedAs(z.array(z.string())));

function propertyFilters(where: readonly Condition[], now: Date): PropertyFilter[] {
  return where.map(({ property: name, op: operator, value }) => withPeriod({ name, operator, value }, now));
}

export const folderArgument = z.string().optional().describe('with subfolders');

const tagArgument = z
  .string()
  .trim()
  .regex(/^#?[^#]/, 'is not a tag');

export const modifiedSinceArgument = z.string().optional().describe('file changed: 7d');

const dateShape = {
  since: z.string().optional().describe('note date: 2026-11-20, last week'),
  until: z.string().optional().describe('inclusive'),
  modified_since: modifiedSinceArgument,
};

/** The filter arguments, to spread into a tool's input. */
export const filterShape = {
  folder: folderArgument,
  tags: z.array(tagArgument).min(1).max(20).optional().describe('nested too'),
  tag_mode: z.enum(['any', 'all']).optional().describe('default any'),
  where: whereArgument.optional(),
  ...dateShape,
};

/** The same in fewer words, for the tools besides `list_notes` and `search_text`: every word of a list of tools is paid for. */
export const briefFilterShape = {
  ...filterShape,
  where: filterShape.where.describe('status = open, due exists'),
  since: filterShape.since.describe('note date'),
  modified_since: filterShape.modified_since.describe('file changed'),
};

/** All filter arguments as one object, for tools that also take a list of notes. */
export const filterArgument = z
  .strictObject(briefFilterShape)
  .refine((filter) => Object.keys(filter).length > 0, 'names no filter')
  .describe('as in list_notes');

/** The filter arguments of tools that take a topic. */
export const narrowingShape = {
  folder: folderArgument,
  tags: z.array(z.string()).optional().describe('any of them, nested too'),
  since: briefFilterShape.since,
  until: briefFilterShape.until,
  modified_since: briefFilterShape.modified_since,
};

export type FilterArguments = Partial<z.infer<z.ZodObject<typeof filterShape>>>;

/**
 * @param now what `today`, `last week` and `7d` are relative to
 * @throws INVALID_QUERY for a date that cannot be parsed, PATH_NOT_ALLOWED for a folder outside the vault
 */
export function noteFilter(args: FilterArguments, now = new Date()): NoteFilter {
  const folder = folderOf(args.folder);
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(args.tags === undefined ? {} : { tags: args.tags.map(normalizeTag), tagMode: args.tag_mode ?? 'any' }),
    ...(args.where === undefined ? {} : { where: propertyFilters(args.where, now) }),
    ...(args.since === undefined ? {} : { sinceMs: parseDate(args.since, 'since', now) }),
    ...(args.until === undefined ? {} : { untilMs: parseDate(args.until, 'until', now) }),
    ...(args.modified_since === undefined
      ? {}
      : { modifiedSinceMs: parseDate(args.modified_since, 'modified_since', now) }),
  };
}

/** With `#`, without trailing slashes. */
function normalizeTag(tag: string): string {
  return `#${tag.replace(/^#/, '').replace(/\/+$/, '')}`;
}

/**
 * The folder relative to the vault, NFC, without slashes at its ends; undefined for the whole vault (`.`, `/` or nothing).
 * @throws PATH_NOT_ALLOWED
 */
export function folderOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const folder = written.normalize('NFC').replace(/^(\.\/)+|\/+$/g, '');
  if (folder === '' || folder === '.') return undefined;
  const rule = brokenRule(folder);
  if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path: written, rule });
  return folder;
}

function brokenRule(folder: string): string | undefined {
  if (folder.includes('\0')) return 'it contains a NUL character';
  if (folder.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(folder)) return 'it names a drive';
  const segments = folder.split(/[/\\]/);
  if (segments.includes('..')) return 'it leads out of the vault';
  if (segments.some((segment) => segment.startsWith('.'))) return 'it is hidden';
  return undefined;
}

interface NoteDate {
  readonly date?: string;
  readonly dated_by?: NoteSummary['datedBy'];
  readonly modified?: string;
}

/** The dates that the filter compares, of each note, by path; empty if it compares none. */
export async function datesOf(
  notes: readonly { readonly path: NotePath }[],
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<NotePath, NoteDate>> {
  if (!filtersByDate(filter) && filter.modifiedSinceMs === undefined) return new Map();
  const paths = notes.map(({ path }) => path);
  return new Map((await store.notes(paths, signal)).map((note) => [note.path, dateView(note, filter)]));
}

function filtersByDate({ sinceMs, untilMs }: NoteFilter): boolean {
  return sinceMs !== undefined || untilMs !== undefined;
}

export function dateView({ date, datedBy, modifiedMs }: NoteSummary, filter: NoteFilter): NoteDate {
  return {
    ...(filtersByDate(filter) ? { date, dated_by: datedBy } : {}),
    ...(filter.modifiedSinceMs === undefined ? {} : { modified: new Date(modifiedMs).toISOString() }),
  };
}

/** Which dates were compared with what, for the answer; empty if the filter has no dates. Local time. */
export function periodView({ sinceMs, untilMs, modifiedSinceMs, where = [] }: NoteFilter, others: object = {}) {
  const compared = where.flatMap(({ name, period }) => (period === undefined ? [] : [[name, spanView(period)]]));
  const period = {
    ...others,
    ...(sinceMs === undefined ? {} : { note_date_since: localDate(sinceMs) }),
    ...(untilMs === undefined ? {} : { note_date_before: localDate(untilMs) }),
    ...(modifiedSinceMs === undefined ? {} : { modified_since: localDate(modifiedSinceMs) }),
    ...(compared.length === 0 ? {} : { where: Object.fromEntries(compared) }),
  };
  return Object.keys(period).length === 0 ? {} : { period };
}

/** Its first and last day, or the times that begin and end it. */
function spanView({ from, to }: NonNullable<PropertyFilter['period']>) {
  const end = to === undefined ? undefined : localDate(to);
  return {
    ...(from === undefined ? {} : { from: localDate(from) }),
    ...(end === undefined ? {} : { until: end.includes('T') ? end : dayBefore(end) }),
  };
}
