// Moves a note to the vault's trash and lists the links that break.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { resolveWritten } from '../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import { NOTE_FAILURES, writableNote } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import { consentShape, defineWriteTool, planShape, type WriteSources } from './run-write.ts';
import { firstRows, plannedFile } from './write-plan.ts';

export const deleteNote = defineWriteTool({
  name: 'delete_note',
  summary: 'Move a note to the trash; lists links that will break. Requires if_match, plan_id or confirm.',
  effect: 'destroys',
  index: 'whole',
  fails: [...NOTE_FAILURES, 'CONFIRMATION_REQUIRED', 'INDEX_JOB_FAILED'],
  input: z.strictObject({ note: z.string().optional(), ...consentShape, ...planShape }),
  required: ['note'],
  plan: async (args, granted, call, refuse) => {
    await catchUp(granted.indexer, call);
    const { path, text: before, etag, isText } = await writableNote(args, granted, call, refuse);
    const { dangling, elsewhere } = await linksWithout(path, granted, call);
    const links = dangling.length === 1 ? '1 link' : `${dangling.length} links`;
    return {
      files: [plannedFile({ kind: 'trash', path, before: etag }, isText ? { before, after: '' } : {})],
      ...{ path, etagBefore: etag, needsConsent: true },
      affected: [dangling.length === 0 ? path : `${path} (${links} to it would break)`],
      facts: {
        dangling: firstRows(dangling, 'broken links', call),
        ...(elsewhere.length === 0 ? {} : { leading_elsewhere: firstRows(elsewhere, 'links to another note', call) }),
      },
    };
  },
});

/** Where the links to a note lead once it is deleted: to no note, or to another one of that name. */
async function linksWithout(path: NotePath, { store }: WriteSources, { signal }: CallContext) {
  const states = await store.fileStates(signal);
  const left = candidatesByName(states.map((state) => state.path).filter((each) => each !== path));
  const links = await store.links(path, 'in', EVERY_LINK, signal);
  const rows = links
    .filter(({ source }) => source !== path)
    .map((link) => ({ link, to: resolveWritten(link, link.source, left).path }));
  const view = ({ source, line, link }: ResolvedLink) => ({ path: source, line, link });
  return {
    dangling: rows.filter(({ to }) => to === null).map(({ link }) => view(link)),
    elsewhere: rows.flatMap(({ link, to }) => (to === null ? [] : [{ ...view(link), to }])),
  };
}
