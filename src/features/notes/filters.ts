// Turns the filter arguments of tools into a note filter for the store.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter, PropertyFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { parseDate } from './parse-date.ts';

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
const condition = z.union([scalar, operators]);

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
  .describe('{name: value} or {name: {op: value}}, op eq ne gt gte lt lte contains exists');

/** @param where validated by `whereArgument` */
function propertyFilters(where: z.infer<typeof whereArgument>): PropertyFilter[] {
  return Object.entries(where).flatMap(([name, written]): PropertyFilter[] => {
    const value = condition.parse(written);
    if (typeof value !== 'object' || value === null) return [{ name, operator: 'eq', value }];
    const conditions = Object.entries(value) as [PropertyFilter['operator'], z.infer<typeof scalar> | undefined][];
    return conditions.flatMap(([operator, operand]) =>
      operand === undefined ? [] : [{ name, operator, value: operand }],
    );
  });
}

export const folderArgument = z.string().optional();

const tagArgument = z
  .string()
  .trim()
  .regex(/^#?[^#]/, 'is not a tag');

/** The filter arguments, to spread into a tool's input. */
export const filterShape = {
  folder: folderArgument,
  tags: z.array(tagArgument).min(1).max(20).optional(),
  tag_mode: z.enum(['any', 'all']).default('any'),
  where: whereArgument.optional(),
  since: z.string().optional().describe('note date: 2026-11, last week, 7d'),
  until: z.string().optional(),
};

/** The filter arguments without descriptions, to save tokens; tools that are always listed describe them. */
export const briefFilterShape = {
  ...filterShape,
  where: whereArgument.meta({ description: undefined }).optional(),
  since: z.string().optional(),
};

/** The filter arguments of tools that take a topic. */
export const narrowingShape = {
  folder: folderArgument,
  tags: z.array(z.string()).optional(),
  since: z.string().optional(),
  until: z.string().optional(),
};

type FilterArguments = z.infer<z.ZodObject<typeof filterShape>>;

/**
 * @param now what `today`, `last week` and `7d` are relative to
 * @throws INVALID_QUERY for a date that cannot be parsed, PATH_NOT_ALLOWED for a folder outside the vault
 */
export function noteFilter(args: FilterArguments, now = new Date()): NoteFilter {
  const folder = folderOf(args.folder);
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(args.tags === undefined ? {} : { tags: args.tags.map(normalizeTag), tagMode: args.tag_mode }),
    ...(args.where === undefined ? {} : { where: propertyFilters(args.where) }),
    ...(args.since === undefined ? {} : { sinceMs: parseDate(args.since, 'since', now) }),
    ...(args.until === undefined ? {} : { untilMs: parseDate(args.until, 'until', now) }),
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

/** Warns about each folder, tag and property of the filter that no note has, which alone can explain an empty result. */
export async function warnOfEmptyFilters(filter: NoteFilter, store: Store, call: CallContext): Promise<void> {
  for (const [name, single] of singleFilters(filter)) {
    const { total } = await store.listNotes(single, 'name', 'asc', { limit: 1, offset: 0 }, call.signal);
    if (total === 0) call.warn({ code: 'FILTER_MATCHES_NOTHING', message: `no note has the ${name}` });
  }
}

function singleFilters({ folder, tags = [], where = [] }: NoteFilter): [string, NoteFilter][] {
  const names = new Set(where.filter(({ operator }) => operator !== 'exists').map(({ name }) => name));
  const exists = (name: string): NoteFilter => ({ where: [{ name, operator: 'exists', value: true }] });
  return [
    ...(folder === undefined ? [] : [[`folder ${JSON.stringify(folder)}`, { folder }] as [string, NoteFilter]]),
    ...tags.map((tag): [string, NoteFilter] => [`tag ${tag}`, { tags: [tag] }]),
    ...[...names].map((name): [string, NoteFilter] => [`property ${JSON.stringify(name)}`, exists(name)]),
  ];
}

interface NoteDate {
  readonly date: string;
  readonly dated_by: NoteSummary['datedBy'];
}

/** The dates of the notes, by path; empty unless the filter has dates. */
export async function datesOf(
  notes: readonly { readonly path: NotePath }[],
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<NotePath, NoteDate>> {
  if (!filtersByDate(filter)) return new Map();
  const paths = notes.map(({ path }) => path);
  return new Map((await store.notes(paths, signal)).map((note) => [note.path, dateView(note)]));
}

export function filtersByDate({ sinceMs, untilMs }: NoteFilter): boolean {
  return sinceMs !== undefined || untilMs !== undefined;
}

export function dateView({ date, datedBy }: NoteSummary): NoteDate {
  return { date, dated_by: datedBy };
}
