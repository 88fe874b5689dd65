// The arguments by which several tools narrow the notes they look at, as one filter for the store.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { NoteFilter, PropertyFilter } from '../../contracts/note-filter.ts';
import type { NoteSummary, Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { parseMoment } from './parse-date.ts';

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
  .refine((given) => Object.keys(given).length > 0, 'names no operator');
const condition = z.union([scalar, operators]);

type Scalar = z.infer<typeof scalar>;

/** Property names with a value, which the property equals or holds as a list item, or with operators that must all hold. */
const whereArgument = z
  // Checked below and not by its type: the type of a condition would cost each session some hundred tokens.
  .record(z.string().min(1), z.unknown())
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (condition.safeParse(value).success) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is no value and no { eq, ne, gt, gte, lt, lte, contains, exists }',
      });
    }
  })
  .describe('{name: value} or {name: {op: value}}, op eq ne gt gte lt lte contains exists');

/** @param given what `whereArgument` accepted */
function propertyFilters(given: z.infer<typeof whereArgument>): PropertyFilter[] {
  return Object.entries(given).flatMap(([name, value]) => filtersOf(name, condition.parse(value)));
}

function filtersOf(name: string, value: z.infer<typeof condition>): PropertyFilter[] {
  if (typeof value !== 'object' || value === null) return [{ name, operator: 'eq', value }];
  const given = Object.entries(value) as [PropertyFilter['operator'], Scalar | undefined][];
  return given.flatMap(([operator, wanted]) => (wanted === undefined ? [] : [{ name, operator, value: wanted }]));
}

export const folderArgument = z.string().optional();

/** The filter arguments, to spread into a tool's input. */
export const filterShape = {
  folder: folderArgument,
  tags: z
    .array(
      z
        .string()
        .trim()
        .regex(/^#?[^#]/, 'is no tag'),
    )
    .min(1)
    .max(20)
    .optional(),
  tag_mode: z.enum(['any', 'all']).default('any'),
  where: whereArgument.optional(),
  since: z.string().optional().describe('note date: 2026-11, last week, 7d'),
  until: z.string().optional(),
};

/** The same where every word has to earn its place: how they are written stands at the tools that are always listed beside. */
export const briefFilterShape = {
  ...filterShape,
  where: whereArgument.meta({ description: undefined }).optional(),
  since: z.string().optional(),
};

/** The few that narrow what a topic finds. */
export const narrowingShape = {
  folder: folderArgument,
  tags: z.array(z.string()).optional(),
  since: z.string().optional(),
  until: z.string().optional(),
};

const filterArguments = z.object(filterShape);
type FilterArguments = z.infer<typeof filterArguments>;

/**
 * @param now what `today`, `last week` and `7d` are counted from
 * @throws INVALID_QUERY for a date without reading, PATH_NOT_ALLOWED for a folder outside the vault
 */
export function noteFilter(given: FilterArguments, now = new Date()): NoteFilter {
  const folder = folderOf(given.folder);
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(given.tags === undefined ? {} : { tags: given.tags.map(tagOf), tagMode: given.tag_mode }),
    ...(given.where === undefined ? {} : { where: propertyFilters(given.where) }),
    ...(given.since === undefined ? {} : { sinceMs: parseMoment(given.since, 'since', now) }),
    ...(given.until === undefined ? {} : { untilMs: parseMoment(given.until, 'until', now) }),
  };
}

/** With its `#`, without closing slashes. */
function tagOf(written: string): string {
  return `#${written.replace(/^#/, '').replace(/\/+$/, '')}`;
}

/** Warns of each folder, tag and property in the filter that no note has: an empty answer may come from that alone. */
export async function warnOfEmptyFilters(filter: NoteFilter, store: Store, call: CallContext): Promise<void> {
  for (const [name, part] of partsOf(filter)) {
    const { total } = await store.listNotes(part, 'name', 'asc', { limit: 1, offset: 0 }, call.signal);
    if (total === 0) call.warn({ code: 'FILTER_MATCHES_NOTHING', message: `no note has the ${name}` });
  }
}

function partsOf({ folder, tags = [], where = [] }: NoteFilter): [string, NoteFilter][] {
  const names = new Set(where.filter(({ operator }) => operator !== 'exists').map(({ name }) => name));
  return [
    ...(folder === undefined ? [] : [[`folder ${JSON.stringify(folder)}`, { folder }] as [string, NoteFilter]]),
    ...tags.map((tag): [string, NoteFilter] => [`tag ${tag}`, { tags: [tag] }]),
    ...[...names].map((name): [string, NoteFilter] => [
      `property ${JSON.stringify(name)}`,
      { where: [{ name, operator: 'exists', value: true }] },
    ]),
  ];
}

/** What an answer adds to a note. */
interface Dated {
  readonly date: string;
  readonly dated_by: NoteSummary['datedBy'];
}

/** By path; empty where no date was asked for: then nobody needs to know. */
export async function datesOf(
  paths: readonly NotePath[],
  filter: NoteFilter,
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<NotePath, Dated>> {
  if (!asksForDates(filter)) return new Map();
  const notes = await store.notes(paths, signal);
  return new Map(notes.map((note) => [note.path, datedAs(note)]));
}

export function asksForDates({ sinceMs, untilMs }: NoteFilter): boolean {
  return sinceMs !== undefined || untilMs !== undefined;
}

export function datedAs({ date, datedBy }: NoteSummary): Dated {
  return { date, dated_by: datedBy };
}

/**
 * Vault-relative, NFC, without slashes at its ends; undefined for the whole vault (`.`, `/` or nothing).
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
  if (folder.includes('\0')) return 'it holds a NUL character';
  if (folder.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:/i.test(folder)) return 'it names a drive';
  const segments = folder.split(/[/\\]/);
  if (segments.includes('..')) return 'it leads out of the vault';
  if (segments.some((segment) => segment.startsWith('.'))) return 'it is hidden';
  return undefined;
}
