// Rule: pages that changed before the sources they link to.
import type { NotePath, PropertyValue } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { everyLink } from '../notes/note-view.ts';
import { type CheckQuery, type CheckRule, DAY_MS, type Finding, fixedBy } from './check-rule.ts';
import { type NoteProfile, noteProfiles, valueNamed } from './note-profiles.ts';
import { folderNamed } from './unprocessed.ts';

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
    const files = await query.granted.store.fileStates(query.call.signal);
    const profiles = await noteProfiles(query);
    const known = new Map(profiles.map((profile) => [profile.path, profile]));
    const modified = new Map(files.map(({ path, modifiedMs }) => [path, modifiedMs]));
    const found: Outdated[] = [];
    for (const profile of profiles) {
      await letOthersRun(query.call.signal);
      const newest = await newestSource(profile, known, modified, query);
      if (newest !== undefined) found.push({ names: [profile.path, newest.source], path: profile.path, ...newest });
    }
    return found.sort((one, other) => lagOf(other) - lagOf(one) || (one.path < other.path ? -1 : 1));
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

async function newestSource(
  page: NoteProfile,
  known: ReadonlyMap<NotePath, NoteProfile>,
  modified: ReadonlyMap<NotePath, number>,
  query: CheckQuery,
) {
  const { source_folders: folders, outdated_days: days } = query.settings;
  if (folderNamed(page.path, folders) !== undefined) return undefined;
  let newest: Pick<Outdated, 'source' | 'changedMs' | 'sourceChangedMs'> | undefined;
  for (const link of await sourceLinks(page, query)) {
    const { target: source } = link;
    if (source === null || source === page.path || !isSource(link, page, folders)) continue;
    const [changedMs, sourceChangedMs] = changesOf(page, known.get(source), modified.get(source) ?? 0);
    const isBehind = sourceChangedMs - changedMs >= Math.max(1, days * DAY_MS);
    if (isBehind && sourceChangedMs > (newest?.sourceChangedMs ?? 0)) newest = { source, changedMs, sourceChangedMs };
  }
  return newest;
}

/** Only the links of notes that may name a source are read. */
async function sourceLinks(
  page: NoteProfile,
  { granted, call, settings }: CheckQuery,
): Promise<readonly ResolvedLink[]> {
  const names = page.sources.length > 0 || page.properties.some(([name]) => SOURCE_PROPERTIES.has(foldName(name)));
  if (!names) {
    const targets = await granted.store.linkTargets(page.path, { limit: MAX_LINKS, offset: 0 }, call.signal);
    if (!targets.some((target) => target !== null && folderNamed(target, settings.source_folders) !== undefined))
      return [];
  }
  return everyLink(page.path, 'out', granted.store, call.signal);
}

const MAX_LINKS = 1_000;

function isSource({ target, key, line }: ResolvedLink, { sources }: NoteProfile, folders: readonly string[]): boolean {
  if (key !== undefined && SOURCE_PROPERTIES.has(foldName(key.split('.')[0] ?? ''))) return true;
  if (sources.some(([from, to]) => line > from && line < to)) return true;
  return target !== null && folderNamed(target, folders) !== undefined;
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
