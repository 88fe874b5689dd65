// Rule: notes without links in either direction.
import { currentDialect, fileKindOf, type NotePath, noteName } from '../../base/note.ts';
import { orphans as unlinked } from '../../graph/adjacency.ts';
import { nameDate } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { listedGraph } from '../links/note-graph.ts';
import { type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { noteProfiles } from './note-profiles.ts';
import { inboxFolders } from './unprocessed.ts';

interface Orphan extends Finding {
  readonly path: NotePath;
  readonly bytes: number;
}

/** The largest first. */
export const orphans: CheckRule<Orphan> = {
  find: async (query) => {
    const { granted, call, settings } = query;
    const graph = listedGraph(await granted.store.graph(call.signal));
    const paths = unlinked(graph).map((node) => graph.paths[node] as NotePath);
    const sizes = new Map((await noteProfiles(query)).map(({ path, sizeBytes }) => [path, sizeBytes]));
    // A single note has no other to be linked with.
    const expected = graph.paths.length > 1 ? paths.filter((path) => sizes.has(path) && isExpectedToLink(path)) : [];
    const inboxOf = inboxFolders(settings.inbox_folders);
    const orphans = expected.filter((path) => inboxOf(path) === undefined);
    return orphans
      .map((path) => ({ names: [path], path, bytes: sizes.get(path) ?? 0 }))
      .sort((one, other) => other.bytes - one.bytes || (one.path < other.path ? -1 : 1));
  },
  show: (findings, query) =>
    findings.map(({ path, bytes }) => ({
      path,
      bytes,
      ...fixedBy(query, ['find_gaps', { kind: 'unlinked_mentions', note: path }], ['find_related', { note: path }]),
    })),
};

const PAGES_OF_THE_VAULT: ReadonlySet<string> = new Set([
  ...['readme', 'index', '_index', 'home', 'license', 'changelog', 'contributing', 'security', 'agents', 'claude'],
  ...['gemini', 'code_of_conduct', 'dashboard', 'inbox', '404'],
]);
const MAX_LETTERS_BESIDE_DATE = 10;

/** Not the first page of a vault or folder, and not a note about a day, a week or a month. */
function isExpectedToLink(path: NotePath): boolean {
  if (fileKindOf(path) !== 'note') return false;
  const name = foldName(noteName(path));
  const folder = foldName(path.split('/').at(-2) ?? '');
  const letters = name.replace(/[^\p{L}]+/gu, '').length;
  const isOfPeriod = nameDate(path) !== undefined && letters <= MAX_LETTERS_BESIDE_DATE;
  // In Dendron, every note without a dot in its name is below it.
  const isRoot = name === 'root' && currentDialect() === 'dendron';
  return !PAGES_OF_THE_VAULT.has(name) && name !== folder && !isOfPeriod && !isRoot;
}
