// Adds to a planned write what it does beyond its files: names that it takes from other notes, new links that lead nowhere, and properties that Obsidian ignores.

import { plural, repeatFailure, type VaultgraphError } from '../../../base/errors.ts';
import { fileKindOf, type NotePath, noteName, withoutNoteExtension } from '../../../base/note.ts';
import { outcomeOf } from '../../../base/outcome.ts';
import type { NameCandidate } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { foldName, nameKeyOf } from '../../../markdown/links/fold.ts';
import { resolveWritten } from '../../../markdown/links/link-changes.ts';
import { isInFolder } from '../../notes/file-names.ts';
import { everyLink } from '../../notes/note-view.ts';
import { templateFolders } from '../../notes/vault-filter.ts';
import type { TakenName, WritePlan } from '../write-plan.ts';
import { deadLinks } from './dead-links.ts';
import {
  type PlannedPaths,
  type PlannedText,
  plannedFiles,
  plannedPaths,
  plannedTexts,
  type Sources,
} from './planned-names.ts';

/** A plan that takes a name from another note needs consent. */
export async function withSideEffects(plan: WritePlan, granted: Sources, call: CallContext): Promise<WritePlan> {
  if (plan.files.length === 0 || plan.renamesTag !== undefined) return plan;
  const paths = plannedPaths(plan);
  const texts = await plannedTexts(plan, call);
  let answer: Promise<boolean> | undefined;
  const learnNames = () => (answer ??= compareNames(granted, call, paths.added.size > 0));
  const takesOver = await takenNames(paths, texts, granted, call, learnNames);
  // A move writes no links of its own, and lists those that it cannot keep.
  const dead = plan.moves === undefined ? await newDeadLinks(paths, texts, granted, call, learnNames) : undefined;
  const ignored = texts.flatMap((text) => text.notices.map((notice) => ({ path: text.path, notice })));
  const facts = {
    ...(takesOver.length === 0 ? {} : { takes_over: takesOver }),
    ...(dead === undefined ? {} : { unresolved_links: dead.links }),
  };
  return {
    ...plan,
    ...(takesOver.length === 0 ? {} : { takesOver, needsConsent: true }),
    affected: [...takesOver.map(takenNameText), ...plan.affected],
    ...(dead === undefined ? {} : { deadLinks: dead }),
    ...(ignored.length === 0 ? {} : { ignoredProperties: ignored }),
    facts: { ...plan.facts, ...facts },
  };
}

const MAX_PLACES = 50;
/** A scan of the vault for changes that the index does not have yet; a longer wait would be worse than the warning. */
const MAX_SCAN_MS = 5_000;

async function takenNames(
  paths: PlannedPaths,
  texts: readonly PlannedText[],
  granted: Sources,
  call: CallContext,
  learnNames: () => Promise<boolean>,
): Promise<readonly TakenName[]> {
  const gainsName = texts.some(({ aliases, title }) => aliases.length > 0 || title !== undefined);
  if (paths.added.size === 0 && !gainsName) return [];
  await learnNames();
  const byLinks = await takenByPath(paths, texts, granted, call);
  const taken = new Set(byLinks.map(({ name, to }) => `${foldName(name)}\0${to}`));
  // What an undo gives back was so before; only links that someone wrote since can be taken by it.
  const byNames = paths.isUndo ? [] : await takenByName(paths, texts, granted, call);
  return [...byLinks, ...byNames.filter(({ name, to }) => !taken.has(`${foldName(name)}\0${to}`))];
}

/** A link that leads nowhere in an index that may be behind is looked up again after a comparison, and left out without one. */
async function newDeadLinks(
  paths: PlannedPaths,
  texts: readonly PlannedText[],
  granted: Sources,
  call: CallContext,
  learnNames: () => Promise<boolean>,
) {
  const dead = await deadLinks(paths, texts, granted, call);
  if (dead === undefined || isCurrent(granted)) return dead;
  return (await learnNames()) ? deadLinks(paths, texts, granted, call) : undefined;
}

function isCurrent({ indexer }: Sources): boolean {
  const { complete, freshness, watching } = indexer.state();
  return complete && freshness === 'fresh' && watching.mode === 'events' && watching.pending === 0;
}

/**
 * Compares the index with the vault if it may be behind.
 * @param isAdding whether the plan adds files
 * @returns whether the index has every name now
 * @throws MASS_DELETE_BLOCKED for a plan that adds files to a folder where hardly any note is left: a drive that is mounted there later would hide them
 */
async function compareNames(sources: Sources, call: CallContext, isAdding: boolean): Promise<boolean> {
  if (isCurrent(sources)) return true;
  const enough = AbortSignal.timeout(Math.floor(Math.min(MAX_SCAN_MS, call.msLeft() / 2)));
  const outcome = await outcomeOf(sources.indexer.catchUp(AbortSignal.any([call.signal, enough])));
  call.signal.throwIfAborted();
  const { state, error } = 'value' in outcome ? outcome.value : {};
  if (state === 'succeeded') return true;
  if (isAdding && error !== undefined && isEmptied(error)) throw repeatFailure(error);
  const message = 'the index is not complete, so names and links that it does not have yet were not compared';
  call.warn({ code: 'STALE_UNKNOWN', message });
  return false;
}

/** The part of the known notes above which hardly any is left; a vault that is synchronized only in part keeps more. */
const MAX_MISSING = 0.9;

