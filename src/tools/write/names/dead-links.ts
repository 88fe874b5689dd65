// Warns of new links that lead nowhere, each with the nearest names; it blocks nothing.
import { plural } from '../../../base/errors.ts';
import { fileKindOf, type NotePath, withoutNoteExtension } from '../../../base/note.ts';
import { letOthersRun } from '../../../base/threads/turns.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { ResolvedLink, Store } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { splitLink } from '../../../markdown/links/fold.ts';
import { resolveWritten } from '../../../markdown/links/link-changes.ts';
import { closestParts } from '../../../markdown/links/nearest-parts.ts';
import { similarAttachments } from '../../notes/file-names.ts';
import { hasPart, namesPart } from '../../notes/missing-parts.ts';
import { listedCandidates, nameIndex } from '../../notes/name-index.ts';
import { outlineOfContent } from '../../notes/note-content.ts';
import { everyLink } from '../../notes/note-view.ts';
import type { DeadLinks } from '../write-plan.ts';
import { type PlannedPaths, type PlannedText, plannedFiles, type Sources } from './planned-names.ts';

const MAX_NEAREST = 3;
const MAX_LISTED = 50;
const MAX_IN_TEXT = 5;

/** At most 50 links, each name once for each file. `total` counts all. */
export async function deadLinks(
  paths: PlannedPaths,
  texts: readonly PlannedText[],
  granted: Sources,
  call: CallContext,
): Promise<DeadLinks | undefined> {
  if (texts.every(({ links }) => links.length === 0)) return undefined;
  const { after } = await plannedFiles(paths, granted, call);
  const planned = plannedOutlines(texts, call);
  const dead: DeadLinks['links'][number][] = [];
  let total = 0;
  for (const text of texts) {
    const listed = new Set<string>();
    for (const { kind, link, subpath, line } of text.links) {
      await letOthersRun(call.signal);
      const { path: target } = resolveWritten({ kind, link }, text.path, after);
      const outline = target === null ? undefined : await outlineFor(subpath, target, planned, granted, call);
      if (target !== null && (outline === undefined || hasPart(subpath, outline))) continue;
      total += 1;
      const written = kind === 'canvas' ? link + subpath : link;
      if (listed.has(written) || dead.length === MAX_LISTED) continue;
      listed.add(written);
      const nearest = outline === undefined ? await nearestFiles(link, granted, call) : closestParts(subpath, outline);
      dead.push({ path: text.path, line, link: written, nearest });
    }
  }
  return total === 0 ? undefined : { total, links: dead };
}

type PartsOfNote = Parameters<typeof hasPart>[1];

/** The outline that a file of the plan will have; each is parsed when a link first names a part of it. */
type PlannedOutlines = (path: NotePath) => Promise<PartsOfNote> | undefined;

function plannedOutlines(texts: readonly PlannedText[], call: CallContext): PlannedOutlines {
  const byPath = new Map(texts.map(({ path, text }) => [path, text]));
  const outlines = new Map<NotePath, Promise<PartsOfNote>>();
  return (path) => {
    const text = byPath.get(path);
    if (text !== undefined && !outlines.has(path))
      outlines.set(path, outlineOfContent(path, text, ['headings', 'blocks', 'properties'], call));
    return outlines.get(path);
  };
}

/** The headings and blocks among which the link names one; undefined if it names none, or they are unknown. */
async function outlineFor(
  subpath: string,
  target: NotePath,
  planned: PlannedOutlines,
  { store }: Sources,
  { signal }: CallContext,
): Promise<PartsOfNote | undefined> {
  if (fileKindOf(target) !== 'note' || !namesPart(subpath)) return undefined;
  const known = await planned(target);
  if (known !== undefined) return known;
  const [record] = await store.notes([target], signal);
  return record === undefined || record.hash === null ? undefined : record;
}

async function nearestFiles(link: string, { store }: Sources, call: CallContext): Promise<readonly string[]> {
  const name = withoutNoteExtension(splitLink(link).path);
  const named = (await listedCandidates(name, store, call)).map(({ path }) => path);
  const notes = (await nameIndex(store, call)).similarNotes(name, MAX_NEAREST);
  const others = /\.\w{1,8}$/.test(name) ? await similarAttachments(name, MAX_NEAREST, store, call) : [];
  return [...new Set([...others, ...named, ...notes])].slice(0, MAX_NEAREST);
}

export function warnOfDeadLinks({ links, total }: DeadLinks, call: CallContext): void {
  const shown = links.slice(0, MAX_IN_TEXT).map(({ path, line, link, nearest }) => {
    const near = nearest.length === 0 ? 'no similar name' : `nearest: ${nearest.join(', ')}`;
    return `[[${link}]] at ${path}:${line} (${near})`;
  });
  const more = total > shown.length ? `, and ${total - shown.length} more` : '';
  const message = `${plural(total, 'new link')} ${total === 1 ? 'leads' : 'lead'} nowhere: ${shown.join(', ')}${more}`;
  call.warn({ code: 'LINKS_UNRESOLVED', message, count: total });
}

/** A text of a note before and after a change. */
interface ChangedText {
  readonly path: NotePath;
  readonly before: string;
  readonly after: string;
}

/** The links to headings and blocks that the changed text does not have any more. */
export async function linksToLostParts({ path, before, after }: ChangedText, store: Store, call: CallContext) {
  const links = (await everyLink(path, 'in', store, call.signal)).filter(({ subpath }) => subpath !== '');
  const subpaths = links.map(({ subpath }) => subpath);
  const lost = await call.compute.run(jobs.lost_parts, { path, before, after, subpaths }, call.signal);
  return lost.map((at) => {
    const { source, line, link } = links[at] as ResolvedLink;
    return { path: source, line, link, reason: `${path} has no such part any more` };
  });
}
