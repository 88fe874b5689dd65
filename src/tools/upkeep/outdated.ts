// Rule: pages that changed before the sources they link to.
import type { Graph } from '../../base/graph.ts';
import type { NotePath, PropertyValue } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import { neighborsOf } from '../../graph/adjacency.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { nodeOf } from '../links/note-graph.ts';
import { everyLink } from '../notes/note-view.ts';
import { type CheckQuery, type CheckRule, DAY_MS, type Finding, fixedBy } from './check-rule.ts';
import { type KnownFiles, knownFiles, type NoteProfile, noteProfiles, valueNamed } from './note-profiles.ts';
import { foldersNamed } from './unprocessed.ts';

interface Outdated extends Finding {
  readonly path: NotePath;
  readonly source: NotePath;
  readonly changedMs: number;
  readonly sourceChangedMs: number;
}

const SOURCE_PROPERTIES: ReadonlySet<string> = new Set([
  ...['source', 'sources', 'based_on', 'based-on', 'derived_from', 'derived-from', 'reference', 'references'],
  ...['quelle', 'quellen', 'fuente', 'fuentes', 'fonte', 'fontes'],
]);
const CHANGED = ['updated', 'modified', 'last_modified', 'last-modified', 'lastmod', 'last_updated', 'last-updated'];

/** Those that are behind by the longest time first; each page once, with its newest source. */
export const outdated: CheckRule<Outdated> = {
  find: async (query) => {
    const files = await knownFiles(query);
    const modified = new Map(files.states.map(({ path, modifiedMs }) => [path, modifiedMs]));
    const outdated: Outdated[] = [];
    for (const [page, sources] of await sourcesOfPages(files, query)) {
      const newest = newestSource(page, sources, files.profiles, modified, query.settings.outdated_days);
      if (newest !== undefined) outdated.push({ names: [page.path, newest.source], path: page.path, ...newest });
    }
    return outdated.sort((one, other) => lagOf(other) - lagOf(one) || (one.path < other.path ? -1 : 1));
  },
  show: (findings, query) =>
    findings.map(({ path, source, changedMs, sourceChangedMs }) => ({
      path,
      changed: localDate(changedMs).slice(0, 10),
      source,
      source_changed: localDate(sourceChangedMs).slice(0, 10),
      days: Math.floor((sourceChangedMs - changedMs) / DAY_MS),
      ...fixedBy(query, ['read_notes', { notes: [path, source] }]),
    })),
};

const lagOf = ({ changedMs, sourceChangedMs }: Outdated): number => sourceChangedMs - changedMs;

function newestSource(
  page: NoteProfile,
  sources: readonly NotePath[],
  profiles: KnownFiles['profiles'],
  modified: ReadonlyMap<NotePath, number>,
  days: number,
) {
  let newest: Pick<Outdated, 'source' | 'changedMs' | 'sourceChangedMs'> | undefined;
  for (const source of sources) {
    const [changedMs, sourceChangedMs] = changesOf(page, profiles.get(source), modified.get(source) ?? 0);
    const isBehind = sourceChangedMs - changedMs >= Math.max(1, days * DAY_MS);
    if (isBehind && sourceChangedMs > (newest?.sourceChangedMs ?? 0)) newest = { source, changedMs, sourceChangedMs };
  }
  return newest;
}

interface KeptSources {
  readonly hash: string;
  readonly graph: Graph;
  /** The notes that it links to. */
  readonly linked: string;
  readonly sources: readonly NotePath[];
}

/** By page, while the vault has the same attachments: links to these are not in the graph. */
interface SourcesOfPages {
  attachments: string;
  readonly pages: Map<NotePath, KeptSources>;
}

const keepSources: ComputeFromIndex<SourcesOfPages> = async (_store, _signal, previous) =>
  previous ?? { attachments: '', pages: new Map() };

function forgetChanged(sources: SourcesOfPages, { states, profiles }: KnownFiles): void {
  const attachments = states.flatMap(({ kind, path }) => (kind === 'attachment' ? [path] : [])).join('\n');
  if (sources.attachments !== attachments) sources.pages.clear();
  sources.attachments = attachments;
  for (const path of sources.pages.keys()) if (!profiles.has(path)) sources.pages.delete(path);
}

