// Replaces a text or a regular expression in several notes, after a plan that shows every change.
import * as z from 'zod';
import { plural } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { ChangedName, ProtectedPart, ReplacedText } from '../../markdown/edit/replace-text.ts';
import { candidatesByName, resolveLink } from '../../markdown/links/resolve-link.ts';
import { REFERENCE_FAILURES } from '../notes/note-reference.ts';
import { pathsMatching } from '../notes/vault-filter.ts';
import { writeRefusal } from '../view/outside-view.ts';
import { choiceShape, chosenNotes, forEachNote, type ReadNote } from './chosen-notes.ts';
import { catchUp } from './index-sync.ts';
import { linksToLostParts } from './names/dead-links.ts';
import { linkRepairs } from './names/link-repairs.ts';
import { type ChangedTexts, changedFiles, type FollowedParts, followParts } from './names/renamed-parts.ts';
import { defineWriteTool, planShape, type Refuse, type WriteCall, type WriteSources } from './run-write.ts';
import { firstRows, type WritePlan } from './write-plan.ts';

const input = z.strictObject({
  find: z.string().min(1).optional().describe('or broken_links'),
  replace: z.string().optional().describe('with regex $1, $<name>, $&'),
  regex: z.boolean().optional().describe('find is RE2'),
  in: z
    .array(z.enum(['code', 'properties', 'links']))
    .optional()
    .describe('replace there, too'),
  ...choiceShape,
  everywhere: z.boolean().optional().describe('in all notes'),
  broken_links: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('names, or *: repairs what is clear; default everywhere'),
  plan_id: planShape.plan_id,
  detail: planShape.detail,
});
type Args = z.infer<typeof input>;

export const replaceInNotes = defineWriteTool<Args>({
  name: 'replace_in_notes',
  title: 'Replace in notes',
  summary:
    'Replaces text, or repairs broken_links, in notes, all that a filter matches, or everywhere: one is required. The first call only shows it and returns plan_id; a second with plan_id alone writes.',
  others: { edit_note: 'one note', move_note: 'names of notes' },
  example: { find: 'tyde', replace: 'tide', filter: { folder: 'Log' } },
  words: 'find and replace, regex, fix links',
  effect: 'destroys',
  references: ['notes'],
  index: 'whole',
  fails: [
    ...REFERENCE_FAILURES,
    ...(['INVALID_INPUT', 'INVALID_QUERY', 'CONFIRMATION_REQUIRED'] as const),
    ...(['INDEX_JOB_FAILED', 'CHANGE_NOT_FOUND', 'WRITE_CONFLICT'] as const),
  ],
  input,
  required: [],
  onlyByPlan: true,
  plan: async (args, granted, call) => {
    if (args.broken_links !== undefined) return repairPlan(args, granted, call);
    const search = await checkedSearch(args, call);
    await catchUp(granted.indexer, call);
    const { paths, failed, ...compared } = await pathsToSearch(args, granted, call);
    const replaced: Replaced = {
      notes: new Map(),
      texts: new Map(),
      counts: [],
      leftAlone: { code: 0, properties: 0, links: 0 },
      skipped: [],
      changes: [],
      alike: [],
    };
    const unread = await forEachNote(paths, granted.vault, call, (note) =>
      replaceIn(note, search, replaced, granted.vault, call),
    );
    for (const { id, error } of [...failed, ...unread]) replaced.skipped.push({ path: id, reason: error.message });
    const renaming = replaced.changes.filter(({ renamesParts }) => renamesParts).map(({ path }) => path);
    const followed = await followParts(replaced, renaming, granted, call);
    const rewritten = [...replaced.changes.flatMap(halvesIn), ...followed.rewritten];
    const broken = await brokenLinks(replaced.changes, followed, granted, call);
    const files = await changedFiles(replaced);
    const total = replaced.counts.reduce((sum, { count }) => sum + count, 0);
    return {
      files,
      needsConsent: true,
      affected: files.map(({ result }) => result.path),
      facts: {
        replacements: total,
        notes: replaced.counts,
        left_alone: replaced.leftAlone,
        ...compared,
        ...(rewritten.length === 0 ? {} : { rewritten }),
        ...(replaced.skipped.length === 0 ? {} : { skipped: firstRows(replaced.skipped, 'skipped notes', call) }),
        ...(replaced.alike.length === 0 ? {} : { alike: alikeRows(replaced.alike, call) }),
        ...(broken.length === 0 ? {} : { broken: firstRows(broken, 'broken links', call) }),
      },
    };
  },
});

