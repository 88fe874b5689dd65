// Lets links to headings and blocks follow when a change of texts renames them.
import { fileKindOf, type NotePath } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { LinkedPart } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { headingSubpath } from '../../../markdown/links/rewrite-subpaths.ts';
import { foldHeading } from '../../../markdown/links/section.ts';
import { outlineOfContent } from '../../notes/note-content.ts';
import { everyLink } from '../../notes/note-view.ts';
import { EVERY_FILE } from '../../notes/vault-filter.ts';
import { writeRefusal } from '../../view/outside-view.ts';
import { forEachNote, type ReadNote } from '../chosen-notes.ts';
import type { WriteSources } from '../run-write.ts';
import { type PlannedFile, replacement } from '../write-plan.ts';

/** Notes by path, and the text that each gets. Notes with links to the renamed parts are added. */
export interface ChangedTexts {
  readonly notes: Map<NotePath, ReadNote>;
  readonly texts: Map<NotePath, string>;
}

/** A link to a renamed part, where it was. */
export interface FollowingLink {
  readonly path: NotePath;
  readonly line: number;
  readonly link: string;
}

export interface FollowedParts {
  readonly rewritten: readonly FollowingLink[];
  /** Those that the change itself has rewritten. */
  readonly changed: readonly FollowingLink[];
  /** Those that could not be rewritten. */
  readonly broken: readonly FollowingLink[];
}

/** The files that are written, in the order in which they were added. */
export async function changedFiles({ notes, texts }: ChangedTexts): Promise<PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const [path, note] of notes)
    files.push(...(await replacement(note, texts.get(path) ?? note.text, { needsConsent: true })).files);
  return files;
}

/** The new part of each link that has to change, by its target and former part. */
type NewParts = ReadonlyMap<NotePath, ReadonlyMap<string, string>>;

const PARTS = ['headings', 'blocks'] as const;
const EVERY_LINK = { limit: 100_000, offset: 0 };

const NONE: FollowedParts = { rewritten: [], changed: [], broken: [] };

/** @param renaming the changed notes whose headings or blocks may have other names now */
export async function followParts(
  changed: ChangedTexts,
  renaming: readonly NotePath[],
  granted: WriteSources,
  call: CallContext,
): Promise<FollowedParts> {
  if (renaming.length === 0) return NONE;
  const linked = await granted.store.linkedParts(EVERY_FILE, call.signal);
  const parts = await newParts(changed, renaming, linked, call);
  const sources = new Set<NotePath>();
  for (const [target, subpaths] of parts)
    for (const subpath of subpaths.keys())
      for (const { source } of await granted.store.linksToPart(
        { target, subpath },
        EVERY_FILE,
        EVERY_LINK,
        call.signal,
      ))
        sources.add(source);
  const missing = [...sources].filter((path) => !changed.notes.has(path));
  await forEachNote(missing, granted.vault, call, async (note) => {
    changed.notes.set(note.path, note);
    changed.texts.set(note.path, note.text);
  });
  const followed = [];
  for (const path of sources) followed.push(await rewriteLinks(path, parts, changed, granted, call));
  return {
    rewritten: followed.flatMap((one) => one.rewritten),
    changed: followed.flatMap((one) => one.changed),
    broken: followed.flatMap((one) => one.broken),
  };
}

async function newParts(
  { notes, texts }: ChangedTexts,
  renaming: readonly NotePath[],
  linked: readonly LinkedPart[],
  call: CallContext,
): Promise<NewParts> {
  const byTarget = Map.groupBy(linked, ({ target }) => target);
  const partsOf = new Map<NotePath, ReadonlyMap<string, string>>();
  for (const path of renaming) {
    const [note, subpaths] = [notes.get(path), byTarget.get(path)];
    if (note === undefined || subpaths === undefined || fileKindOf(path) !== 'note') continue;
    const before = await outlineOfContent(path, note.text, PARTS, call);
    const after = await outlineOfContent(path, texts.get(path) ?? note.text, PARTS, call);
    const headings = renamed(before.headings, after.headings, ({ text }) => text, foldHeading);
    const blocks = renamed(
      before.blocks,
      after.blocks,
      ({ id }) => id,
      (id) => id.toLowerCase(),
    );
    const changes = subpaths.flatMap(({ subpath }): [string, string][] => {
      const now = withRenamed(subpath, headings, blocks);
      return now === undefined ? [] : [[subpath, now]];
    });
    if (changes.length > 0) partsOf.set(path, new Map(changes));
    await letOthersRun();
  }
  return partsOf;
}

/** The new name of each part that links name otherwise now, by its folded former name; none if parts came or went. */
function renamed<Part>(
  before: readonly Part[],
  after: readonly Part[],
  nameOf: (part: Part) => string,
  fold: (name: string) => string,
): ReadonlyMap<string, string> {
  if (before.length !== after.length) return new Map();
  const folded = before.map((part, at) => [fold(nameOf(part)), nameOf(after[at] ?? part)] as const);
  return new Map(folded.filter(([former, now]) => former !== fold(now)));
}

/** Undefined if nothing that the part names has another name. */
function withRenamed(
  subpath: string,
  headings: ReadonlyMap<string, string>,
  blocks: ReadonlyMap<string, string>,
): string | undefined {
  const parts = subpath.split('#').filter((part) => part.trim() !== '');
  const last = parts.at(-1)?.trim() ?? '';
  if (last.startsWith('^')) {
    const now = blocks.get(last.slice(1).toLowerCase());
    return now === undefined ? undefined : `#^${now}`;
  }
  if (!parts.some((part) => headings.has(foldHeading(part)))) return undefined;
  return headingSubpath(parts.map((part) => headings.get(foldHeading(part)) ?? part));
}

/** A note may have very many links. */
function without<One>(list: readonly One[], others: readonly One[]): One[] {
  const left = new Set(others);
  return list.filter((one) => !left.has(one));
}

async function rewriteLinks(
  path: NotePath,
  parts: NewParts,
  { notes, texts }: ChangedTexts,
  { store, vault }: WriteSources,
  call: CallContext,
): Promise<FollowedParts> {
  const links = await everyLink(path, 'out', store, call.signal);
  const text = texts.get(path) ?? '';
  const now = (await call.compute.run(jobs.compare_texts, { path, after: text }, call.signal)).links;
  const concerned = links.flatMap(({ target, subpath, line, link }, index) => {
    const to = target === null ? undefined : parts.get(target)?.get(subpath);
    return to === undefined ? [] : [{ index, subpath: to, old: subpath, at: { path, line, link } }];
  });
  const isWritable = notes.get(path)?.isText === true && writeRefusal(path, vault) === undefined;
  const mayFollow = now.length === links.length && isWritable;
  const changed = mayFollow ? concerned.filter(({ index, old }) => now[index]?.subpath !== old) : [];
  const changes = mayFollow ? without(concerned, changed) : [];
  const after = await call.compute.run(jobs.subpaths, { path, text, changes }, call.signal);
  texts.set(path, after.text);
  const unwritten = new Set(after.failed);
  const failed = mayFollow ? changes.filter(({ index }) => unwritten.has(index)) : concerned;
  const rewritten = without(changes, failed);
  const placesOf = (list: typeof concerned): FollowingLink[] => list.map(({ at }) => at);
  return { rewritten: placesOf(rewritten), changed: placesOf(changed), broken: placesOf(failed) };
}
