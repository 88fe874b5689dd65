// Moves a note to the vault's trash, and tells which links then lead nowhere.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { resolveWritten } from '../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { EVERY_LINK } from '../notes/note-view.ts';
import { NOTE_FAILURES, writableNote } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import { consentShape, planShape, runWrite, type WriteSources, type WriteTool } from './run-write.ts';
import { firstRows } from './write-plan.ts';

const input = z.strictObject({ note: z.string().optional(), ...consentShape, ...planShape });
type Given = z.infer<typeof input>;

const deleting: WriteTool<Given> = {
  name: 'delete_note',
  accepted: Object.keys(input.shape),
  needed: ['note'],
  plan: async ({ note: reference = '', if_match }, granted, call) => {
    await catchUp(granted.indexer, call);
    const asked = { tool: deleting.name, accepted: deleting.accepted, note: reference, if_match };
    const { path, text: before, etag: was, isText } = await writableNote(asked, granted, call);
    const { dangling, elsewhere } = await linksWithout(path, granted, call);
    const links = dangling.length === 1 ? '1 link' : `${dangling.length} links`;
    return {
      files: [{ operation: { kind: 'trash', path, before: was }, ...(isText ? { before, after: '' } : {}) }],
      ...{ path, was, needsConsent: true },
      affected: [dangling.length === 0 ? path : `${path} (${links} to it would lead nowhere)`],
      facts: {
        dangling: firstRows(dangling, 'dangling links', call),
        ...(elsewhere.length === 0 ? {} : { leading_elsewhere: firstRows(elsewhere, 'links to another note', call) }),
      },
    };
  },
};

/** What becomes of the links to a note once it is gone: nothing has that name any more, or another file has. */
async function linksWithout(path: NotePath, { store }: WriteSources, { signal }: CallContext) {
  const states = await store.fileStates(signal);
  const left = candidatesByName(states.map((state) => state.path).filter((each) => each !== path));
  const links = await store.links(path, 'in', EVERY_LINK, signal);
  const rows = links.filter(({ source }) => source !== path).map((link) => ({ link, to: leads(link, left) }));
  const view = ({ source, line, link }: ResolvedLink) => ({ path: source, line, link });
  return {
    dangling: rows.filter(({ to }) => to === null).map(({ link }) => view(link)),
    elsewhere: rows.flatMap(({ link, to }) => (to === null ? [] : [{ ...view(link), to }])),
  };
}

function leads(link: ResolvedLink, candidates: ReturnType<typeof candidatesByName>): NotePath | null {
  return resolveWritten(link, link.source, candidates).path;
}

export const deleteNote = defineTool({
  name: 'delete_note',
  summary:
    'Move a note to the trash of the vault; tells which links then dangle. Needs if_match, a plan_id or confirm.',
  effect: 'destroys',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'whole',
  fails: [...NOTE_FAILURES, 'CONFIRMATION_REQUIRED', 'INDEX_JOB_FAILED'],
  input,
  run: (given, granted, call) => runWrite(deleting, given, granted, call),
});
