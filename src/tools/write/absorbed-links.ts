// The files whose links change when notes become part of another note, or are replaced by it.
import type { NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { BrokenLink, LinkToPart } from '../../markdown/links/follow-links.ts';
import { forEachNote } from './chosen-notes.ts';
import { linkFacts, type MovedLinks, movedLinks, warnOfBroken } from './moves/moved-links.ts';
import type { WriteSources } from './run-write.ts';
import { writeConflict } from './write-conflict.ts';
import { type EditableNote, type PlannedFile, replacement } from './write-plan.ts';

export interface AbsorbedLinks {
  /** The new text of each file with links to the notes, by its path; the notes themselves included. */
  readonly texts: Map<NotePath, string>;
  /** The etag of what these texts were made of. */
  readonly etags: Map<NotePath, string>;
  readonly links: MovedLinks;
}

/** @throws as `movedLinks` */
export async function absorbedLinks(
  notes: readonly EditableNote[],
  into: EditableNote,
  states: readonly FileState[],
  granted: WriteSources,
  call: CallContext,
): Promise<AbsorbedLinks> {
  const paths = notes.map(({ path }) => path);
  const moved = new Map(paths.map((path) => [path, into.path]));
  const links = await movedLinks(moved, paths, states, granted, call);
  const texts = new Map([...notes, into].map(({ path, text }) => [path, text]));
  for (const { path, changed } of links.files) if (changed !== undefined) texts.set(path, changed.after);
  const etags = new Map([...notes, into, ...links.files].map(({ path, etag }) => [path, etag]));
  return { texts, etags, links };
}

/** Every link to a part of the notes. */
export function linksToParts({ links }: AbsorbedLinks): readonly LinkToPart[] {
  return [...links.parts.values()].flat();
}

/** What a link to a part of an absorbed note names now; undefined if it stays. */
export type NewSubpath = (link: LinkToPart) => string | undefined;

/**
 * Changes the texts so that links to parts lead to the same parts.
 * @returns the links that could not be changed
 */
export async function followParts(
  { texts, etags, links }: AbsorbedLinks,
  newSubpath: NewSubpath,
  { vault }: WriteSources,
  call: CallContext,
): Promise<readonly BrokenLink[]> {
  const broken: BrokenLink[] = [];
  const missing = [...links.parts.keys()].filter((path) => !texts.has(path));
  await forEachNote(missing, vault, call, async ({ path, text, etag }) => {
    texts.set(path, text);
    etags.set(path, etag);
  });
  for (const [path, parts] of links.parts) {
    const changes = parts.flatMap((part) => {
      const subpath = newSubpath(part);
      return subpath === undefined ? [] : [{ index: part.index, subpath }];
    });
    const text = texts.get(path) ?? '';
    const after = await call.compute.run(jobs.subpaths, { path, text, changes }, call.signal);
    texts.set(path, after.text);
    const unwritten = new Set(after.failed);
    const failed = parts.filter(({ index }) => unwritten.has(index));
    const reason = 'the part that it names has another name now';
    broken.push(...failed.map(({ line }) => ({ path, line, reason })));
  }
  return broken;
}

/** The files with changed links, except for the notes that the tool itself writes. @throws WRITE_CONFLICT */
export async function linkingFiles(
  { texts, etags }: AbsorbedLinks,
  written: ReadonlySet<NotePath>,
  { vault }: WriteSources,
  call: CallContext,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  const others = [...texts.keys()].filter((path) => !written.has(path));
  const unread = await forEachNote(others, vault, call, async (note) => {
    const expected = etags.get(note.path);
    if (note.etag !== expected) throw await writeConflict(note.path, expected, vault, call);
    const { files: changed } = await replacement(note, texts.get(note.path) ?? note.text, { needsConsent: true });
    files.push(...changed);
  });
  for (const { error } of unread) throw error;
  return files;
}

export function absorbedFacts({ links }: AbsorbedLinks, further: readonly BrokenLink[], call: CallContext): object {
  const broken = [...links.broken, ...further];
  if (broken.length > 0) warnOfBroken(broken, call);
  return linkFacts(new Map(), { ...links, broken }, call);
}