const isEmptied = (error: VaultgraphError): boolean =>
  error.code === 'MASS_DELETE_BLOCKED' && (error as VaultgraphError<'MASS_DELETE_BLOCKED'>).details.ratio > MAX_MISSING;

/** Links that would lead to a file of the same name. */
async function takenByPath(
  paths: PlannedPaths,
  texts: readonly PlannedText[],
  granted: Sources,
  call: CallContext,
): Promise<readonly TakenName[]> {
  const { added, moved, gone } = paths;
  const files = await plannedFiles(paths, granted, call);
  const keys = new Set([...added].map(nameKeyOf));
  const namesakes = new Set([...keys].flatMap((key) => [key, withoutNoteExtension(key)]).flatMap(files.before));
  const dropped = new Map(
    texts.flatMap((text) => (text.from === undefined ? [] : [[text.from, new Set(text.dropped)]])),
  );
  const names: TakenName[] = [];
  for (const note of namesakes) {
    if (added.has(note) || gone.has(note)) continue;
    const places: { path: NotePath; line: number; link: string; to: NotePath }[] = [];
    let rewritten = 0;
    for (const { source, line, link, kind } of await everyLink(note, 'in', granted.store, call.signal)) {
      if (gone.has(source) && !moved.has(source)) continue;
      const to = resolveWritten({ kind, link }, moved.get(source) ?? source, files.after).path;
      if (to === null || to === note) continue;
      const isKept = dropped.get(source)?.has(link) !== true;
      if (isKept) places.push({ path: source, line, link, to });
      else if (moved.size > 0) rewritten += 1;
    }
    const to = places[0]?.to ?? [...added].find((path) => nameKeyOf(path) === nameKeyOf(note));
    if (to === undefined || (places.length === 0 && rewritten === 0)) continue;
    const shown = places.slice(0, MAX_PLACES).map(({ to: _to, ...place }) => place);
    const rest = rewritten === 0 ? {} : { rewritten };
    names.push({ name: noteName(note), note, by: 'name', to, links: places.length, ...rest, places: shown });
  }
  return names;
}

interface GivenName {
  readonly name: string;
  readonly to: NotePath;
  readonly as: 'name' | 'alias' | 'title';
}

/** Names by which another note alone is meant, although no link resolves by them. Templates give theirs to the notes made from them. */
async function takenByName(
  { added, moved, gone, template }: PlannedPaths,
  texts: readonly PlannedText[],
  { store, vault }: Sources,
  call: CallContext,
): Promise<readonly TakenName[]> {
  const templates = await templateFolders(vault, call);
  const isTemplate = (path: NotePath): boolean =>
    path === template || templates.some((folder) => isInFolder(path, folder));
  const sources = new Map([...moved].map(([from, to]) => [to, from]));
  const isRenamed = (path: NotePath): boolean => noteName(sources.get(path) ?? '') !== noteName(path);
  const stems = [...added].filter((path) => fileKindOf(path) === 'note' && isRenamed(path));
  const given: GivenName[] = [
    ...stems.map((path): GivenName => ({ name: noteName(path), to: path, as: 'name' })),
    ...texts.flatMap(({ path, aliases }) => aliases.map((name): GivenName => ({ name, to: path, as: 'alias' }))),
    ...texts.flatMap(({ path, title }): GivenName[] =>
      title === undefined ? [] : [{ name: title, to: path, as: 'title' }],
    ),
  ];
  const taken: TakenName[] = [];
  const keptNames = new Map(texts.map(({ path, names }) => [path, new Set(names.map(foldName))]));
  for (const { name, to, as } of given) {
    const isLost = ({ path, by }: NameCandidate): boolean =>
      (by === 'alias' || by === 'title') && keptNames.get(path)?.has(foldName(name)) === false;
    const having = (await store.candidates(name, call.signal)).filter(({ path }) => !isTemplate(path));
    // Another note passes its name on.
    if (having.some(({ path }) => gone.has(path) && !moved.has(path))) continue;
    const others = having.filter((one) => one.path !== to && one.path !== sources.get(to) && !isLost(one));
    const [first] = others;
    if (first === undefined || others.some((one) => one.path !== first.path && one.by === first.by)) continue;
    const isNamesake = first.by === 'name' || first.by === 'path';
    if (isNamesake && as !== 'alias') continue;
    const links = isNamesake ? 0 : await linksWritten(name, store, call);
    if (as === 'title' && links === 0) continue;
    taken.push({ name, note: first.path, by: isNamesake ? 'name' : first.by, to, links });
  }
  return taken;
}

/** Links that name a file which does not exist. */
function linksWritten(name: string, store: Sources['store'], { signal }: CallContext): Promise<number> {
  return store.unresolvedNamed(name, signal);
}

/** One sentence for each. */
function takenNameText({ name, note, by, to, links, rewritten = 0 }: TakenName): string {
  if (rewritten > 0 && links === 0)
    return `${note} has the name of ${to} already: ${plural(rewritten, 'link')} to it would be rewritten to keep leading there`;
  if (by === 'name' && links > 0)
    return `${note} exists, and ${plural(links, 'link')} that ${links === 1 ? 'leads' : 'lead'} to it would lead to ${to}`;
  const written = links === 0 ? '' : ` (${plural(links, 'link')} ${links === 1 ? 'is' : 'are'} written so)`;
  return `${JSON.stringify(name)} already means ${note}, by its ${by}${written}, and would also mean ${to}`;
}
