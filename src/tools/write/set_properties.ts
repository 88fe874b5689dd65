// Sets and removes properties, tags and aliases of one note or of several in one change.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type Properties, type PropertyChanges } from '../../base/note.ts';
import { type Outcome, outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { writeRefusal } from '../view/outside-view.ts';
import {
  type ChosenNotes,
  choiceShape,
  chosenNotes,
  forEachNote,
  type ReadNote,
  refuseSeveralWays,
} from './chosen-notes.ts';
import { editableNote, NOTE_FAILURES, notAnEditableNote } from './editable-note.ts';
import { propertiesArgument } from './properties-argument.ts';
import { consentShape, defineWriteTool, planShape, type Refuse, type WriteSources } from './run-write.ts';
import { replacement, type WritePlan } from './write-plan.ts';

const names = (what: string) => z.array(z.string()).optional().describe(what);
const changes = {
  set: propertiesArgument.optional().describe('new values; or {name: value}'),
  remove: names('property names'),
  add_tags: names('area/sub'),
  remove_tags: names('area/sub'),
  add_aliases: names('other names'),
  remove_aliases: names('other names'),
};
const CHANGES = Object.keys(changes) as (keyof typeof changes)[];

const input = z.strictObject({
  note: z.string().optional().describe('path or name'),
  ...choiceShape,
  ...changes,
  ...consentShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

export const setProperties = defineWriteTool<Args>({
  name: 'set_properties',
  title: 'Set properties',
  summary:
    'Changes properties (front matter), tags and aliases of notes: one of note, notes, filter is required. remove and several notes need if_match, plan_id or confirm. Returns path, etag, diff and change_id.',
  others: { rename_tag: 'a tag everywhere' },
  example: { filter: { folder: 'Log' }, set: [{ property: 'status', value: 'done' }] },
  words: 'front matter, metadata, status, add tag',
  effect: 'destroys',
  references: ['note', 'notes'],
  fails: [
    ...NOTE_FAILURES,
    ...([
      'FILE_UNREADABLE',
      'PROPERTIES_INVALID',
      'CONFIRMATION_REQUIRED',
      'INVALID_QUERY',
      'INDEX_JOB_FAILED',
    ] as const),
  ],
  input,
  required: [],
  plan: async (args, granted, call) => {
    refuseUnclear(args, call.refuse);
    const changes = changesOf(args);
    const removes = args.remove !== undefined && args.remove.length > 0;
    if (args.note === undefined) {
      const chosen = await chosenNotes(args, granted, call);
      return propertyBatch(chosen, changes, removes, granted, call);
    }
    const note = await editableNote(args, granted, call);
    const request = { path: note.path, text: note.text, changes };
    const { text, notices } = await call.compute.run(jobs.all_properties, request, call.signal);
    const facts = notices.length === 0 ? {} : { facts: { notices } };
    return replacement(note, text, { needsConsent: removes, ...facts });
  },
});

/** @throws INVALID_INPUT unless the arguments say which notes to change, and how */
function refuseUnclear(args: Args, refuse: Refuse): void {
  if (CHANGES.every((name) => args[name] === undefined))
    throw refuse('', `no change is given: pass one of ${CHANGES.join(', ')}`);
  refuseSeveralWays(args, refuse);
}

function changesOf(args: Args): PropertyChanges {
  return {
    set: args.set as Properties | undefined,
    remove: args.remove,
    addTags: args.add_tags,
    removeTags: args.remove_tags,
    addAliases: args.add_aliases,
    removeAliases: args.remove_aliases,
  };
}

interface ChangedProperties {
  readonly path: string;
  readonly etag?: string;
  readonly unchanged?: true;
  readonly notices?: readonly string[];
}

/** A note that cannot be changed is left as it is, and listed with its error. @throws VAULT_UNAVAILABLE */
async function propertyBatch(
  chosen: ChosenNotes,
  changes: PropertyChanges,
  removes: boolean,
  { vault }: WriteSources,
  call: CallContext,
): Promise<WritePlan> {
  const outcomes = new Map<string, Outcome<Awaited<ReturnType<typeof changed>>>>();
  const paths = chosen.succeeded.map(({ result }) => result);
  const unread = await forEachNote(paths, vault, call, async (note) => {
    const outcome = await outcomeOf(changed(note, changes, vault, call));
    if ('error' in outcome && !isOfNote(outcome.error)) throw outcome.error;
    outcomes.set(note.path, outcome);
  });
  for (const { id, error } of unread) outcomes.set(id, { error });
  const files = [...outcomes.values()].flatMap((outcome) => ('value' in outcome ? outcome.value.files : []));
  const rows = chosen.succeeded.map(({ id, result }) => ({ id, ...outcomes.get(result) }));
  const succeeded = rows.flatMap((row) => ('value' in row ? [{ id: row.id, result: row.value.result }] : []));
  const failed = rows.flatMap((row) => ('error' in row ? [{ id: row.id, error: row.error }] : []));
  return {
    files,
    needsConsent: removes || files.length > 1,
    affected: files.map(({ result }) => result.path),
    facts: { succeeded, failed: [...chosen.failed, ...failed], ...(chosen.period && { period: chosen.period }) },
  };
}

const CODES_OF_A_NOTE: readonly string[] = [
  'PROPERTIES_INVALID',
  'INVALID_INPUT',
  'PATH_NOT_ALLOWED',
  'FILE_UNREADABLE',
];

function isOfNote({ code }: VaultgraphError): boolean {
  return CODES_OF_A_NOTE.includes(code);
}

async function changed(note: ReadNote, changes: PropertyChanges, vault: WriteSources['vault'], call: CallContext) {
  const { path, text, isText } = note;
  const refused = writeRefusal(path, vault);
  if (refused !== undefined) throw refused;
  if (fileKindOf(path) !== 'note') throw notAnEditableNote(path);
  if (!isText) throw new VaultgraphError('FILE_UNREADABLE', { path, errno: 'EILSEQ' }, { retry: 'U' });
  const after = await call.compute.run(jobs.all_properties, { path, text, changes }, call.signal);
  const { files, etag } = await replacement(note, after.text, { needsConsent: true });
  const result: ChangedProperties = {
    path,
    ...(etag === undefined ? {} : { etag }),
    ...(files.length === 0 ? { unchanged: true } : {}),
    ...(after.notices.length === 0 ? {} : { notices: after.notices }),
  };
  return { files, result };
}
