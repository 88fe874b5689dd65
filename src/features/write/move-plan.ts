// What a move writes: the files that go, and those whose links follow them. Decides no path and rewrites no link.
import type { NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { MoveRequest } from './move-request.ts';
import type { LinkingFile, MovedLinks } from './moved-links.ts';
import { type PlannedFile, stateBehind, type WritePlan } from './write-plan.ts';
import { firstRows } from './write-view.ts';

export function movePlan(request: MoveRequest, links: MovedLinks, call: CallContext): WritePlan {
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
