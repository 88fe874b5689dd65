// Moves a note, an attachment or a folder, or several notes into a folder, and updates every link to them.
import * as z from 'zod';
import type { BatchResult } from '../../base/batch.ts';
import { plural, VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import type { BrokenLink, LinkingFile } from '../../markdown/links/follow-links.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { folderOf } from '../notes/filters.ts';
import { locateNote } from '../notes/note-reference.ts';
import { writeRefusal } from '../view/outside-view.ts';
import { type Choosing, choiceShape, chosenNotes, refuseSeveralWays } from './chosen-notes.ts';
import { NOTE_FAILURES, newPathOf, plainPath } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import { type MoveRequest, moveRequest } from './moves/move-request.ts';
import { linkFacts, type MovedLinks, movedLinks, warnOfBroken } from './moves/moved-links.ts';
import { sectionMove } from './moves/section-move.ts';
import { consentShape, defineWriteTool, planShape, type WriteCall, type WriteSources } from './run-write.ts';
import { firstRows, type PlannedFile, plannedFile, type WritePlan } from './write-plan.ts';

const input = z.strictObject({
  note: z.string().optional().describe('or attachment, folder/, Note#Heading (section becomes a note)'),
  ...choiceShape,
  to: z
    .string()
    .optional()
    .describe(
      'from the vault root: A/New renames, New moves to the root, A/ moves into A; default for a section: beside its note',
    ),
  allow_broken: z.boolean().optional().describe('even if links break'),
  ...consentShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

const MAX_SAMPLES = 10;

export const moveNote = defineWriteTool<Args>({
  name: 'move_note',
  title: 'Move or rename',
  summary:
    'Moves or renames a note, attachment or folder, or notes into a folder, and updates all links. Several changed files need if_match, plan_id or confirm. Returns the new path, rewritten links and change_id.',
  example: { note: 'Inbox/Tides', to: 'Log/' },
  words: 'rename, archive, folder',
  effect: 'destroys',
  references: ['note', 'notes', 'to'],
  index: 'whole',
  fails: [
    ...NOTE_FAILURES,
    ...(['NOTE_PART_NOT_FOUND', 'NOTE_PART_AMBIGUOUS', 'FILE_UNREADABLE'] as const),
    'NOTE_EXISTS',
    'CONFIRMATION_REQUIRED',
    'LINK_INTEGRITY',
    'INDEX_JOB_FAILED',
    'INVALID_QUERY',
  ],
  input,
  required: [],
  plan: planMove,
});

async function planMove(
  { to: wanted, allow_broken: allowsBroken = false, ...args }: Args,
  granted: WriteSources,
  call: WriteCall,
): Promise<WritePlan> {
  refuseSeveralWays(args, call.refuse);
  await catchUp(granted.indexer, call);
  const states = await granted.store.fileStates(call.signal);
  const section = await sectionNamed(args.note, states, granted, call);
  if (section !== undefined)
    return planSection({ ...section, to: wanted, if_match: args.if_match }, allowsBroken, states, granted, call);
  if (wanted === undefined) throw call.refuse('to', 'is required without plan_id');
  const to = wanted;
  if (args.note === undefined) return planSeveral({ ...args, to }, allowsBroken, states, granted, call);
  const request = await moveRequest({ ...args, to }, states, granted, call);
  const links = await movedLinks(request.moved, [request.from], states, granted, call);
  requireLinks(links.broken, allowsBroken, call);
  return movePlan(request, links, call);
}

/** The note and its part, if the reference names a part of a note. */
async function sectionNamed(
  note: string | undefined,
  states: readonly FileState[],
  granted: WriteSources,
  call: CallContext,
) {
  if (note === undefined || parseReference(note).part.kind === 'whole') return undefined;
  if (states.some(({ path }) => path === plainPath(note))) return undefined;
  const { path, part } = await locateNote(note, 'note', granted, call);
  return part.kind === 'whole' ? undefined : { path, part };
}

async function planSection(
  requested: Parameters<typeof sectionMove>[0],
  allowsBroken: boolean,
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<WritePlan> {
  const { files, from, to, rewritten, broken } = await sectionMove(requested, states, granted, call);
  requireLinks(broken, allowsBroken, call);
  const [created] = files;
  return {
    files,
    path: to,
    ...(created?.result.etag !== undefined && { etag: created.result.etag }),
    needsConsent: true,
    affected: [`${from} → ${to}`, ...files.slice(1).map(({ result }) => result.path)],
    facts: { from, rewritten, ...(broken.length > 0 && { broken: firstRows(broken, 'broken links', call) }) },
  };
}

/** One change of several notes, which undo takes back whole. */
async function planSeveral(
  args: Args & { readonly to: string },
  allowsBroken: boolean,
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<WritePlan> {
  const { moved, to, batch, period } = await severalMoves(args, states, granted, call);
  const links = await movedLinks(moved, [...moved.keys()], states, granted, call);
  requireLinks(links.broken, allowsBroken, call);
  const { files, replaced } = filesOf(moved, links);
  return {
    files,
    moves: { paths: moved, from: '' },
    needsConsent: files.length > 1,
    affected: [...[...moved].map(([path, target]) => `${path} → ${target}`), ...replaced.map(linkCount)],
    facts: { to, ...batch, ...(period && { period }), ...linkFacts(moved, links, call) },
  };
}

/** @throws LINK_INTEGRITY */
function requireLinks(broken: readonly BrokenLink[], allowsBroken: boolean, call: CallContext): void {
  if (broken.length > 0 && !allowsBroken) throw linkIntegrity(broken);
  if (broken.length > 0) warnOfBroken(broken, call);
}

function linkIntegrity(broken: readonly BrokenLink[]): VaultgraphError {
  const sample = broken.slice(0, MAX_SAMPLES);
  return new VaultgraphError('LINK_INTEGRITY', { incoming: broken.length, sample });
}

function movePlan(request: MoveRequest, links: MovedLinks, call: CallContext): WritePlan {
  const { moved, from, to, note, isFolder } = request;
  const { files, moves, replaced } = filesOf(moved, links);
  const ends = isFolder ? '/' : '';
  return {
    files,
    path: `${to}${ends}`,
    ...(note === undefined ? {} : { etagBefore: note.etag, ...etagOf(moves) }),
    moves: { paths: moved, from },
    needsConsent: files.length > 1,
    affected: affectedBy(request, replaced),
    emptied: isFolder ? foldersOf(moved.keys(), from) : [],
    facts: { from: `${from}${ends}`, ...toFact(request), ...linkFacts(moved, links, call) },
  };
}

function filesOf(moved: MoveRequest['moved'], links: MovedLinks) {
  const files = new Map(links.files.map((file) => [file.path, file]));
  const moves = [...moved].map(([path, target]) => moveOf(path, target, files.get(path)));
  const replaced = links.files.filter(({ path, changed }) => changed !== undefined && !moved.has(path));
  return { moves, replaced, files: [...moves, ...replaced.flatMap(replacementOf)] };
}

function toFact({ to, isFolder, endsWithName }: MoveRequest): { readonly to?: string } {
  if (endsWithName === undefined) return {};
  return { to: `${to} is the new ${isFolder ? 'folder' : 'path'}, because it ends with the moved name` };
}

function etagOf([first]: readonly PlannedFile[]): { etag?: string } {
  const etag = first?.result.etag;
  return etag === undefined ? {} : { etag };
}

/** A file that was not read is moved without a check of its content. */
function moveOf(path: NotePath, to: NotePath, file: LinkingFile | undefined): PlannedFile {
  if (file === undefined) return plannedFile({ kind: 'move', path, to });
  const { etag: before, changed } = file;
  if (changed === undefined) return plannedFile({ kind: 'move', path, to, before });
  const { bytes, ...texts } = changed;
  return plannedFile({ kind: 'move', path, to, before, bytes }, texts);
}

function replacementOf({ path, etag, changed }: LinkingFile): PlannedFile[] {
  if (changed === undefined) return [];
  const { bytes, ...texts } = changed;
  return [plannedFile({ kind: 'replace', path, before: etag, bytes }, texts)];
}

function affectedBy({ moved, from, to, isFolder }: MoveRequest, replaced: readonly LinkingFile[]): string[] {
  const what = isFolder ? `${from}/ (${moved.size} files)` : from;
  return [`${what} → ${isFolder ? `${to}/` : to}`, ...replaced.map(linkCount)];
}

function linkCount({ path, changed }: LinkingFile): string {
  return `${path} (${plural(changed?.lines.length ?? 0, 'link')})`;
}

/** The folder and its subfolders that held a moved file, the inner ones first. */
function foldersOf(paths: Iterable<NotePath>, folder: string): string[] {
  const folders = new Set<string>([folder]);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > folder.length; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  }
  return [...folders].sort((one, other) => other.split('/').length - one.split('/').length || (one < other ? -1 : 1));
}

interface SeveralMoves {
  readonly moved: ReadonlyMap<NotePath, NotePath>;
  /** The folder, with a slash at its end; `/` for the root. */
  readonly to: string;
  readonly batch: BatchResult<{ readonly path: NotePath; readonly unchanged?: true }>;
  readonly period?: object;
}

/**
 * The notes keep their names. One whose place is taken, or that may not be written, is left and listed with its error.
 * @param states every file of the vault
 * @throws as `chosenNotes`; PATH_NOT_ALLOWED for the folder
 */
async function severalMoves(
  args: Choosing & { readonly to: string },
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<SeveralMoves> {
  const folder = folderOf(plainPath(args.to).replace(/\/+$/, ''));
  if (folder !== undefined && /\.(?:md|canvas|base)$/i.test(folder))
    throw call.refuse('to', 'must be a folder, such as `Archive/`, if several notes move');
  const { succeeded: chosen, failed, ...compared } = await chosenNotes(args, granted, call, 'every_kind');
  const places = new Map(states.map(({ path }) => [foldName(path), path]));
  const moved = new Map<NotePath, NotePath>();
  const succeeded: SeveralMoves['batch']['succeeded'][number][] = [];
  const refused = [...failed];
  for (const { id, result: path } of chosen) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const extension = name.slice(name.lastIndexOf('.')).toLowerCase();
    const to = newPathOf(folder === undefined ? name : `${folder}/${name}`, extension);
    const taken = places.get(foldName(to));
    const error =
      writeRefusal(path, granted.vault) ?? (taken === undefined || taken === path ? undefined : noteExists(taken));
    if (error !== undefined) refused.push({ id, error });
    else if (to === path) succeeded.push({ id, result: { path, unchanged: true } });
    else {
      succeeded.push({ id, result: { path: to } });
      moved.set(path, to);
      places.set(foldName(to), path);
    }
  }
  return { moved, to: folder === undefined ? '/' : `${folder}/`, batch: { succeeded, failed: refused }, ...compared };
}

function noteExists(path: string): VaultgraphError {
  return new VaultgraphError('NOTE_EXISTS', { path });
}
