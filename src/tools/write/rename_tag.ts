// Renames a tag in the properties and the text of every note and canvas.
import * as z from 'zod';
import { plural } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { comparePaths } from '../../base/path-order.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { isTagName } from '../../markdown/parse/tag.ts';
import { type TagRename, tagMapper } from '../../markdown/properties/tag-name.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { similarTags } from '../notes/similar-names.ts';
import { EVERY_FILE, pathsMatching } from '../notes/vault-filter.ts';
import { forEachNote, type ReadNote } from './chosen-notes.ts';
import { catchUp } from './index-sync.ts';
import { type ChangedTexts, changedFiles, type FollowingLink, followParts } from './names/renamed-parts.ts';
import { confirmShape, defineWriteTool, planShape, type WriteSources } from './run-write.ts';
import { firstRows, type WritePlan } from './write-plan.ts';

const input = z.strictObject({
  from: z.string().optional().describe('required without plan_id'),
  to: z.string().optional().describe('required without plan_id: area/sub'),
  nested: z.boolean().optional().describe('tags below it, too; default true'),
  ...confirmShape,
  ...planShape,
});
type Args = z.infer<typeof input>;

export const renameTag = defineWriteTool<Args>({
  name: 'rename_tag',
  title: 'Rename tag',
  summary:
    'Renames a tag in all notes, or merges it into another; code and queries stay and are listed. Needs plan_id or confirm. Returns changed notes and change_id.',
  words: 'merge tags, hashtag',
  effect: 'destroys',
  index: 'whole',
  fails: [
    ...(['INVALID_INPUT', 'CONFIRMATION_REQUIRED', 'CHANGE_NOT_FOUND', 'WRITE_CONFLICT'] as const),
    ...(['LINK_INTEGRITY', 'INDEX_JOB_FAILED', 'VAULT_UNAVAILABLE'] as const),
  ],
  input,
  required: ['from', 'to'],
  plan: async (args, granted, call) => {
    const rename = requestedRename(args);
    await catchUp(granted.indexer, call);
    const tags = await granted.store.listTags(undefined, EVERY_FILE, call.signal);
    const map = tagMapper(rename);
    if (!tags.some(({ tag }) => map(tag.slice(1)) !== undefined)) throw await unknownTag(rename, granted, call);
    const renamed = await renamedNotes(rename, granted, call);
    const { broken } = await followParts(renamed, [...renamed.notes.keys()], granted, call);
    return tagPlan(rename, renamed, broken, mergesOf(tags, rename), call);
  },
});

type Tags = readonly { readonly tag: string; readonly count: number }[];

