// Finds the links of notes that lead nowhere, and changes those whose meaning is clear.
import { fileKindOf, type Link, type NotePath, noteName } from '../../../base/note.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { foldName, splitLink } from '../../../markdown/links/fold.ts';
import { resolveWritten } from '../../../markdown/links/link-changes.ts';
import { meantParts, nearestParts } from '../../../markdown/links/nearest-parts.ts';
import { type CandidatesFor, candidatesByName } from '../../../markdown/links/resolve-link.ts';
import { type LinkTarget, retarget } from '../../../markdown/links/retarget-links.ts';
import { leastTypos } from '../../../markdown/links/typos.ts';
import { attachmentsNamed, filesByName, similarAttachments } from '../../notes/file-names.ts';
import { hasPart, missingParts, namesPart } from '../../notes/missing-parts.ts';
import { listedCandidates, nameIndex } from '../../notes/name-index.ts';
import { writeRefusal } from '../../view/outside-view.ts';
import { forEachNote, type ReadNote } from '../chosen-notes.ts';
import { SMALL_FILE } from '../moves/moved-links.ts';
import type { WriteSources } from '../run-write.ts';
import { type PlannedFile, replacement } from '../write-plan.ts';

/** Where a link is, and how it is written. */
interface LinkPlace {
  readonly path: NotePath;
  readonly line: number;
  readonly link: string;
}

export interface LinkRepairs {
  readonly files: readonly PlannedFile[];
  /** `to`: the file, with the part, that the link leads to then. */
  readonly repaired: readonly (LinkPlace & { readonly to: string })[];
  /** Links that may mean several things, or that cannot be written. */
  readonly left: readonly (LinkPlace & { readonly choices?: readonly string[]; readonly reason?: string })[];
  /** Links that are like no name of the vault. */
  readonly unknown: number;
  /** Whether links were left out: every repair of a plan is to be seen, and a call has its limit. */
  readonly hasMore: boolean;
  /** Wanted names that no link has. */
  readonly unmet: readonly string[];
}

interface Repairs extends LinkRepairs {
  readonly files: PlannedFile[];
  readonly repaired: (LinkPlace & { readonly to: string })[];
  readonly left: LinkRepairs['left'][number][];
  unknown: number;
  hasMore: boolean;
}

/** A plan ends with the note in which it reaches this number. */
const MAX_REPAIRS = 200;
/** The limit for links without a target, and for parts that are missing. Each is compared with all names of the vault. */
const MAX_NAMES = 1_000;
const MAX_CHOICES = 3;
const NO_TEXT = 'it is not UTF-8 text';

/** What a link means: one file, several that are equally likely, or nothing known. */
interface Meaning {
  readonly target?: NotePath;
  /** Whether the link is written by another name of the note, which readers are to go on seeing. */
  readonly byOtherName?: boolean;
  readonly choices: readonly string[];
}

interface Search {
  readonly files: CandidatesFor;
  /** Every file of the vault, also where a client does not see all of it. */
  readonly wholeVault: CandidatesFor;
  readonly isWanted: (link: string) => boolean;
  readonly meanings: Map<string, Meaning>;
  readonly granted: WriteSources;
  readonly call: CallContext;
}

/** @param names of the links to repair; undefined for all */
export async function linkRepairs(
  paths: readonly NotePath[],
  names: readonly string[] | undefined,
  granted: WriteSources,
  call: CallContext,
): Promise<LinkRepairs> {
  const files = await filesByName(granted.store, call);
  const whole = await granted.vault.view?.whole?.list(call.signal);
  const wholeVault = whole === undefined ? files : candidatesByName(whole.files.map(({ path }) => path));
  const requested = new Set(names?.map(comparable));
  const unmet = new Map(names?.map((name) => [comparable(name), name]));
  const isWanted = (link: string): boolean => {
    const matching = [link, splitLink(link).path].map(comparable).filter((name) => requested.has(name));
    for (const name of matching) unmet.delete(name);
    return names === undefined || matching.length > 0;
  };
  const search = { files, wholeVault, isWanted, meanings: new Map(), granted, call };
  const { notes, isAll } = await notesWithBroken(paths, requested, granted, call);
  const repairs: Repairs = { files: [], repaired: [], left: [], unknown: 0, hasMore: !isAll, unmet: [] };
  await forEachNote(notes, granted.vault, call, async (note) => {
    if (repairs.repaired.length >= MAX_REPAIRS || search.meanings.size >= MAX_NAMES) repairs.hasMore = true;
    else await repairIn(note, search, repairs);
  });
  return { ...repairs, unmet: repairs.hasMore ? [] : [...unmet.values()] };
}