/** The links of a page are read again when it changes, or where they lead. */
async function sourcesOfPages(files: KnownFiles, query: CheckQuery) {
  const { granted, call, settings } = query;
  const kept = await call.storeCache.get(keepSources, granted.store, call.signal);
  forgetChanged(kept, files);
  const { pages } = kept;
  const graph = await granted.store.graph(call.signal);
  const folderOf = foldersNamed(settings.source_folders);
  const hasFiles = files.states.some(({ kind, path }) => kind === 'attachment' && folderOf(path) !== undefined);
  const outdated: (readonly [page: NoteProfile, sources: readonly NotePath[]])[] = [];
  for (const page of await noteProfiles(query)) {
    await letOthersRun(call.signal);
    if (folderOf(page.path) !== undefined) continue;
    const earlier = pages.get(page.path);
    const { hash } = page;
    if (earlier?.hash !== hash || earlier.graph !== graph) {
      const targets = linkedNotes(page.path, graph);
      const linked = targets.join('\n');
      const isSame = earlier?.hash === hash && earlier.linked === linked;
      const sources = isSame ? earlier.sources : await sourcesOf(page, targets, folderOf, hasFiles, query);
      pages.set(page.path, { hash, graph, linked, sources });
    }
    const sources = pages.get(page.path)?.sources ?? [];
    if (sources.length > 0) outdated.push([page, sources]);
  }
  return outdated;
}

function linkedNotes(path: NotePath, graph: Graph): readonly NotePath[] {
  const node = nodeOf(graph, path);
  return node === undefined ? [] : Array.from(neighborsOf(graph, node), (other) => graph.paths[other] as NotePath);
}

type FolderOf = ReturnType<typeof foldersNamed>;
const MAX_LINKS = 1_000;

/** Only the links of notes that may name a source are read. */
async function sourcesOf(
  page: NoteProfile,
  linked: readonly NotePath[],
  folderOf: FolderOf,
  hasFiles: boolean,
  { granted: { store }, call: { signal } }: CheckQuery,
): Promise<readonly NotePath[]> {
  const isInSources = (target: NotePath | null): boolean => target !== null && folderOf(target) !== undefined;
  const mayName =
    page.sources.length > 0 ||
    page.properties.some(([name]) => SOURCE_PROPERTIES.has(foldName(name))) ||
    linked.some(isInSources) ||
    (hasFiles && (await store.linkTargets(page.path, { limit: MAX_LINKS, offset: 0 }, signal)).some(isInSources));
  if (!mayName) return [];
  const links = await everyLink(page.path, 'out', store, signal);
  const sources = links.flatMap((link) => (isSource(link, page, folderOf) && link.target ? [link.target] : []));
  return [...new Set(sources)].filter((source) => source !== page.path);
}

function isSource({ target, key, line }: ResolvedLink, { sources }: NoteProfile, folderOf: FolderOf): boolean {
  if (key !== undefined && SOURCE_PROPERTIES.has(foldName(key.split('.')[0] ?? ''))) return true;
  if (sources.some(([from, to]) => line > from && line < to)) return true;
  return target !== null && folderOf(target) !== undefined;
}

/** What both notes say themselves counts, because a copy of a vault has new times of files. */
function changesOf(page: NoteProfile, source: NoteProfile | undefined, fileMs: number): [number, number] {
  const said = dayIn(valueNamed(page, ...CHANGED));
  const sourceSaid = source === undefined ? undefined : dayIn(valueNamed(source, ...CHANGED));
  return said !== undefined && sourceSaid !== undefined ? [said, sourceSaid] : [page.modifiedMs, fileMs];
}

function dayIn(value: PropertyValue): number | undefined {
  const [day] = typeof value === 'string' ? (/^\d{4}-\d{2}-\d{2}/.exec(value.trim()) ?? []) : [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T00:00`);
  return Number.isNaN(ms) ? undefined : ms;
}
