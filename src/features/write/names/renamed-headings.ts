// Lets links to headings follow when a rename changes the text of headings.
import { fileKindOf, type Heading, type NotePath } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import type { LinkedPart } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import type { BrokenLink } from '../../../markdown/links/follow-links.ts';
import { headingSubpath } from '../../../markdown/links/rewrite-subpaths.ts';
import { foldHeading } from '../../../markdown/links/section.ts';
import { outlineOfContent } from '../../notes/note-content.ts';
import { everyLink } from '../../notes/note-view.ts';
import type { WriteSources } from '../run-write.ts';
import { forEachNote, type ReadNote } from '../several-notes.ts';

/** Notes by path, and the text that each gets. Notes with links to the headings are added. */
export interface ChangedTexts {
  readonly notes: Map<NotePath, ReadNote>;
  readonly texts: Map<NotePath, string>;
}

/** The new part of each link that has to change, by its target and former part. */
type NewParts = ReadonlyMap<NotePath, ReadonlyMap<string, string>>;

/** @returns the links that could not be changed */
export async function followHeadings(
  changed: ChangedTexts,
  granted: WriteSources,
  call: CallContext,
): Promise<readonly BrokenLink[]> {
  const linked = await granted.store.linkedParts({}, call.signal);
  const parts = await newParts(changed, linked, call);
  const sources = new Set<NotePath>();
  for (const [target, subpaths] of parts)
    for (const subpath of subpaths.keys())
      for (const { source } of await granted.store.linksToPart({ target, subpath }, {}, EVERY_LINK, call.signal))
        sources.add(source);
  const missing = [...sources].filter((path) => !changed.notes.has(path));
  await forEachNote(missing, granted.vault, call, async (note) => {
    changed.notes.set(note.path, note);
    changed.texts.set(note.path, note.text);
  });
  const broken: BrokenLink[] = [];
  for (const path of sources) broken.push(...(await rewriteLinks(path, parts, changed, granted, call)));
  return broken;
}

const EVERY_LINK = { limit: 100_000, offset: 0 };

async function newParts(
  { notes, texts }: ChangedTexts,
  linked: readonly LinkedPart[],
  call: CallContext,
): Promise<NewParts> {
  const byTarget = Map.groupBy(linked, ({ target }) => target);
  const found = new Map<NotePath, ReadonlyMap<string, string>>();
  for (const [path, note] of notes) {
    const subpaths = byTarget.get(path);
    if (subpaths === undefined || fileKindOf(path) !== 'note') continue;
    const before = await outlineOfContent(path, note.text, call);
    const after = await outlineOfContent(path, texts.get(path) ?? note.text, call);
    const renamed = renamedHeadings(before.headings, after.headings);
    const changes = subpaths.flatMap(({ subpath }): [string, string][] => {
      const now = withRenamed(subpath, renamed);
      return now === undefined ? [] : [[subpath, now]];
    });
    if (changes.length > 0) found.set(path, new Map(changes));
    await letOthersRun();
  }
  return found;
}

/** The new text of each heading that links name otherwise now, by its former name. */
function renamedHeadings(before: readonly Heading[], after: readonly Heading[]): ReadonlyMap<string, string> {
  return new Map(
    before.flatMap(({ text }, at): [string, string][] => {
      const now = after[at]?.text ?? text;
      return foldHeading(text) === foldHeading(now) ? [] : [[foldHeading(text), now]];
    }),
  );
}

/** Undefined if no heading that the part names has another text. */
function withRenamed(subpath: string, renamed: ReadonlyMap<string, string>): string | undefined {
  const parts = subpath.split('#').filter((part) => part.trim() !== '');
  if (parts.at(-1)?.startsWith('^') || !parts.some((part) => renamed.has(foldHeading(part)))) return undefined;
  return headingSubpath(parts.map((part) => renamed.get(foldHeading(part)) ?? part));
}

async function rewriteLinks(
  path: NotePath,
  parts: NewParts,
  { notes, texts }: ChangedTexts,
  { store }: WriteSources,
  call: CallContext,
): Promise<readonly BrokenLink[]> {
  const links = await everyLink(path, 'out', store, call.signal);
  const changes = links.flatMap(({ target, subpath, line }, index) => {
    const now = target === null ? undefined : parts.get(target)?.get(subpath);
    return now === undefined ? [] : [{ index, subpath: now, line }];
  });
  const reason = 'the heading that it names has another text now';
  const text = texts.get(path);
  const isWritable = text !== undefined && notes.get(path)?.isText === true;
  const after = isWritable ? await call.compute.run('subpaths', { path, text, changes }, call.signal) : undefined;
  if (after !== undefined) texts.set(path, after.text);
  const failed = after === undefined ? changes : changes.filter(({ index }) => after.failed.includes(index));
  return failed.map(({ line }) => ({ path, line, reason }));
}
