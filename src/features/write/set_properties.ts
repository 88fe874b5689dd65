// Sets and removes properties, tags and aliases of one note.
import * as z from 'zod';
import type { Properties } from '../../base/note.ts';
import { editProperties } from '../../markdown/edit/properties.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { consentShape, defineWriteTool, planShape } from './run-write.ts';
import { replacement } from './write-plan.ts';

const names = z.array(z.string()).optional();
const changes = {
  set: z.record(z.string(), z.unknown()).optional(),
  remove: names,
  add_tags: names,
  remove_tags: names,
  add_aliases: names,
  remove_aliases: names,
};
const CHANGES = Object.keys(changes) as (keyof typeof changes)[];

export const setProperties = defineWriteTool({
  name: 'set_properties',
  summary:
    'Set or remove properties, tags and aliases of a note; the rest is unchanged. `remove` requires if_match, plan_id or confirm.',
  effect: 'destroys',
  fails: [...NOTE_FAILURES, 'FILE_UNREADABLE', 'PROPERTIES_INVALID', 'CONFIRMATION_REQUIRED'],
  input: z.strictObject({ note: z.string().optional(), ...changes, ...consentShape, ...planShape }),
  required: ['note'],
  plan: async (args, granted, call, refuse) => {
    if (CHANGES.every((name) => args[name] === undefined))
      throw refuse('', `no change is given: pass one of ${CHANGES.join(', ')}`);
    const note = await editableNote(args, granted, call, refuse);
    const { text, notices } = editProperties(note.path, note.text, {
      ...{ set: args.set as Properties | undefined, remove: args.remove },
      ...{ addTags: args.add_tags, removeTags: args.remove_tags },
      ...{ addAliases: args.add_aliases, removeAliases: args.remove_aliases },
    });
    return replacement(note, text, {
      needsConsent: args.remove !== undefined && args.remove.length > 0,
      ...(notices.length === 0 ? {} : { facts: { notices } }),
    });
  },
});
