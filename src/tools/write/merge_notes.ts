// Appends notes to another one, updates all links to them, and moves them to the trash.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { type NotePath, noteName, type Properties } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { LinkToPart } from '../../markdown/links/follow-links.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { readFrontMatter } from '../../markdown/properties/front-matter.ts';
import { type LeftValue, mergeProperties, type NoteProperties } from '../../markdown/properties/merged-properties.ts';
import {
  type AbsorbedLinks,
  absorbedFacts,
  absorbedLinks,
  followParts,
  linkingFiles,
  linksToParts,
} from './absorbed-links.ts';
import { editableNote, NOTE_FAILURES } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import {
  confirmShape,
  defineWriteTool,
  planShape,
  refusedAs,
  refusingAs,
  type WriteCall,
  type WriteSources,
} from './run-write.ts';
import { type EditableNote, firstRows, plannedFile, replacement } from './write-plan.ts';

const input = z.strictObject({
  notes: z.array(z.string()).min(1).optional().describe('required without plan_id, in this order'),
  into: z.string().optional().describe('required without plan_id: note that stays'),
  ...confirmShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

export const mergeNotes = defineWriteTool<Args>({
  name: 'merge_notes',
  title: 'Merge notes',
  summary:
    'Appends notes to another under headings with their titles, unites properties, updates links and trashes them. Needs plan_id or confirm. Returns path, etag and change_id.',
  words: 'combine, join',
  effect: 'destroys',
  references: ['notes', 'into'],
  index: 'whole',
  fails: [
    ...NOTE_FAILURES,
    ...(['FILE_UNREADABLE', 'PROPERTIES_INVALID', 'CONFIRMATION_REQUIRED'] as const),
    ...(['LINK_INTEGRITY', 'INDEX_JOB_FAILED'] as const),
  ],
  input,
  required: ['notes', 'into'],
  plan: async (args, granted, call) => {
    await catchUp(granted.indexer, call);
    const { notes, into } = await notesToMerge(args, granted, call);
    const states = await granted.store.fileStates(call.signal);
    const absorbed = await absorbedLinks(notes, into, states, granted, call);
    const links = linksToParts(absorbed);
    const draft = await merged(notes, into, absorbed, links, call);
    const named = new Map(links.map((link, at) => [keyOf(link), draft.subpaths[at]]));
    const broken = await followParts(absorbed, (link) => named.get(keyOf(link))?.subpath, granted, call);
    const { text, renamed, labels } = await merged(notes, into, absorbed, [], call);
    const { text: after, left } = await withProperties(text, notes, into, absorbed, call);
    const own = await replacement(into, after, { needsConsent: true });
    const others = await linkingFiles(absorbed, new Set([into.path, ...notes.map(({ path }) => path)]), granted, call);
    const inexact = links.filter((link) => named.get(keyOf(link))?.inexact);
    return {
      files: [...own.files, ...others, ...notes.map(trashed)],
      ...(own.etag === undefined ? {} : { etag: own.etag }),
      path: into.path,
      needsConsent: true,
      moves: mergedInto(into, notes),
      affected: [...notes.map(({ path }) => `${path} → ${into.path}`), ...others.map(({ result }) => result.path)],
      facts: {
        merged: notes.map(({ path }) => path),
        ...(left.length === 0 ? {} : { values_left: firstRows(left, 'values', call) }),
        ...(renamed.length === 0 ? {} : { blocks_renamed: firstRows(renamed, 'block ids', call) }),
        ...(labels.length === 0 ? {} : { labels_renamed: firstRows(labels, 'labels', call) }),
        ...(inexact.length === 0
          ? {}
          : { lead_to_section: inexact.map(({ target, subpath }) => `${target}${subpath}`) }),
        ...absorbedFacts(absorbed, broken, call),
      },
    };
  },
});

function keyOf({ target, subpath }: LinkToPart): string {
  return `${target}\0${subpath}`;
}

/** No folder moves. */
function mergedInto(into: EditableNote, notes: readonly EditableNote[]) {
  return { paths: new Map(notes.map(({ path }) => [path, into.path])), from: into.path };
}

function trashed({ path, text, etag }: EditableNote) {
  return plannedFile({ kind: 'trash', path, before: etag }, { before: text, after: '' });
}

/** @throws NOTE_FAILURES, FILE_UNREADABLE */
async function notesToMerge(
  { notes: references = [], into: target = '' }: Args,
  granted: WriteSources,
  call: WriteCall,
) {
  const into = await editableNote({ note: target }, granted, refusingAs('into', call));
  const notes = new Map<NotePath, EditableNote>();
  for (const note of references) {
    const editable = await editableNote({ note }, granted, refusingAs('notes', call));
    if (editable.path === into.path) throw call.refuse('notes', `names ${into.path}, which is \`into\``);
    notes.set(editable.path, editable);
  }
  return { notes: [...notes.values()], into };
}

/** @throws INVALID_INPUT for a note whose text would not stay as it is */
async function merged(
  notes: readonly EditableNote[],
  into: EditableNote,
  { texts }: AbsorbedLinks,
  subpaths: readonly LinkToPart[],
  call: WriteCall,
) {
  const sources = notes.map(({ path, text }) => ({ path, title: noteName(path), text: texts.get(path) ?? text }));
  const request = { path: into.path, text: texts.get(into.path) ?? into.text, sources, subpaths };
  const outcome = await outcomeOf(call.compute.run(jobs.merge, request, call.signal));
  if (!('value' in outcome)) throw refusedAs(outcome.error, 'notes', call.refuse);
  if ('fault' in outcome.value)
    throw call.refuse('notes', `${outcome.value.fault.path}: ${outcome.value.fault.reason}`);
  return outcome.value;
}

/** @throws PROPERTIES_INVALID, INVALID_INPUT */
async function withProperties(
  text: string,
  notes: readonly EditableNote[],
  into: EditableNote,
  { texts }: AbsorbedLinks,
  call: WriteCall,
): Promise<{ readonly text: string; readonly left: readonly LeftValue[] }> {
  const properties = propertiesOf(into.path, text);
  const others = notes.map(({ path, text: before }) => propertiesOf(path, texts.get(path) ?? before));
  const { set, left } = mergeProperties(properties.properties, others);
  const request = { path: into.path, text, changes: { set } };
  const outcome = await outcomeOf(call.compute.run(jobs.properties, request, call.signal));
  if (!('value' in outcome)) throw refusedAs(outcome.error, 'into', call.refuse);
  return { text: outcome.value.text, left };
}

/** @throws PROPERTIES_INVALID */
function propertiesOf(path: string, text: string): NoteProperties & { readonly properties: Properties } {
  const { properties, fault } = readFrontMatter(text, splitLines(text));
  if (fault !== undefined) throw new VaultgraphError('PROPERTIES_INVALID', { path, ...fault });
  return { path, properties };
}