const comparable = (link: string): string => foldName(link.trim()).replace(/\.md(?=#|$)/, '');

/** Their text is read whether they have such links or not. */
const FEW_NOTES = 500;
const NAMES_AT_ONCE = 200;
const EVERY_LINK = { limit: 100_000, offset: 0 };

/** Those of the paths that the index knows to have a link that leads nowhere, in their order. @param requested empty for all names */
async function notesWithBroken(
  paths: readonly NotePath[],
  requested: ReadonlySet<string>,
  { store }: WriteSources,
  { signal }: CallContext,
): Promise<{ readonly notes: readonly NotePath[]; readonly isAll: boolean }> {
  if (paths.length <= FEW_NOTES) return { notes: paths, isAll: true };
  const sources = new Set<NotePath>();
  let total = 1;
  for (let offset = 0; offset < total && (requested.size > 0 || offset < MAX_NAMES); offset += NAMES_AT_ONCE) {
    const links = requested.size > 0 ? 0 : EVERY_LINK.limit;
    const page = await store.unresolved({}, links, { limit: NAMES_AT_ONCE, offset }, signal);
    total = page.total;
    for (const [at, { name }] of page.groups.entries()) {
      if (!requested.has(comparable(name))) continue;
      const one = await store.unresolved({}, EVERY_LINK.limit, { limit: 1, offset: offset + at }, signal);
      for (const { source } of one.groups.flatMap((group) => group.links)) sources.add(source);
    }
    for (const { source } of page.groups.flatMap((group) => group.links)) sources.add(source);
  }
  const missing = await missingParts(await store.linkedParts({}, signal), store, signal);
  for (const part of missing.slice(0, MAX_NAMES))
    for (const { source } of await store.linksToPart(part, {}, EVERY_LINK, signal)) sources.add(source);
  const isAll = missing.length <= MAX_NAMES && (requested.size > 0 || total <= MAX_NAMES);
  return { notes: paths.filter((path) => sources.has(path)), isAll };
}

/** A link of the note, by its place among all of them. */
type NoteLink = Pick<Link, 'kind' | 'link' | 'line'> & { readonly subpath: string };

async function repairIn(note: ReadNote, search: Search, repairs: Repairs): Promise<void> {
  const { path, text } = note;
  const { granted, call, files } = search;
  const { links } = await call.compute.run(jobs.compare_texts, { path, after: text }, call.signal);
  const changes: LinkTarget[] = [];
  for (const [index, link] of links.entries()) {
    const place = { path, line: link.line, link: writtenAs(link) };
    if (search.meanings.size >= MAX_NAMES) {
      repairs.hasMore = true;
      break;
    }
    const change = search.isWanted(place.link) ? await repairOf(link, path, search) : undefined;
    if (change === undefined) continue;
    if ('target' in change) changes.push({ index, ...change });
    else if (change.choices.length > 0) repairs.left.push({ ...place, choices: change.choices });
    else repairs.unknown += 1;
  }
  if (changes.length === 0) return;
  const refusal = note.isText ? writeRefusal(path, granted.vault)?.message : NO_TEXT;
  const request = { path, text, changes, areBroken: true };
  const isSmall = Buffer.byteLength(text) <= SMALL_FILE;
  const paths = async () => (await granted.store.fileStates(call.signal)).map((state) => state.path);
  const result = isSmall
    ? retarget(request, files)
    : await call.compute.run(jobs.retarget, { ...request, paths: await paths() }, call.signal);
  for (const { index, target, subpath } of changes) {
    const link = links[index] as NoteLink;
    const place = { path, line: link.line, link: writtenAs(link) };
    const reason = refusal ?? (result.failed.includes(index) ? 'no link of this form can name it' : undefined);
    if (reason === undefined) repairs.repaired.push({ ...place, to: target + subpath });
    else repairs.left.push({ ...place, choices: [target + subpath], reason });
  }
  if (refusal === undefined)
    repairs.files.push(...(await replacement(note, result.text, { needsConsent: true })).files);
}

const writtenAs = ({ kind, link, subpath }: NoteLink): string => (kind === 'canvas' ? link + subpath : link);

/** What a link that leads nowhere is to lead to, or may mean; undefined for one that leads somewhere. */
async function repairOf(link: NoteLink, source: NotePath, search: Search) {
  const { kind, subpath } = link;
  const { path } = resolveWritten(link, source, search.files);
  if (path === null) {
    const isHidden = resolveWritten(link, source, search.wholeVault).path !== null;
    const { target, byOtherName, choices } = isHidden ? NOTHING : await meaningOf(link, search);
    if (target === undefined) return { choices };
    const [part = subpath, other] = await partsMeant(subpath, target, search);
    return { target, subpath: other === undefined ? part : subpath, ...(byOtherName && { keepsText: true }) };
  }
  if (!namesPart(subpath) || fileKindOf(path) !== 'note') return undefined;
  const outline = await outlineOf(path, search);
  if (outline === undefined || hasPart(subpath, outline)) return undefined;
  const [part, other] = meantParts(subpath, outline);
  if (part !== undefined && other === undefined) return { target: path, subpath: part };
  const near = part === undefined ? nearestParts(subpath, outline) : meantParts(subpath, outline);
  return { choices: near.slice(0, MAX_CHOICES).map((one) => `${kind === 'canvas' ? path : noteName(path)}${one}`) };
}

const NOTHING: Meaning = { choices: [] };

/** The part as written if the file has it, else what it surely means. */
async function partsMeant(subpath: string, target: NotePath, search: Search): Promise<readonly string[]> {
  if (!namesPart(subpath) || fileKindOf(target) !== 'note') return [subpath];
  const outline = await outlineOf(target, search);
  return outline === undefined || hasPart(subpath, outline) ? [subpath] : meantParts(subpath, outline);
}

async function outlineOf(path: NotePath, { granted, call }: Search) {
  const [record] = await granted.store.notes([path], call.signal);
  return record === undefined || record.hash === null ? undefined : record;
}

async function meaningOf({ kind, link }: NoteLink, search: Search): Promise<Meaning> {
  const name = kind === 'canvas' ? link : splitLink(link).path;
  const meaning = search.meanings.get(name) ?? (await findMeaning(name, search));
  search.meanings.set(name, meaning);
  return meaning;
}

/** By another path, by an alias or title, or by a name that it misspells. */
async function findMeaning(name: string, { granted: { store }, call }: Search): Promise<Meaning> {
  const [first, ...others] = await listedCandidates(name, store, call);
  if (first !== undefined) {
    const equal = [first, ...others.filter(({ by, exact }) => by === first.by && exact === first.exact)];
    return oneOf(
      equal.map(({ path }) => path),
      first.by === 'alias' || first.by === 'title',
    );
  }
  const attachments = await attachmentsNamed(name, store, call);
  if (attachments.length > 0) return oneOf(attachments);
  const names = await nameIndex(store, call);
  const notes = names.misspelledNotes(name);
  if (notes.length > 0) return oneOf(notes);
  const extension = EXTENSION.exec(name)?.[0].toLowerCase();
  const similar = extension === undefined ? [] : await similarAttachments(name, MAX_CHOICES, store, call);
  const near = similar.filter((path) => path.toLowerCase().endsWith(extension ?? ''));
  const meant = leastTypos(
    noteName(name),
    near.map((path) => ({ name: noteName(path), path: path as NotePath })),
  );
  if (meant.length > 0) return oneOf(meant.map(({ path }) => path));
  const closest = names.closestNote(name);
  // Another day or number is not a misspelled one.
  const isLikely = closest !== undefined && numbersIn(noteName(closest)) === numbersIn(name);
  return { choices: isLikely ? [closest] : similar };
}

const numbersIn = (name: string): string => (name.match(/\p{N}+/gu) ?? []).join(' ');

/** The extension of a name with one. */
const EXTENSION = /\.\w{1,8}$/;

function oneOf(paths: readonly NotePath[], byOtherName = false): Meaning {
  const [target, second] = new Set(paths);
  if (target === undefined || second !== undefined) return { choices: [...new Set(paths)].slice(0, MAX_CHOICES) };
  return { target, byOtherName, choices: [] };
}
