// Finds the base and the view that a call means, in a `.base` file or in a code block of a note.
import { VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type BaseDocument, type BaseView, readBase } from '../../bases/base-document.ts';
import { BaseFault, orFault, UnsupportedFault } from '../../bases/base-fault.ts';
import type { BaseWorld } from '../../bases/evaluate.ts';
import { regexKey } from '../../bases/expression.ts';
import { CellFault, type RegexValue } from '../../bases/values/value.ts';
import { planView, type ViewPlan } from '../../bases/view-plan.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readContent } from '../notes/note-content.ts';
import { resolveNote } from '../notes/note-reference.ts';

export interface RequestedBase {
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

/**
 * `Books`, `Books.base`, and `Books.base#View` as in an embed; else a note with bases in code blocks.
 * @throws RESOLVE_FAILURES, INVALID_INPUT, BASE_INVALID, BASE_UNSUPPORTED
 */
export async function requestedBase(
  { base, view }: BaseArguments,
  accepted: readonly string[],
  granted: Granted<'store' | 'vault'>,
  context: CallContext,
): Promise<RequestedBase> {
  const [, name = base, embedded] = /^(.*\.base)#(.+)$/is.exec(base) ?? [];
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