/** Leads broken links to what they surely mean, and lists the others with what they may mean. */
async function repairPlan(args: Args, granted: WriteSources, call: WriteCall): Promise<WritePlan> {
  const other = (['find', 'replace', 'regex', 'in'] as const).find((name) => args[name] !== undefined);
  if (other !== undefined) throw call.refuse(other, 'cannot be combined with broken_links');
  const names = args.broken_links?.includes('*') ? undefined : args.broken_links;
  const everywhere = args.notes === undefined && args.filter === undefined ? true : args.everywhere;
  refuseOtherPlaces({ ...args, everywhere }, call.refuse);
  await catchUp(granted.indexer, call);
  const { paths, failed, ...compared } = await pathsToSearch({ ...args, everywhere }, granted, call, 'every_kind');
  const { files, repaired, left, unknown, hasMore, unmet } = await linkRepairs(paths, names, granted, call);
  const message = `no broken link of these notes is named ${unmet.map((one) => JSON.stringify(one)).join(', ')}`;
  if (unmet.length > 0) call.warn({ code: 'FILTER_MATCHES_NOTHING', message, count: unmet.length });
  const skipped = failed.map(({ id, error }) => ({ path: id, reason: error.message }));
  return {
    files,
    needsConsent: true,
    affected: files.map(({ result }) => result.path),
    facts: {
      repaired,
      ...compared,
      left: firstRows(left, 'links that stay', call),
      ...(unknown === 0 ? {} : { without_suggestion: unknown }),
      ...(skipped.length === 0 ? {} : { skipped: firstRows(skipped, 'skipped notes', call) }),
      ...(hasMore ? { more: 'call again after this plan, with notes or names of links if it repairs nothing' } : {}),
    },
  };
}

interface Search {
  readonly find: string;
  readonly replace: string;
  readonly regex: boolean;
  readonly parts: readonly ProtectedPart[];
}

/** @throws INVALID_INPUT for arguments that do not say where to search, or a regular expression that the engine does not support */
async function checkedSearch(args: Args, call: WriteCall): Promise<Search> {
  const { find, replace, regex = false, in: parts = [] } = args;
  if (find === undefined) throw call.refuse('find', 'is required without plan_id or broken_links');
  if (replace === undefined) throw call.refuse('replace', 'is required with find');
  refuseOtherPlaces(args, call.refuse);
  const search = { find, replace, regex, parts };
  const checked = await call.compute.run(jobs.replace, { path: '', text: '', ...search }, call.signal);
  if ('rule' in checked) throw call.refuse(checked.argument, checked.rule);
  return search;
}

/** @throws INVALID_INPUT unless the arguments say in one way where to search */
function refuseOtherPlaces(args: Args, refuse: Refuse): void {
  const everywhere = args.everywhere === true ? true : undefined;
  const ways = (['notes', 'filter', 'everywhere'] as const).filter(
    (way) => ({ ...args, everywhere })[way] !== undefined,
  );
  const [first = 'notes', second] = ways;
  if (ways.length === 0) throw refuse(first, 'is required without filter or everywhere: true');
  if (second !== undefined) throw refuse(first, `cannot be combined with ${second}`);
}

/** @throws the error of the first note if none of them can be searched */
async function pathsToSearch(
  args: Args,
  granted: WriteSources,
  call: WriteCall,
  kinds: 'markdown' | 'every_kind' = 'markdown',
) {
  if (args.everywhere !== true) {
    const { succeeded, failed, ...compared } = await chosenNotes(args, granted, call, kinds);
    if (succeeded.length === 0) for (const { error } of failed) throw error;
    return { paths: succeeded.map(({ result }) => result), failed, ...compared };
  }
  const paths = await pathsMatching({}, granted.store, call.signal);
  return { paths: paths.filter((path) => kinds === 'every_kind' || fileKindOf(path) === 'note'), failed: [] };
}

interface Changed {
  readonly path: NotePath;
  readonly before: string;
  readonly after: string;
  readonly links: readonly ChangedName[];
  readonly lostLabels: ReplacedText['lostLabels'];
  readonly halves: ReplacedText['halves'];
  readonly renamesParts: boolean;
}