/** @throws INVALID_INPUT */
function requestedRename({ from = '', to = '', nested = true }: Args): TagRename {
  const [old, wanted] = [from, to].map((tag) => tag.trim().replace(/^#/, '').replace(/\/+$/, ''));
  const issues = [['from', old] as const, ['to', wanted] as const].flatMap(([path, tag = '']) =>
    isTagName(tag) ? [] : [{ path, rule: `${JSON.stringify(tag)} is not a tag, such as area/sub without blanks` }],
  );
  if (issues.length > 0) throw inputRefusal('rename_tag', Object.keys(input.shape), ...issues);
  return { from: old ?? '', to: wanted ?? '', nested };
}

async function unknownTag({ from }: TagRename, { store }: WriteSources, { signal }: CallContext) {
  const [nearest] = await similarTags(from, store, signal);
  const meant = nearest === undefined ? {} : { did_you_mean: nearest.slice(1) };
  const rule = `no note has the tag #${from}${nearest === undefined ? '; list_tags shows the tags' : ''}`;
  const issue = { path: 'from', rule, ...meant };
  return inputRefusal('rename_tag', Object.keys(input.shape), issue);
}

/** The tags that exist under the new name already, each with the number of their notes. */
function mergesOf(tags: Tags, rename: TagRename) {
  const map = tagMapper(rename);
  const texts = new Map(
    tags.filter(({ tag }) => map(tag.slice(1)) === undefined).map((row) => [foldName(row.tag), row]),
  );
  return tags.flatMap(({ tag, count }) => {
    const into = texts.get(foldName(`#${map(tag.slice(1)) ?? ''}`));
    return into === undefined ? [] : [{ tag, notes: count, into: into.tag, into_notes: into.count }];
  });
}

interface RenamedNotes extends ChangedTexts {
  readonly affected: string[];
  readonly counts: Map<string, number>;
  readonly skipped: { path: string; reason: string }[];
  readonly left: { path: string; line: number; text: string }[];
}

/** Notes with the name in their text are read, too: it may be in code. */
async function renamedNotes(rename: TagRename, granted: WriteSources, call: CallContext): Promise<RenamedNotes> {
  const texts = { notes: new Map(), texts: new Map() };
  const renamed: RenamedNotes = { ...texts, affected: [], counts: new Map(), skipped: [], left: [] };
  const tagged = await pathsMatching({ ...EVERY_FILE, tags: [`#${rename.from}`] }, granted.store, call.signal);
  const paths = new Set([...tagged, ...(await filesNaming(rename.from, granted, call))]);
  const ordered = [...paths].sort(comparePaths);
  const unread = await forEachNote(ordered, granted.vault, call, (note) => renameIn(note, rename, renamed, call));
  const has = new Set<string>(tagged);
  for (const { id, error } of unread) if (has.has(id)) renamed.skipped.push({ path: id, reason: error.message });
  return renamed;
}

const MAX_NAMING = 2_000;

async function filesNaming(name: string, { store }: WriteSources, call: CallContext): Promise<readonly NotePath[]> {
  const bases = (await store.fileStates(call.signal)).filter(({ kind }) => kind === 'base').map(({ path }) => path);
  const naming = await store.mentions(name, MAX_NAMING + 1, call.signal);
  const message = `the name is in very many notes: ${MAX_NAMING} were searched for it in code and queries`;
  if (naming.length > MAX_NAMING) call.warn({ code: 'TRUNCATED', message });
  // The properties of these are in no index.
  const unread = await store.quarantine({ limit: MAX_NAMING, offset: 0 }, call.signal);
  const faulty = unread.filter(({ phase }) => phase === 'parse').map(({ path }) => path as NotePath);
  const inProperties = await Promise.all(
    ['tags', 'tag'].map((property) =>
      pathsMatching(
        { ...EVERY_FILE, where: [{ name: property, operator: 'contains', value: name }] },
        store,
        call.signal,
      ),
    ),
  );
  return [...bases, ...faulty, ...inProperties.flat(), ...naming.slice(0, MAX_NAMING)];
}

async function renameIn(note: ReadNote, rename: TagRename, found: RenamedNotes, call: CallContext): Promise<void> {
  const { path, text } = note;
  const outcome = await outcomeOf(call.compute.run(jobs.rename_tag, { path, text, rename }, call.signal));
  if (!('value' in outcome)) {
    const isOfNote = outcome.error.code === 'PROPERTIES_INVALID' || outcome.error.code === 'INVALID_INPUT';
    if (!isOfNote) throw outcome.error;
    found.skipped.push({ path, reason: outcome.error.message });
    return;
  }
  const { renamed, reason, spellings, text: after } = outcome.value;
  found.left.push(...spellings.map((spelling) => ({ path, ...spelling })));
  if (reason !== undefined) found.skipped.push({ path, reason });
  if (renamed.length === 0) return;
  if (!note.isText) {
    found.skipped.push({ path, reason: 'it is not UTF-8 text' });
    return;
  }
  for (const { tag } of renamed) found.counts.set(tag, (found.counts.get(tag) ?? 0) + 1);
  found.notes.set(path, note);
  found.texts.set(path, after);
  found.affected.push(`${path} (${plural(renamed.length, 'tag')})`);
}

const MAX_LEFT = 50;

async function tagPlan(
  rename: TagRename,
  found: RenamedNotes,
  broken: readonly FollowingLink[],
  merges: readonly object[],
  call: CallContext,
): Promise<WritePlan> {
  const { affected, counts, skipped, left } = found;
  const files = await changedFiles(found);
  const map = tagMapper(rename);
  const renamed = [...counts].map(([tag, places]) => ({ tag, to: `#${map(tag.slice(1))}`, places }));
  if (skipped.length > 0) warnOfSkipped(skipped.length, call);
  return {
    files,
    affected,
    renamesTag: rename,
    needsConsent: files.length > 1,
    facts: {
      renamed: firstRows(renamed, 'tags', call),
      ...(merges.length === 0 ? {} : { merges: firstRows(merges, 'merged tags', call) }),
      ...(skipped.length === 0 ? {} : { skipped: firstRows(skipped, 'skipped notes', call) }),
      ...(broken.length === 0 ? {} : { broken: firstRows(broken, 'broken links', call) }),
      ...(left.length === 0 ? {} : { left: firstRows(left, 'spellings that stay', call, MAX_LEFT) }),
    },
  };
}

function warnOfSkipped(count: number, call: CallContext): void {
  call.warn({
    code: 'EXTRA_MISSING',
    message: `${plural(count, 'note')} could not be changed and ${count === 1 ? 'keeps' : 'keep'} the old tag`,
    count,
  });
}
