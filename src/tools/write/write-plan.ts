// Describes what a tool is about to write, and builds its answer.
import { contentHash } from '../../base/content-hash.ts';
import type { NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { FileOperation } from '../../contracts/writer.ts';
import type { TextChanges } from '../../markdown/links/text-names.ts';
import { lineCountOf } from '../../markdown/parse/lines.ts';
import type { TagRename } from '../../markdown/properties/tag-name.ts';
import type { PlannedMoves } from '../view/outside-view.ts';

/** A name of an existing note that a write gives to another file. */
export interface TakenName {
  readonly name: string;
  /** The note that the name means now, and by which of its names. */
  readonly note: NotePath;
  readonly by: 'name' | 'alias' | 'title';
  readonly to: NotePath;
  /** Links that lead to the note, or by an alias or title are written so, and would lead elsewhere. */
  readonly links: number;
  /** Links to the note that are rewritten, so that they still lead to it. */
  readonly rewritten?: number;
  readonly places?: readonly { readonly path: NotePath; readonly line: number; readonly link: string }[];
}

/** `total` counts all; `nearest` are notes, attachments or headings with similar names. */
export interface DeadLinks {
  readonly total: number;
  readonly links: readonly {
    readonly path: NotePath;
    readonly line: number;
    readonly link: string;
    readonly nearest: readonly string[];
  }[];
}

export interface EditableNote {
  readonly path: NotePath;
  /** Without its byte order mark. */
  readonly text: string;
  readonly etag: string;
  /** The bytes of a text that replaces this one. */
  readonly encode: (text: string) => Uint8Array;
}

export interface PlannedFile {
  readonly operation: FileOperation;
  /** The file after the write. It has no etag if it is deleted, or moved without being read. */
  readonly result: { readonly path: string; readonly etag?: string };
  /** The texts for the diff; an attachment has none. */
  readonly before?: string;
  readonly after?: string;
  /** How the two texts differ, if they are compared already. */
  readonly changes?: TextChanges;
}

export interface WritePlan {
  /** Empty if nothing would change. */
  readonly files: readonly PlannedFile[];
  /** The path of the note or folder after the write; absent if the tool takes several notes. */
  readonly path?: string;
  /** The etag of the note before and after the write; absent if it does not exist then. */
  readonly etagBefore?: string;
  readonly etag?: string;
  /** Whether text is removed or several files change. */
  readonly needsConsent: boolean;
  /** The changes that CONFIRMATION_REQUIRED lists. */
  readonly affected: readonly string[];
  readonly emptied?: readonly string[];
  readonly undoes?: string;
  /** Files that get another path, or become part of another note, so that links to them must change. */
  readonly moves?: PlannedMoves;
  /** The template whose text a new note begins with; the names in it are those of the notes that are made from it. */
  readonly template?: NotePath;
  /** The tag that gets another name in all notes. */
  readonly renamesTag?: TagRename;
  /** Arguments that the caller left out, as they were resolved; the plan's execution uses the same. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The names that it takes from other notes. */
  readonly takesOver?: readonly TakenName[];
  /** New links that lead nowhere. */
  readonly deadLinks?: DeadLinks;
  /** What Obsidian ignores in properties that the write adds. */
  readonly ignoredProperties?: readonly { readonly path: NotePath; readonly notice: string }[];
  /** More fields of the answer. */
  readonly facts?: object;
}

export function plannedFile(
  operation: FileOperation,
  texts: Pick<PlannedFile, 'before' | 'after' | 'changes'> = {},
): PlannedFile {
  const path = operation.kind === 'move' ? operation.to : operation.path;
  const bytes = 'bytes' in operation ? operation.bytes : undefined;
  const unchanged = operation.kind === 'move' ? operation.before : undefined;
  const etag = bytes === undefined ? unchanged : contentHash(bytes);
  return { operation, result: { path, ...(etag === undefined ? {} : { etag }) }, ...texts };
}

/** The plan that replaces the text of a note; it has no file if the text stays the same. To encode and to hash a long text take some ten milliseconds each. */
export async function replacement(
  { path, text: before, etag, encode }: EditableNote,
  after: string,
  more: Pick<WritePlan, 'needsConsent' | 'facts'>,
  changes?: TextChanges,
): Promise<WritePlan & { readonly path: string }> {
  if (after === before) return { files: [], path, etagBefore: etag, etag, affected: [], ...more };
  await letOthersRun();
  const bytes = encode(after);
  await letOthersRun();
  const file = plannedFile(
    { kind: 'replace', path, before: etag, bytes },
    { before, after, ...(changes && { changes }) },
  );
  return { files: [file], ...file.result, etagBefore: etag, affected: [path], ...more };
}

/** Every path that the index must read again. */
export function touchedPaths({ files }: WritePlan): readonly string[] {
  return files.flatMap(({ operation: { path }, result }) => (result.path === path ? [path] : [path, result.path]));
}

const MAX_DIFF_LENGTH = 20_000;
const MAX_DIFF_LINES = 20;
/** An answer about more files has no etags. */
const FEW_FILES = 3;
/** An answer about more files has no diff, and names each once. */
const FEW_ITEMS = 20;
const MAX_FILES = 100;
const MAX_NAMES = 1_000;
const MAX_ROWS = 200;

/** What an answer about a plan shows of it. */
interface Shown {
  /** By default the answer has counts, and the first lines of the diff of a few files; `full` has all. */
  readonly detail?: 'brief' | 'full' | undefined;
  /** Whether the client has seen the diff, by a dry run. */
  readonly isKnown?: boolean;
}

/** @param head the fields that the answer begins with */
export async function planView(
  head: object,
  plan: WritePlan,
  call: CallContext,
  { detail, isKnown = false }: Shown,
): Promise<object> {
  const { path, etag } = plan;
  const named = { ...head, ...(path === undefined ? {} : { path }), ...(etag === undefined ? {} : { etag }) };
  return {
    ...named,
    ...(detail === 'full' ? await fullView(plan, call) : briefView(plan, call)),
    ...(detail === 'full' || isKnown ? {} : await briefDiff(plan, 'dry_run' in head, call)),
  };
}

async function fullView(plan: WritePlan, call: CallContext): Promise<object> {
  const { files } = plan;
  const facts = withFirstRows(plan.facts ?? {}, call);
  const { diff, cut } = await diffOf(plan, call);
  warnOfCut(cut, files.length, 'are missing from the diff, or cut', call);
  warnOfCut(files.length < 2 ? 0 : files.length - MAX_FILES, files.length, 'are not listed', call);
  const listed = { files_changed: files.length, files: files.slice(0, MAX_FILES).map(({ result }) => result) };
  return { ...facts, ...(files.length < 2 ? {} : listed), diff };
}

function diffOf({ files }: WritePlan, call: CallContext) {
  return call.compute.run(jobs.diff, { files: files.map(differenceOf), longest: MAX_DIFF_LENGTH }, call.signal);
}

/** What a caller needs who knows what it asked for. Each changed file is named once. */
function briefView(plan: WritePlan, call: CallContext): object {
  const { files, path } = plan;
  const facts = briefFacts(plan.facts ?? {});
  const named = new Set([...namedIn(facts), ...(path === undefined ? [] : [path])]);
  const left = files.filter(({ result }) => !named.has(result.path)).map(({ result }) => result);
  warnOfCut(left.length - MAX_NAMES, files.length, 'are not listed', call);
  const rows = files.length > FEW_FILES ? left.slice(0, MAX_NAMES).map((file) => file.path) : left;
  return {
    ...facts,
    ...(files.length < 2 ? {} : { files_changed: files.length, ...(rows.length > 0 && { files: rows }) }),
  };
}

/** Text that its caller has just written or deleted is only counted, and links that follow a move are only named, unless a dry run previews it. */
async function briefDiff(plan: WritePlan, isPreview: boolean, call: CallContext): Promise<object> {
  const [file, second] = plan.files;
  if (file === undefined || plan.files.length > FEW_ITEMS) return {};
  const { kind } = file.operation;
  if (!isPreview && kind === 'move') return {};
  const isKnown = (kind === 'create' && plan.template === undefined) || kind === 'trash';
  if (!isPreview && isKnown && second === undefined) return { lines: lineCountOf(file.after || file.before || '') };
  const differences = { files: plan.files.map(differenceOf), maxLines: MAX_DIFF_LINES };
  const { diff, added, removed, isCut } = await call.compute.run(jobs.brief_diff, differences, call.signal);
  if (diff === '') return {};
  if (!isCut) return { diff };
  const hint = isPreview ? { diff_cut: 'detail: full has all of it' } : {};
  return { added_lines: added, removed_lines: removed, ...hint, diff };
}

type Rows = readonly { readonly path: string; readonly line?: number }[];

function withFirstRows(facts: object, call: CallContext): object {
  const { rewritten, notes } = facts as { readonly rewritten?: Rows; readonly notes?: Rows };
  return {
    ...facts,
    ...(rewritten && { rewritten: firstRows(rewritten, 'rewritten links', call) }),
    ...(notes && { notes: firstRows(notes, 'changed notes', call) }),
  };
}

type Item = { readonly id?: string; readonly result?: { readonly path?: string } };

/** Counts many rewritten links and changed notes, whose files are listed, and keeps the ids of many items of a batch. */
function briefFacts(facts: object): object {
  const {
    rewritten = [],
    notes = [],
    succeeded = [],
  } = facts as { readonly [name in 'rewritten' | 'notes' | 'succeeded']?: readonly Item[] };
  const { succeeded: _, failed, ...lists } = facts as Readonly<Record<string, unknown>>;
  return {
    ...lists,
    ...(failed !== undefined && { succeeded: succeeded.map(namedOnce), failed }),
    ...(rewritten.length > FEW_ITEMS && { rewritten: undefined, rewritten_links: rewritten.length }),
    ...(notes.length > FEW_ITEMS && { notes: undefined }),
    ...(succeeded.length > FEW_ITEMS && { succeeded: succeeded.map(({ id }) => ({ id })) }),
  };
}

/** Without a path that is the id. */
function namedOnce({ id, result = {} }: Item): Item {
  const { path, ...rest } = result;
  return { id, result: path === id ? rest : result } as Item;
}

/** The files that lists of the facts name. */
function namedIn(facts: object): readonly string[] {
  const {
    rewritten = [],
    repaired = [],
    notes = [],
    succeeded = [],
  } = facts as {
    readonly rewritten?: Rows;
    readonly repaired?: Rows;
    readonly notes?: Rows;
    readonly succeeded?: readonly { readonly id: string; readonly result?: { readonly path?: string } }[];
  };
  return [
    ...[...rewritten, ...repaired, ...notes].map(({ path }) => path),
    ...succeeded.flatMap(({ id, result }) => [id, ...(result?.path === undefined ? [] : [result.path])]),
  ];
}

/** A file of the plan as the `diff` job takes it. */
export function differenceOf({ operation: { kind, path }, result, before, after }: PlannedFile) {
  return {
    from: kind === 'create' || kind === 'restore' ? null : path,
    to: kind === 'trash' || kind === 'remove' ? null : result.path,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

function warnOfCut(count: number, total: number, what: string, call: CallContext): void {
  if (count <= 0) return;
  call.warn({ code: 'TRUNCATED', message: `${count} of the ${total} changed files ${what}`, count });
}

/** The rows that an answer lists; a warning counts the others. */
export function firstRows<Row>(rows: readonly Row[], what: string, call: CallContext, max = MAX_ROWS): readonly Row[] {
  const left = rows.length - max;
  if (left > 0) call.warn({ code: 'TRUNCATED', message: `${left} more ${what} are not listed`, count: left });
  return rows.slice(0, max);
}
