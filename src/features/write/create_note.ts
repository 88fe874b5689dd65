// Makes a note where none is.
import * as z from 'zod';
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { type NotePath, noteName, type Properties } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { editProperties } from '../../markdown/edit/properties.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readContent } from '../notes/note-content.ts';
import { locateNote, REFERENCE_FAILURES } from '../notes/note-reference.ts';
import { type DailyNote, dailyNote, isFault, namesDay, type TemplateSettings, templateSettings } from './daily-note.ts';
import { newPathOf } from './editable-note.ts';
import { formatMoment } from './moment-format.ts';
import { planShape, runWrite, type WriteTool } from './run-write.ts';

const input = z.strictObject({
  path: z.string().optional().describe('or @today, @2026-11-20'),
  content: z.string().optional(),
  template: z
    .union([z.boolean(), z.string().min(1)])
    .optional()
    .describe("true: the day's own; content follows it"),
  properties: z.record(z.string(), z.unknown()).optional(),
  ...planShape,
});
/** `at` is when a plan was made: what it says of days and times stays true to that. */
type Given = z.infer<typeof input> & { readonly at?: string };

const creating: WriteTool<Given> = {
  name: 'create_note',
  accepted: Object.keys(input.shape),
  needed: ['path'],
  plan: async (given, granted, call) => {
    const now = given.at === undefined ? new Date() : new Date(given.at);
    const note = await newNote(given.path ?? '', granted, call.signal, now);
    const { path } = note;
    const content = await contentOf(given, note, granted, call, now);
    const { properties } = given;
    const text = properties === undefined ? content : await withProperties(path, content, properties as Properties);
    const bytes = Buffer.from(text);
    return {
      files: [{ operation: { kind: 'create', path, bytes }, after: text }],
      ...{ path, etag: contentHash(bytes), needsConsent: false, affected: [] },
      given: { at: now.toISOString() },
    };
  },
};

/** The template first, where one is asked for. */
async function contentOf(
  { content, template }: Given,
  note: NewNote,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
  now: Date,
): Promise<string> {
  const refuse = (path: string, rule: string) => inputRefusal(creating.name, creating.accepted, { path, rule });
  if (template === undefined || template === false) {
    if (content === undefined) throw refuse('content', 'is needed, unless plan_id names a plan or template a note');
    return content;
  }
  const begun = await templateText(template, note, granted, call, now, (rule) => refuse('template', rule));
  return `${begun}${content ?? ''}`;
}

/** @throws PROPERTIES_INVALID; INVALID_INPUT in the words of this tool's arguments */
async function withProperties(path: string, content: string, set: Properties): Promise<string> {
  const [outcome] = await Promise.allSettled([
    new Promise<string>((resolve) => resolve(editProperties(path, content, { set }).text)),
  ]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const error = toVaultgraphError(outcome.reason);
  if (error.code !== 'INVALID_INPUT') throw error;
  const { issues } = (error as VaultgraphError<'INVALID_INPUT'>).details;
  const own = issues.map((issue) => ({ ...issue, path: issue.path.replace(/^set/, 'properties') }));
  throw inputRefusal(creating.name, creating.accepted, ...own);
}

export const createNote = defineTool({
  name: 'create_note',
  summary: 'Create a note; refuses where one exists.',
  effect: 'writes',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'none',
  fails: [
    ...REFERENCE_FAILURES,
    'INVALID_INPUT',
    'LIMIT_EXCEEDED',
    'FILE_UNREADABLE',
    'NOTE_EXISTS',
    'PROPERTIES_INVALID',
    'CHANGE_NOT_FOUND',
  ],
  input,
  run: (given, granted, call) => runWrite(creating, given, granted, call),
});

interface NewNote {
  readonly path: NotePath;
  /** Of a path that names a day. */
  readonly daily?: DailyNote;
}

type Sources = Granted<'store' | 'vault'>;
/** Refuses the argument `template`. */
type Refuse = (rule: string) => Error;

/** @throws PATH_NOT_ALLOWED */
async function newNote(written: string, { vault }: Sources, signal: AbortSignal, now: Date): Promise<NewNote> {
  if (!namesDay(written)) return { path: newPathOf(written, '.md') };
  const daily = await dailyNote(written, vault, signal, now);
  return { path: daily.path, daily };
}

/**
 * @param template a note reference, or true for the template that the vault's settings name for daily notes
 * @throws what finding and reading the template's note throws, and what `refuse` makes
 */
async function templateText(
  template: string | true,
  { path, daily }: NewNote,
  sources: Sources,
  call: CallContext,
  now: Date,
  refuse: Refuse,
): Promise<string> {
  const named = template === true ? daily?.settings.template : template;
  if (named === undefined) throw refuse("true goes with a path such as @today; give the template's path");
  if (named === '') throw refuse('the settings of the vault name no template for daily notes; give its path');
  const formats = await templateSettings(sources.vault, call.signal);
  if (isFault(formats)) throw refuse(formats.fault);
  const found = await locateNote(named, 'template', sources, call);
  const { text } = await readContent(found.path, sources.vault, call.signal);
  const filled = fillTemplate(text, { title: noteName(path), date: daily?.date ?? now, formats });
  if ('unknown' in filled)
    throw refuse(`${found.path} has the format letter \`${filled.unknown}\`, which is not known here`);
  return filled.text;
}

interface Filling {
  readonly title: string;
  readonly date: Date;
  readonly formats: TemplateSettings;
}

const VARIABLES = /\{\{\s*(date|time|title)\s*(?::([^}\r\n]*))?\}\}/gi;

/** Other text between braces stays: it may be another plugin's. `unknown` is a letter of a format that is not known here. */
function fillTemplate(
  text: string,
  { title, date, formats }: Filling,
): { readonly text: string } | { readonly unknown: string } {
  let unknown: string | undefined;
  const filled = text.replace(VARIABLES, (_, name: string, given: string | undefined) => {
    if (name.toLowerCase() === 'title') return title;
    const usual = name.toLowerCase() === 'date' ? formats.dateFormat : formats.timeFormat;
    const written = formatMoment(date, given === undefined || given.trim() === '' ? usual : given.trim());
    if ('text' in written) return written.text;
    unknown ??= written.unknown;
    return '';
  });
  return unknown === undefined ? { text: filled } : { unknown };
}
