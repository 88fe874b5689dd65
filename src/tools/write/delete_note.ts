// Moves a note to the vault's trash and lists the links that break, or lets them lead to another note.
import * as z from 'zod';
import { plural } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { resolveWritten } from '../../markdown/links/link-changes.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { resolveSubpath } from '../../markdown/links/section.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import { outlineOfContent } from '../notes/note-content.ts';
import { everyLink } from '../notes/note-view.ts';
import { absorbedFacts, absorbedLinks, followParts, linkingFiles } from './absorbed-links.ts';
import { editableNote, NOTE_FAILURES, writableNote } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import {
  consentShape,
  defineWriteTool,
  planShape,
  refusedAs,
  refusingAs,
  type WriteCall,
  type WriteSources,
} from './run-write.ts';
import {
  type EditableNote,
  firstRows,
  type PlannedFile,
  plannedFile,
  replacement,
  type WritePlan,
} from './write-plan.ts';

export const deleteNote = defineWriteTool({
  name: 'delete_note',
  title: 'Delete note',
  summary:
    'Moves a note to the trash. Needs if_match, plan_id or confirm. Returns its place there, the links that break and change_id.',
  words: 'remove, trash',
  effect: 'destroys',
  references: ['note', 'redirect_to'],
  index: 'whole',
  fails: [
    ...NOTE_FAILURES,
    ...(['FILE_UNREADABLE', 'PROPERTIES_INVALID', 'CONFIRMATION_REQUIRED'] as const),
    ...(['LINK_INTEGRITY', 'INDEX_JOB_FAILED'] as const),
  ],
  input: z.strictObject({
    note: z.string().optional().describe('required without plan_id'),
    redirect_to: z.string().optional().describe('note that gets its links and aliases'),
    ...consentShape,
    ...planShape,
  }),
  required: ['note'],
  plan: async ({ redirect_to, ...args }, granted, call) => {
    await catchUp(granted.indexer, call);
    if (redirect_to !== undefined) {
      const note = await editableNote(args, granted, call);
      return redirection(note, redirect_to, granted, call);
    }
    const { path, text: before, etag, isText } = await writableNote(args, granted, call);
    const { dangling, elsewhere } = await linksWithout(path, granted, call);
    return {
      files: [trashed({ path, etag }, isText ? before : undefined)],
      path,
      etagBefore: etag,
      needsConsent: true,
      affected: [dangling.length === 0 ? path : `${path} (${plural(dangling.length, 'link')} to it would break)`],
      facts: {
        dangling: firstRows(dangling, 'broken links', call),
        ...(elsewhere.length === 0 ? {} : { leading_elsewhere: firstRows(elsewhere, 'links to another note', call) }),
      },
    };
  },
});

function trashed({ path, etag }: Pick<EditableNote, 'path' | 'etag'>, before: string | undefined): PlannedFile {
  return plannedFile({ kind: 'trash', path, before: etag }, before === undefined ? {} : { before, after: '' });
}

/** Links to a part that the other note does not have lead to the whole note. @throws NOTE_FAILURES, PROPERTIES_INVALID */
async function redirection(
  note: EditableNote,
  reference: string,
  granted: WriteSources,
  call: WriteCall,
): Promise<WritePlan> {
  const into = await editableNote({ note: reference }, granted, refusingAs('redirect_to', call));
  if (into.path === note.path) throw call.refuse('redirect_to', 'names the note itself');
  const states = await granted.store.fileStates(call.signal);
  const absorbed = await absorbedLinks([note], into, states, granted, call);
  const outline = await outlineOfContent(into.path, into.text, ['headings', 'blocks'], call);
  const lineCount = lineCountOf(into.text);
  const newSubpath = ({ subpath }: { subpath: string }): string | undefined =>
    subpath !== '' && resolveSubpath(subpath, outline, lineCount) === null ? '' : undefined;
  const broken = await followParts(absorbed, newSubpath, granted, call);
  const { aliases } = await outlineOfContent(note.path, note.text, ['aliases'], call);
  const changes = {
    path: into.path,
    text: absorbed.texts.get(into.path) ?? into.text,
    changes: { addAliases: aliases },
  };
  const outcome = await outcomeOf(call.compute.run(jobs.properties, changes, call.signal));
  if (!('value' in outcome)) throw refusedAs(outcome.error, 'redirect_to', call.refuse);
  const { files: own } = await replacement(into, outcome.value.text, { needsConsent: true });
  const others = await linkingFiles(absorbed, new Set([note.path, into.path]), granted, call);
  return {
    files: [trashed(note, note.text), ...own, ...others],
    path: note.path,
    etagBefore: note.etag,
    needsConsent: true,
    moves: { paths: new Map([[note.path, into.path]]), from: note.path },
    affected: [note.path, ...[...own, ...others].map(({ result }) => result.path)],
    facts: { redirected_to: into.path, ...absorbedFacts(absorbed, broken, call) },
  };
}

type LinkPlace = Pick<ResolvedLink, 'line' | 'link'> & { readonly path: NotePath };

/** Where the links to a note lead once it is deleted: to no note, or to another one of that name. */
async function linksWithout(path: NotePath, { store }: WriteSources, { signal }: CallContext) {
  const states = await store.fileStates(signal);
  const left = candidatesByName(states.map((state) => state.path).filter((each) => each !== path));
  const dangling: LinkPlace[] = [];
  const elsewhere: (LinkPlace & { readonly to: NotePath })[] = [];
  for (const link of await everyLink(path, 'in', store, signal)) {
    if (link.source === path) continue;
    const to = resolveWritten(link, link.source, left).path;
    const place = { path: link.source, line: link.line, link: link.link };
    if (to === null) dangling.push(place);
    else elsewhere.push({ ...place, to });
    await letOthersRun(signal);
  }
  return { dangling, elsewhere };
}
