// Creates a note, from a template if one is requested.
import * as z from 'zod';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type Properties } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { listedAs } from '../../contracts/tool.ts';
import { dominantLineEnd } from '../../markdown/edit/edited-note.ts';
import { editProperties } from '../../markdown/properties/edit-properties.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { REFERENCE_FAILURES } from '../notes/note-reference.ts';
import { type FilledTemplate, languageView, type NewNote, newNote, templateText } from './new-note.ts';
import { propertiesArgument } from './properties-argument.ts';
import { confirmShape, defineWriteTool, planShape, type WriteCall } from './run-write.ts';
import { plannedFile } from './write-plan.ts';

const input = z.strictObject({
  path: z.string().optional().describe('required without plan_id; or @today, @2026-11-20'),
  content: z.string().optional().describe('required without template or plan_id'),
  template: z
    .union([z.boolean(), z.string().min(1)])
    .optional()
    .describe('a template note, or true: that of daily notes; content follows it')
    .meta(listedAs(z.string())),
  properties: propertiesArgument.optional().describe('front matter; or {name: value}'),
  ...confirmShape,
  ...planShape,
});

/** `at` is the time of the plan, so that carrying it out fills in the same dates. */
type Args = z.infer<typeof input> & { readonly at?: string };
type Sources = Granted<'store' | 'vault'>;

export const createNote = defineWriteTool<Args>({
  name: 'create_note',
  title: 'Create note',
  summary:
    "Creates a note in the user's vault, also from a template; fails if it exists. Returns path, etag and change_id.",
  others: { edit_note: 'existing notes' },
  example: { path: 'Log/Tide', content: 'Text' },
  words: 'write down, save, take a note, remember',
  effect: 'writes',
  references: ['path', 'template'],
  fails: [
    ...REFERENCE_FAILURES,
    'INVALID_INPUT',
    'LIMIT_EXCEEDED',
    'FILE_UNREADABLE',
    'NOTE_EXISTS',
    'CONFIRMATION_REQUIRED',
    'PROPERTIES_INVALID',
    'CHANGE_NOT_FOUND',
  ],
  input,
  required: ['path'],
  plan: async (args, granted, call) => {
    const now = args.at === undefined ? new Date() : new Date(args.at);
    const note = await newNote(args.path ?? '', granted, call, now);
    const { text: content, ...from } = await contentOf(args, note, granted, call, now);
    const properties = args.properties as Properties | undefined;
    const after = properties === undefined ? content : await withProperties(note.path, content, properties);
    const file = plannedFile({ kind: 'create', path: note.path, bytes: Buffer.from(after) }, { after });
    const facts = languageView(note);
    const plan = { files: [file], ...file.result, ...from, needsConsent: false, affected: [], facts };
    return { ...plan, args: { at: now.toISOString() } };
  },
});

/** The filled template, if one is requested, and the content after it: on its own line, unless the template ends with a blank. */
async function contentOf(
  { content, template }: Args,
  note: NewNote,
  sources: Sources,
  call: WriteCall,
  now: Date,
): Promise<FilledTemplate> {
  if (template !== undefined && template !== false) {
    const filled = await templateOf(template, note, sources, call, now);
    const end = content !== undefined && /\S$/.test(filled.text) ? dominantLineEnd(filled.text) : '';
    return { ...filled, text: `${filled.text}${end}${content ?? ''}` };
  }
  if (content === undefined) throw call.refuse('content', 'is required without template or plan_id');
  return { text: content };
}

/** @throws PROPERTIES_INVALID; INVALID_INPUT that names the arguments of this tool */
async function withProperties(path: string, content: string, set: Properties): Promise<string> {
  const [outcome] = await Promise.allSettled([
    new Promise<string>((resolve) => resolve(editProperties(path, content, { set }).text)),
  ]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const error = toVaultgraphError(outcome.reason);
  if (error.code !== 'INVALID_INPUT') throw error;
  const { issues } = (error as VaultgraphError<'INVALID_INPUT'>).details;
  const ownIssues = issues.map((issue) => ({ ...issue, path: issue.path.replace(/^set/, 'properties') }));
  throw inputRefusal('create_note', Object.keys(input.shape), ...ownIssues);
}

/** @param template a note reference, or true for the daily note template of the vault's settings */
async function templateOf(
  template: string | true,
  note: NewNote,
  sources: Sources,
  call: WriteCall,
  now: Date,
): Promise<FilledTemplate> {
  const reference = template === true ? note.periodic?.settings.template : template;
  if (reference === undefined)
    throw call.refuse('template', 'may be true only for a path such as @today; name the template note instead');
  if (reference === '')
    throw call.refuse(
      'template',
      "is true, but the vault's settings name no daily note template; name the note instead",
    );
  const file = fileKindOf(reference) === 'note' ? reference : `${reference}.md`;
  if (template === true && sources.vault.view?.shows(file.normalize('NFC')) === false)
    throw call.refuse('template', 'is true, but this server may not read the daily note template; name another note');
  return templateText(reference, note, sources, call, now, (rule) => call.refuse('template', rule));
}
