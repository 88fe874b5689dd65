// Sets and removes properties of one note, its tags and aliases too.
import * as z from 'zod';
import type { Properties } from '../../base/note.ts';
import { defineTool } from '../../contracts/tool.ts';
import { editProperties } from '../../markdown/edit/properties.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { consentShape, planShape, runWrite, type WriteTool } from './run-write.ts';
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
const input = z.strictObject({ note: z.string().optional(), ...changes, ...consentShape, ...planShape });
type Given = z.infer<typeof input>;

const setting: WriteTool<Given> = {
  name: 'set_properties',
  accepted: Object.keys(input.shape),
  needed: ['note'],
  plan: async ({ note: reference = '', if_match, remove, ...given }, granted, call) => {
    refuseNothing({ remove, ...given });
    const asked = { tool: setting.name, accepted: setting.accepted, note: reference, if_match };
    const note = await editableNote(asked, granted, call);
    const { text, notices } = editProperties(note.path, note.text, {
      ...{ set: given.set as Properties | undefined, remove },
      ...{ addTags: given.add_tags, removeTags: given.remove_tags },
      ...{ addAliases: given.add_aliases, removeAliases: given.remove_aliases },
    });
    return replacement(note, text, {
      needsConsent: remove !== undefined && remove.length > 0,
      ...(notices.length === 0 ? {} : { facts: { notices } }),
    });
  },
};

function refuseNothing(given: Partial<Given>): void {
  const asked = Object.keys(changes) as (keyof typeof changes)[];
  if (asked.some((name) => given[name] !== undefined)) return;
  throw inputRefusal(setting.name, setting.accepted, {
    path: '',
    rule: `names no change: give one of ${asked.join(', ')}`,
  });
}

export const setProperties = defineTool({
  name: 'set_properties',
  summary:
    'Set or remove properties, tags and aliases of a note; the rest stays letter by letter. `remove` needs consent.',
  effect: 'destroys',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'none',
  fails: [...NOTE_FAILURES, 'FILE_UNREADABLE', 'PROPERTIES_INVALID', 'CONFIRMATION_REQUIRED'],
  input,
  run: (given, granted, call) => runWrite(setting, given, granted, call),
});