interface Replaced extends ChangedTexts {
  readonly counts: { path: string; count: number }[];
  readonly leftAlone: Record<ProtectedPart, number>;
  readonly skipped: { path: string; reason: string }[];
  readonly changes: Changed[];
  readonly alike: { path: string; line: number; text: string; differs_in: readonly string[] }[];
}

async function replaceIn(
  note: ReadNote,
  search: Search,
  found: Replaced,
  vault: WriteSources['vault'],
  call: WriteCall,
): Promise<void> {
  const { path, text } = note;
  if (fileKindOf(path) !== 'note') return void found.skipped.push({ path, reason: 'it is not a Markdown note' });
  const isCertain = !search.regex && !/[\r\n]/.test(search.find);
  if (isCertain && !text.includes(search.find)) {
    const alike = await call.compute.run(jobs.lookalike, { text, passage: search.find }, call.signal);
    if (alike !== undefined) found.alike.push({ path, ...alike });
    return;
  }
  const replaced = await call.compute.run(jobs.replace, { path, text, ...search }, call.signal);
  if ('rule' in replaced) throw call.refuse(replaced.argument, replaced.rule);
  addLeftAlone(found.leftAlone, replaced.leftAlone);
  if (replaced.text === text) return;
  const reason = writeRefusal(path, vault)?.message ?? reasonAgainst(note, replaced);
  if (reason !== undefined) return void found.skipped.push({ path, reason });
  found.counts.push({ path, count: replaced.count });
  const { links, lostLabels, halves, renamesParts } = replaced;
  found.notes.set(path, note);
  found.texts.set(path, replaced.text);
  if (links.length > 0 || lostLabels.length > 0 || halves.length > 0 || renamesParts)
    found.changes.push({ path, before: text, after: replaced.text, links, lostLabels, halves, renamesParts });
}

function addLeftAlone(sum: Record<ProtectedPart, number>, more: ReplacedText['leftAlone']): void {
  for (const part of ['code', 'properties', 'links'] as const) sum[part] += more[part];
}

function reasonAgainst({ isText }: ReadNote, { fault }: { readonly fault?: string }): string | undefined {
  if (!isText) return 'it is not UTF-8 text';
  return fault === undefined ? undefined : `its properties would not be valid YAML: ${fault}`;
}

const MAX_ALIKE = 50;

/** Texts that only look like the searched one are left alone, and named. */
function alikeRows(alike: Replaced['alike'], call: CallContext): readonly object[] {
  const kinds = [...new Set(alike.flatMap(({ differs_in }) => differs_in))].join(', ');
  const message = `${plural(alike.length, 'note')} with a text that looks the same and differs in ${kinds}: not replaced`;
  call.warn({ code: 'TEXT_DIFFERS', message, count: alike.length });
  return firstRows(alike, 'texts that look the same', call, MAX_ALIKE);
}

/** Links of the changed notes that lead nowhere or elsewhere now, and links to their parts that are gone. */
async function brokenLinks(
  changes: readonly Changed[],
  followed: FollowedParts,
  { store }: WriteSources,
  call: CallContext,
) {
  const isKept = new Set([...followed.rewritten, ...followed.changed].map(placeOf));
  const states = changes.length === 0 ? [] : await store.fileStates(call.signal);
  const candidates = candidatesByName(states.map(({ path }) => path));
  const broken: { path: string; line: number; link: string; reason: string }[] = [];
  for (const change of changes) {
    const { path, links } = change;
    for (const { line, before, after } of links) {
      const target = resolveLink(before, path, candidates).path;
      const now = after === null ? null : resolveLink(after, path, candidates).path;
      const reason = now === null ? 'leads to no note' : `leads to ${now}`;
      if (target !== null && now !== target) broken.push({ path, line, link: after ?? before, reason });
    }
    const reason = 'no definition has this label any more';
    broken.push(...change.lostLabels.map(({ line, label }) => ({ path, line, link: label, reason })));
    if (change.renamesParts)
      broken.push(...(await linksToLostParts(change, store, call)).filter((link) => !isKept.has(placeOf(link))));
  }
  return broken;
}

const halvesIn = ({ path, halves }: Changed) => halves.map(({ line, label }) => ({ path, line, link: label }));

const placeOf = ({ path, line, link }: { readonly path: string; readonly line: number; readonly link: string }) =>
  JSON.stringify([path, line, link]);
