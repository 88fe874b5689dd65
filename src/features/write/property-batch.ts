// Plans the same change of properties for several notes: one change, and a result for each note.
import { VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type PropertyChanges } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { writeRefusal } from '../view/outside-view.ts';
import type { ChosenNotes } from './chosen-notes.ts';
import { notAnEditableNote } from './editable-note.ts';
import type { WriteSources } from './run-write.ts';
import { forEachNote, type ReadNote } from './several-notes.ts';
import { type PlannedFile, replacement, type WritePlan } from './write-plan.ts';

interface ChangedProperties {
  readonly path: string;
  readonly etag?: string;
  readonly unchanged?: true;
  readonly notices?: readonly string[];
}

/** A note that cannot be changed is left as it is, and listed with its error. @throws VAULT_UNAVAILABLE */
export async function propertyBatch(
  chosen: ChosenNotes,
  changes: PropertyChanges,
  removes: boolean,
  { vault }: WriteSources,
  call: CallContext,
): Promise<WritePlan> {
  const files: PlannedFile[] = [];
  const results = new Map<string, ChangedProperties>();
  const errors = new Map<string, VaultgraphError>();
  const paths = chosen.succeeded.map(({ result }) => result);
  const unread = await forEachNote(paths, vault, call, async (note) => {
    const outcome = await outcomeOf(changed(note, changes, vault, call));
    if ('value' in outcome) {
      files.push(...outcome.value.files);
      results.set(note.path, outcome.value.result);
    } else if (isOfNote(outcome.error)) errors.set(note.path, outcome.error);
    else throw outcome.error;
  });
  for (const { id, error } of unread) errors.set(id, error);
  const rows = chosen.succeeded.map(({ id, result }) => ({
    id,
    result: results.get(result),
    error: errors.get(result),
  }));
  const succeeded = rows.flatMap(({ id, result }) => (result === undefined ? [] : [{ id, result }]));
  const failed = rows.flatMap(({ id, error }) => (error === undefined ? [] : [{ id, error }]));
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
  const after = await call.compute.run(jobs.properties, { path, text, changes }, call.signal);
  const { files, etag } = replacement(note, after.text, { needsConsent: true });
  const result: ChangedProperties = {
    path,
    ...(etag === undefined ? {} : { etag }),
    ...(files.length === 0 ? { unchanged: true } : {}),
    ...(after.notices.length === 0 ? {} : { notices: after.notices }),
  };
  return { files, result };
}
