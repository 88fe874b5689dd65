// Moves a note or a folder, and has every link follow.
import * as z from 'zod';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { NOTE_FAILURES } from './editable-note.ts';
import { catchUp } from './index-sync.ts';
import { type MoveRequest, moveRequest } from './move-request.ts';
import { type BrokenLink, type LinkingFile, type MovedLinks, movedLinks } from './moved-links.ts';
import { consentShape, planShape, runWrite, type WriteSources, type WriteTool } from './run-write.ts';
import { firstRows, type PlannedFile, stateBehind, type WritePlan } from './write-plan.ts';

const input = z.strictObject({
  note: z.string().optional().describe('or a folder'),
  to: z.string().optional().describe('new path; ends with `/`: the folder to move into'),
  allow_broken: z.boolean().optional().describe('leave links that cannot follow'),
  ...consentShape,
  ...planShape,
});
type Given = z.infer<typeof input>;

const MAX_SAMPLES = 10;

export const moveNote = defineTool({
  name: 'move_note',
  summary: 'Move or rename a note or folder; every link follows. Several files need if_match, a plan_id or confirm.',
  effect: 'destroys',
  needs: ['store', 'vault', 'indexer', 'writer'],
  index: 'whole',
  fails: [...NOTE_FAILURES, 'NOTE_EXISTS', 'CONFIRMATION_REQUIRED', 'LINK_INTEGRITY', 'INDEX_JOB_FAILED'],
  input,
  run: (given, granted, call) => move(given, granted, call, new Set()),
});

/** @param unwritable files that turned out to be so: their links stay as they are, if that is allowed */
async function move(given: Given, granted: WriteSources, call: CallContext, unwritable: Set<string>): Promise<object> {
  const tool = moving(unwritable);
  const [outcome] = await Promise.allSettled([runWrite(tool, given, granted, call)]);
  if (outcome.status === 'fulfilled') return outcome.value;
  const file = tool.linkingFile(toVaultgraphError(outcome.reason));
  if (file === undefined) throw outcome.reason;
  if (!tool.allowsBroken()) throw linkIntegrity(file.broken, outcome.reason);
  return move(given, granted, call, unwritable.add(file.path));
}

interface MoveTool extends WriteTool<Given> {
  /** The file whose links were to be rewritten, where that is what the disk refused. */
  linkingFile(error: VaultgraphError): { readonly path: string; readonly broken: readonly BrokenLink[] } | undefined;
  allowsBroken(): boolean;
}

const ACCEPTED = Object.keys(input.shape);

function moving(unwritable: ReadonlySet<string>): MoveTool {
  let planned: { readonly request: MoveRequest; readonly links: MovedLinks } | undefined;
  let allowsBroken = false;
  return {
    name: 'move_note',
    accepted: ACCEPTED,
    needed: ['note', 'to'],
    plan: async ({ note = '', to = '', if_match, allow_broken = false }, granted, call) => {
      allowsBroken = allow_broken;
      await catchUp(granted.indexer, call);
      const states = await granted.store.fileStates(call.signal);
      const asked = { tool: 'move_note', accepted: ACCEPTED, note, if_match, to };
      const request = await moveRequest(asked, states, granted, call);
      const links = await movedLinks(request.moved, states, unwritable, granted, call);
      planned = { request, links };
      if (links.broken.length > 0 && !allow_broken) throw linkIntegrity(links.broken);
      if (links.broken.length > 0) warnOfBroken(links.broken, call);
      return movePlan(request, links, call);
    },
    allowsBroken: () => allowsBroken,
    linkingFile: (error) => {
      const path = error.code === 'FILE_WRITE_FAILED' && 'path' in error.details ? error.details.path : undefined;
      const file = planned?.links.files.find((each) => each.path === path && each.changed !== undefined);
      if (file === undefined || path === undefined || planned?.request.moved.has(file.path)) return undefined;
      const lines = file.changed?.lines ?? [];
      return { path, broken: lines.map((line) => ({ path, line, reason: error.message })) };
    },
  };
}

function linkIntegrity(broken: readonly BrokenLink[], cause?: unknown): VaultgraphError {
  const sample = broken.slice(0, MAX_SAMPLES);
  return new VaultgraphError('LINK_INTEGRITY', { incoming: broken.length, sample }, { cause });
}

function warnOfBroken(broken: readonly BrokenLink[], call: CallContext): void {
  const count = broken.length;
  const message = `${count === 1 ? '1 link' : `${count} links`} could not follow and may lead elsewhere or nowhere now`;
  call.warn({ code: 'LINKS_BROKEN', message, count });
}

function movePlan(request: MoveRequest, links: MovedLinks, call: CallContext): WritePlan {
  const { moved, from, to, note } = request;
  const known = new Map(links.files.map((file) => [file.path, file]));
  const moves = [...moved].map(([path, target]) => moveOf(path, target, known.get(path)));
  const replaced = links.files.filter(({ path, changed }) => changed !== undefined && !moved.has(path));
  const files = [...moves, ...replaced.flatMap(replacementOf)];
  const ends = note === undefined ? '/' : '';
  return {
    files,
    path: `${to}${ends}`,
    ...(note === undefined ? {} : { was: note.etag, ...etagBehind(moves) }),
    needsConsent: files.length > 1,
    affected: affectedBy(request, replaced),
    emptied: note === undefined ? foldersOf(moved.keys(), from) : [],
    facts: { from: `${from}${ends}`, ...linkFacts(moved, links, call) },
  };
}

function etagBehind([first]: readonly PlannedFile[]): { etag?: string } {
  const { etag } = first === undefined ? {} : stateBehind(first.operation);
  return etag === undefined ? {} : { etag };
}

function linkFacts(moved: MoveRequest['moved'], { files, broken }: MovedLinks, call: CallContext): object {
  const rewritten = files.flatMap(({ path, changed }) =>
    (changed?.lines ?? []).map((line) => ({ path: moved.get(path) ?? path, line })),
  );
  return {
    rewritten: firstRows(rewritten, 'rewritten links', call),
    ...(broken.length === 0 ? {} : { broken: firstRows(broken, 'broken links', call) }),
  };
}

/** A file that is no note is moved as it is, whatever it holds by then. */
function moveOf(path: NotePath, to: NotePath, file: LinkingFile | undefined): PlannedFile {
  if (file === undefined) return { operation: { kind: 'move', path, to } };
  const { etag: before, changed } = file;
  if (changed === undefined) return { operation: { kind: 'move', path, to, before } };
  const operation = { kind: 'move', path, to, before, bytes: changed.bytes } as const;
  return { operation, before: changed.before, after: changed.after };
}

function replacementOf({ path, etag, changed }: LinkingFile): PlannedFile[] {
  if (changed === undefined) return [];
  const { before, after, bytes } = changed;
  return [{ operation: { kind: 'replace', path, before: etag, bytes }, before, after }];
}

function affectedBy({ moved, from, to, note }: MoveRequest, replaced: readonly LinkingFile[]): string[] {
  const what = note === undefined ? `${from}/ (${moved.size} files)` : from;
  const links = replaced.map(({ path, changed }) => {
    const count = changed?.lines.length ?? 0;
    return `${path} (${count === 1 ? '1 link' : `${count} links`})`;
  });
  return [`${what} → ${note === undefined ? `${to}/` : to}`, ...links];
}

/** The folder and all below it in which something was, the inner ones first. */
function foldersOf(paths: Iterable<NotePath>, folder: string): string[] {
  const folders = new Set<string>([folder]);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > folder.length; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  }
  return [...folders].sort((one, other) => other.split('/').length - one.split('/').length || (one < other ? -1 : 1));
}
