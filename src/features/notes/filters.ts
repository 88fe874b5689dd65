// Turns the filter arguments of tools into a note filter for the store.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter, PropertyFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import { localDate } from '../../markdown/frontmatter/note-date.ts';
import { withPeriod } from '../periods/compared-period.ts';
import { dayBefore, parseDate } from './parse-date.ts';

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

/** Property names with a value, which the property equals or has as a list item, or with operators that must all match. */
const whereArgument = z
  // The schema leaves the type of a condition out, because it would cost every session about a hundred tokens.
  .record(z.string().min(1), z.unknown())
  .superRefine((where, context) => {
    for (const [name, value] of Object.entries(where)) {
      if (condition.safeParse(value).success) continue;
      const message = 'is not a value and not { eq, ne, gt, gte, lt, lte, contains, exists }';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .pipe(z.record(z.string(), condition))
  .describe('{name: value or {op: value}}: eq ne gt gte lt lte contains exists');

function propertyFilters(where: z.infer<typeof whereArgument>, now: Date): PropertyFilter[] {
  return Object.entries(where).flatMap(([name, value]): PropertyFilter[] => {
    if (typeof value !== 'object' || value === null) return [{ name, operator: 'eq', value }];
    const conditions = Object.entries(value) as [PropertyFilter['operator'], z.infer<typeof scalar> | undefined][];
    return conditions.flatMap(([operator, operand]) =>
      operand === undefined ? [] : [withPeriod({ name, operator, value: operand }, now)],
    );
  });
}

export const folderArgument = z.string().optional();

const tagArgument = z
  .string()
  .trim()
  .regex(/^#?[^#]/, 'is not a tag');

export const modifiedSinceArgument = z.string().optional();

const dateShape = {
  since: z.string().optional().describe('note date: 2026-11-20, last week, 7d, @today'),
  until: z.string().optional(),
  modified_since: modifiedSinceArgument,
};

/** The filter arguments, to spread into a tool's input. */
export const filterShape = {
  folder: folderArgument,
  tags: z.array(tagArgument).min(1).max(20).optional(),
  /** `any` if it is left out; a default in the schema would cost tokens in each session. */
  tag_mode: z.enum(['any', 'all']).optional(),
  where: whereArgument.optional(),
  ...dateShape,
};

/** All filter arguments as one object, for tools that also take a list of notes. Only `list_notes` and searches list its members. */
export const filterArgument = z
  .record(z.string(), z.unknown())
  .describe('as in list_notes: {folder, tags, where, …}')
  .pipe(z.strictObject(filterShape).refine((filter) => Object.keys(filter).length > 0, 'names no filter'));

/** The filter arguments of tools that take a topic. */
export const narrowingShape = {
  folder: folderArgument,
  tags: z.array(z.string()).optional(),
  ...dateShape,
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
function normalizeTag(written: string): string {
  return `#${written.replace(/^#/, '').replace(/\/+$/, '')}`;
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
