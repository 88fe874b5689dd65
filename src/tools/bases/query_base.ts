// Tool: the rows of a view of an Obsidian base.
import * as z from 'zod';
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { isObject } from '../../base/plain-object.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { oneLine, visibleControls } from '../../base/visible-controls.ts';
import { type BaseDocument, type BaseView, readBase } from '../../bases/base-document.ts';
import { BaseFault, orFault, UnsupportedFault } from '../../bases/base-fault.ts';
import type { BaseWorld } from '../../bases/evaluate.ts';
import { regexKey } from '../../bases/expression.ts';
import type { BaseFile, BaseFiles, FileLink } from '../../bases/files.ts';
import type { PropertyTypes } from '../../bases/values/links.ts';
import { markdownCell, type PlainCell } from '../../bases/values/plain.ts';
import { CellFault, type RegexValue } from '../../bases/values/value.ts';
import { planView, type ViewPlan } from '../../bases/view-plan.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { FileState } from '../../contracts/change-set.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { FileProperties, Store } from '../../contracts/store.ts';
import { type CallContext, defineTool, type ReadContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { nameKeyOf } from '../../markdown/links/fold.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readContent } from '../notes/note-content.ts';
import { RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';
import { isFault, membersOf } from '../notes/obsidian-settings.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { type AnsweredRow, type AnsweredSummary, evaluateView } from './view-answer.ts';

const input = z.strictObject({
  base: z.string().describe('path or name'),
  /** The first by default. */
  view: z.string().optional().describe('its name; default the first'),
  /** The base itself by default. */
  note: z.string().optional().describe('what `this` means; default the base'),
  ...pageShape,
});
const paging = createPaging('query_base', input.shape);
type BaseQuery = z.infer<typeof input>;

/** Views of other types, such as maps, are answered as a table. */
const SHOWN_TYPES: readonly string[] = ['table', 'cards', 'list'];

const BASE_FAILURES = [
  ...RESOLVE_FAILURES,
  'INVALID_INPUT',
  'BASE_INVALID',
  'BASE_UNSUPPORTED',
] as const satisfies readonly ErrorCode[];

export const queryBase = defineTool({
  name: 'query_base',
  title: 'Query a base',
  summary:
    'Evaluates a view of an Obsidian base (.base file or note with one). Returns columns, rows, groups, summaries, total.',
  words: 'table view, database',
  long: true,
  effect: 'reads',
  references: ['base', 'note'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: BASE_FAILURES,
  input,
  show: showView,
  run: async (args: BaseQuery, granted, call) => {
    const page = paging.pageOf(args);
    const requested = await requestedBase(args, Object.keys(input.shape), granted, call);
    const { path, plan, views } = requested;
    const world = await worldOf(args, requested, granted, call);
    const { rows, total, ...answer } = await evaluateView(plan, world, page, call);
    const { name, type } = plan.view;
    return {
      base: path,
      view: name,
      type,
      ...(SHOWN_TYPES.includes(type) ? {} : { shown_as: 'table' }),
      ...(views.length > 1 ? { views } : {}),
      ...(world.self.path === path ? {} : { this: world.self.path }),
      columns: plan.columns.map((column) => ({ property: column.property, name: column.name })),
      ...(plan.groupBy === undefined ? {} : { group_by: plan.groupBy.property }),
      rows,
      total,
      ...answer,
      ...paging.next(args, page, { shown: rows.length, total }),
    };
  },
});

async function worldOf(
  { note }: BaseQuery,
  { path, plan, regexes }: RequestedBase,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<BaseWorld> {
  const selfPath = note === undefined ? path : (await resolveNote(note, 'note', granted, call)).path;
  const files = await vaultFiles(plan.needsLinks, granted.store, call);
  const self = files.at(selfPath);
  // The index has changed since the note was found.
  if (self === undefined)
    throw new VaultgraphError('NOTE_NOT_FOUND', { ref: selfPath, suggestions: [], unresolved_link: false });
  const types = await propertyTypes(granted.vault, call);
  return { files, basePath: path, self, now: new Date(), types, formulas: plan.formulas, regexes };
}

const SETTINGS_AGE_MS = 1000;

/** The types as Obsidian's settings have them; without these settings a value says itself what it is. */
async function propertyTypes(vault: Vault, call: CallContext): Promise<PropertyTypes> {
  const read = await membersOf('types', vault, call.signal, SETTINGS_AGE_MS);
  if (isFault(read)) call.warn({ code: 'EXTRA_MISSING', message: `types of properties are not known: ${read.fault}` });
  const types = isFault(read) ? undefined : read.members.types;
  if (!isObject(types)) return new Map();
  return new Map(Object.entries(types).map(([name, type]) => [name.toLowerCase(), String(type)]));
}

interface ShownView {
  readonly base: string;
  readonly view: string;
  readonly type: string;
  readonly shown_as?: string;
  readonly views?: readonly string[];
  readonly this?: string;
  readonly columns: readonly { readonly property: string; readonly name: string }[];
  readonly group_by?: string;
  readonly rows: readonly AnsweredRow[];
  readonly total: number;
  readonly matched?: number;
  readonly groups?: readonly { readonly group: PlainCell; readonly rows: number }[];
  readonly summaries?: readonly AnsweredSummary[];
  readonly next_cursor?: string;
}

export function showView(answer: ShownView): string {
  const { columns, rows, group_by, groups = [], summaries = [] } = answer;
  const grouping = group_by === undefined ? [] : [group_by];
  const heads = ['path', ...grouping, ...columns.map(headOf)];
  const table = rows.map(({ path, group, cells }) => {
    const grouped = group_by === undefined ? [] : [group ?? null];
    return tableLine([path, ...grouped, ...cells].map(markdownCell));
  });
  const lines = [
    ...factsOf(answer),
    ...groups.map(({ group, rows: count }) => `group ${markdownCell(group) || 'none'}: ${count} rows`),
    ...(rows.length === 0 ? [] : [tableLine(heads), `|${heads.map(() => '---').join('|')}|`, ...table]),
    ...summaries.map(({ property, summary, value }) => `${summary} of ${property}: ${markdownCell(value) || 'none'}`),
    ...(answer.next_cursor === undefined ? [] : [`next_cursor: ${answer.next_cursor}`]),
  ];
  return lines.map((line) => oneLine(visibleControls(line))).join('\n');
}

function factsOf({ base, view, type, shown_as, views, total, matched, columns, ...rest }: ShownView): string[] {
  const shown = shown_as === undefined ? type : `${type}, shown as a ${shown_as}`;
  return [
    `base: ${base} · view: ${view} (${shown}) · total: ${total}${matched === undefined ? '' : ` of ${matched} matched`}`,
    ...(views === undefined ? [] : [`views: ${views.join(' · ')}`]),
    ...(rest.this === undefined ? [] : [`this: ${rest.this}`]),
    ...(rest.rows.length === 0 ? [`columns: ${columns.map(headOf).join(' · ')}`] : []),
  ];
}

/** The display name, and the property that it stands for. */
function headOf({ property, name }: ShownView['columns'][number]): string {
  const plain = property === name || property === `note.${name}` || property === `formula.${name}`;
  return markdownCell(plain ? property : `${name} (${property})`);
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Some milliseconds. */
const FILES_AT_ONCE = 200;

/** @param needsLinks without them, no file has links */
async function vaultFiles(needsLinks: boolean, store: Store, { signal, storeCache }: ReadContext): Promise<BaseFiles> {
  const files = await storeCache.get(readFiles, store, signal);
  return needsLinks ? { ...files, ...(await storeCache.get(readLinks, store, signal)) } : files;
}

/** A file as it was read, by which a later reading knows whether it is still the same. */
interface ReadFile extends BaseFile, Pick<FileState, 'hash'> {
  readonly changedMs: FileState['changedMs'] | undefined;
}

interface ReadFiles extends BaseFiles {
  at(path: NotePath): ReadFile | undefined;
}

const readFiles: ComputeFromIndex<ReadFiles> = async (store, signal, previous) => {
  const states = await store.fileStates(signal);
  const readNow = await changedFiles(states, previous, store, signal);
  const all: ReadFile[] = [];
  const byPath = new Map<NotePath, ReadFile>();
  const byName = new Map<string, NotePath[]>();
  for (let row = 0, next = 0; row < states.length; row++) {
    if (row % FILES_AT_ONCE === 0) await letOthersRun(signal);
    const state = states[row] as FileState;
    const read = readNow[next]?.path === state.path ? readNow[next++] : undefined;
    const file = read === undefined ? sameFile(state, previous) : fileRead(state, read);
    if (file === undefined) continue;
    byPath.set(file.path, file);
    addTo(byName, nameKeyOf(file.path), file.path);
    // Obsidian lists no excluded file; formulas can look one up by its name.
    if (state.excluded !== true) all.push(file);
  }
  return {
    all,
    candidatesFor: (nameKey) => byName.get(nameKey) ?? [],
    at: (path) => byPath.get(path),
    linksOf: () => [],
    sourcesOf: () => [],
  };
};

/** Reads only those that are not as they were; one that is gone meanwhile is left out. */
async function changedFiles(
  states: readonly FileState[],
  previous: ReadFiles | undefined,
  store: Store,
  signal: AbortSignal,
): Promise<readonly FileProperties[]> {
  const changed: NotePath[] = [];
  for (let row = 0; row < states.length; row++) {
    if (row % FILES_AT_ONCE === 0) await letOthersRun(signal);
    const state = states[row] as FileState;
    if (sameFile(state, previous) === undefined) changed.push(state.path);
  }
  return changed.length === 0 ? [] : store.fileProperties(changed, signal);
}

const COMPARED = ['hash', 'kind', 'sizeBytes', 'modifiedMs', 'changedMs'] as const;

function sameFile(state: FileState, previous: ReadFiles | undefined): ReadFile | undefined {
  const before = previous?.at(state.path);
  return before !== undefined && COMPARED.every((field) => state[field] === before[field]) ? before : undefined;
}

function fileRead({ hash, changedMs }: FileState, read: FileProperties): ReadFile {
  const { path, kind, sizeBytes, modifiedMs, createdMs = modifiedMs, tags, properties } = read;
  return { path, kind, sizeBytes, modifiedMs, createdMs, tags, properties, hash, changedMs };
}

type Links = Pick<BaseFiles, 'linksOf' | 'sourcesOf'>;

const readLinks: ComputeFromIndex<Links> = async (store, signal) => {
  const links = await store.allLinks(signal);
  const linksOf = (path: NotePath): readonly FileLink[] => links.get(path) ?? [];
  const sourcesOf = new Map<NotePath, NotePath[]>();
  for (const { path, excluded } of await store.fileStates(signal)) {
    await letOthersRun(signal);
    // What links to a file is a list, too.
    if (excluded) continue;
    for (const target of new Set(linksOf(path).map((link) => link.target))) {
      if (target !== null) addTo(sourcesOf, target, path);
    }
  }
  return { linksOf, sourcesOf: (path) => sourcesOf.get(path) ?? [] };
};

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

// Finds the base and the view that a call means, in a `.base` file or in a code block of a note.

interface RequestedBase {
  readonly path: NotePath;
  readonly plan: ViewPlan;
  /** Those of the view, by `regexKey`. */
  readonly regexes: BaseWorld['regexes'];
  /** The names of all its views. */
  readonly views: readonly string[];
}

interface BaseArguments {
  readonly base: string;
  readonly view?: string | undefined;
}

/** An embed as a note writes it, with or without another text to show. */
const EMBED = /^\s*!?\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]\s*$/;

/**
 * `Books`, `Books.base`, `Books.base#View` and `![[Books.base#View]]` as in an embed; else a note with bases in code blocks.
 * @throws RESOLVE_FAILURES, INVALID_INPUT, BASE_INVALID, BASE_UNSUPPORTED
 */
async function requestedBase(
  { base, view }: BaseArguments,
  accepted: readonly string[],
  granted: Granted<'store' | 'vault'>,
  context: CallContext,
): Promise<RequestedBase> {
  const [, written = base] = EMBED.exec(base) ?? [];
  const [, name = written, embedded] = /^(.*\.base)#(.+)$/is.exec(written) ?? [];
  const refuse = (argument: string, rule: string, more: object = {}) =>
    inputRefusal('query_base', accepted, { path: argument, rule, ...more });
  if (name.trim() === '') throw refuse('base', 'must not be empty');
  const { path, notFound } = await basePath(name, granted, context);
  const read = await documentsIn(path, granted.vault, context);
  const documents = read.filter((each): each is BaseDocument => !(each instanceof BaseFault));
  const fault = read.find((each) => each instanceof BaseFault);
  if (read.length === 0)
    throw notFound ?? refuse('base', `${path} is not a .base file and has no base in a code block`);
  const wanted = view ?? embedded;
  const found = viewNamed(wanted, documents);
  if (found === undefined && fault !== undefined) throw baseError(path, '', fault);
  const views = documents.flatMap((document) => document.views.map((each) => each.name));
  if (found === undefined) {
    const rule = `${path} has no view ${JSON.stringify(wanted)}; its views are ${views.map((each) => JSON.stringify(each)).join(', ')}`;
    throw refuse('view', rule, didYouMean(wanted ?? '', views));
  }
  const plan = orFault(BaseFault, () => planView(found.document, found.view));
  if (plan instanceof BaseFault) throw baseError(path, found.view.name, plan);
  return { path, plan, regexes: await regexesOf(path, plan, context.signal), views };
}

interface FoundBase {
  readonly path: NotePath;
  /** That there is no `.base` file of the name, where the path is of a note. */
  readonly notFound?: VaultgraphError;
}

/** A base before a note of the same name. */
async function basePath(name: string, granted: Granted<'store' | 'vault'>, context: CallContext): Promise<FoundBase> {
  if (/\.(?:base|md|markdown)\b/i.test(name)) return resolveNote(name, 'base', granted, context);
  const base = await settled(resolveNote(`${name}.base`, 'base', granted, context));
  if (!(base instanceof VaultgraphError)) return base;
  if (base.code !== 'NOTE_NOT_FOUND') throw base;
  const note = await settled(resolveNote(name, 'base', granted, context));
  if (note instanceof VaultgraphError) throw base;
  return { path: note.path, notFound: base };
}

async function settled<T>(work: Promise<T>): Promise<T | VaultgraphError> {
  const [outcome] = await Promise.allSettled([work]);
  if (outcome.status === 'fulfilled') return outcome.value;
  if (outcome.reason instanceof VaultgraphError) return outcome.reason;
  throw outcome.reason;
}

/** None for a file without a base. */
async function documentsIn(
  path: NotePath,
  vault: Vault,
  { compute, signal }: CallContext,
): Promise<(BaseDocument | BaseFault)[]> {
  const kind = fileKindOf(path);
  if (kind !== 'base' && kind !== 'note') return [];
  const { text } = await readContent(path, vault, signal);
  const blocks = kind === 'base' ? [{ text, linesAbove: 0 }] : await compute.run(jobs.base_blocks, { text }, signal);
  return blocks.map((block) => orFault(BaseFault, () => readBase(block.text, block.linesAbove)));
}

/** The engine is loaded by the first base that needs it. @throws BASE_UNSUPPORTED */
async function regexesOf(path: NotePath, { view, regexes }: ViewPlan, signal: AbortSignal) {
  const values = new Map<string, RegexValue | CellFault>();
  if (regexes.length === 0) return values;
  const { compileRegex } = await import('../../bases/values/regex.ts');
  for (const written of regexes) {
    const regex = orFault(BaseFault, () => compileRegex(written));
    const isFormula = written.place.startsWith('formulas.');
    if (!(regex instanceof BaseFault)) values.set(regexKey(written), { kind: 'regex', regex });
    // A formula spoils its own cells only.
    else if (isFormula) values.set(regexKey(written), new CellFault(`line ${regex.line}: ${regex.message}`));
    else throw baseError(path, view.name, regex);
    await letOthersRun(signal);
  }
  return values;
}

interface FoundView {
  readonly document: BaseDocument;
  readonly view: BaseView;
}

/** The first view without a name. */
function viewNamed(name: string | undefined, documents: readonly BaseDocument[]): FoundView | undefined {
  const all = documents.flatMap((document) => document.views.map((view) => ({ document, view })));
  if (name === undefined) return all[0];
  const folded = name.toLowerCase();
  return all.find(({ view }) => view.name === name) ?? all.find(({ view }) => view.name.toLowerCase() === folded);
}

function baseError(path: NotePath, view: string, fault: BaseFault): VaultgraphError {
  if (!(fault instanceof UnsupportedFault))
    return new VaultgraphError('BASE_INVALID', { path, line: fault.line, reason: fault.message });
  const { line, what, place } = fault;
  return new VaultgraphError('BASE_UNSUPPORTED', { path, view, line, what, place });
}
