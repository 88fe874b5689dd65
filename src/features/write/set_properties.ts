// Sets and removes properties, tags and aliases of one note or of several in one change.
import * as z from 'zod';
import type { Properties, PropertyChanges } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import { choiceShape, chosenNotes, refuseSeveralWays } from './chosen-notes.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { propertiesArgument } from './properties-argument.ts';
import { propertyBatch } from './property-batch.ts';
import { consentShape, defineWriteTool, planShape, type Refuse } from './run-write.ts';
import { replacement } from './write-plan.ts';

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
  example: { filter: { folder: 'Log' }, set: [{ property: 'status', value: 'done' }], dry_run: true },
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
  plan: async (args, granted, call, refuse) => {
    refuseUnclear(args, refuse);
    const wanted = changesOf(args);
    const removes = args.remove !== undefined && args.remove.length > 0;
    if (args.note === undefined) {
      const chosen = await chosenNotes(args, granted, call, refuse);
      return propertyBatch(chosen, wanted, removes, granted, call);
    }
    const note = await editableNote(args, granted, call, refuse);
    const given = { path: note.path, text: note.text, changes: wanted };
    const { text, notices } = await call.compute.run(jobs.properties, given, call.signal);
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
    ...{ set: args.set as Properties | undefined, remove: args.remove },
    ...{ addTags: args.add_tags, removeTags: args.remove_tags },
    ...{ addAliases: args.add_aliases, removeAliases: args.remove_aliases },
  };
}
