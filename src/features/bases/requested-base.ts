// Finds and reads the base and the view that a call asks for.
import { type ErrorCode, VaultgraphError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { type BaseDocument, type BaseView, readBase } from '../../bases/base-document.ts';
import { BaseFault, UnsupportedFault } from '../../bases/base-fault.ts';
import { regexKey } from '../../bases/expression/syntax.ts';
import type { RegexValue } from '../../bases/values/value.ts';
import { planView, type ViewPlan } from '../../bases/view-plan.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { readContent } from '../notes/note-content.ts';
import { RESOLVE_FAILURES, resolveNote } from '../notes/note-reference.ts';

export interface RequestedBase {
  readonly path: NotePath;
  readonly plan: ViewPlan;
  /** Those of the view, by `regexKey`. */
  readonly regexes: ReadonlyMap<string, RegexValue>;
  /** The names of all its views. */
  readonly views: readonly string[];
}

interface BaseArguments {
  readonly base: string;
  readonly view?: string | undefined;
}

export const BASE_FAILURES = [
  ...RESOLVE_FAILURES,
  'INVALID_INPUT',
  'BASE_INVALID',
  'BASE_UNSUPPORTED',
] as const satisfies readonly ErrorCode[];

/** `Books`, `Books.base`, and `Books.base#View` as in an embed. @throws BASE_FAILURES */
export async function requestedBase(
  { base, view }: BaseArguments,
  accepted: readonly string[],
  granted: Granted<'store' | 'vault'>,
  context: CallContext,
): Promise<RequestedBase> {
  const [, name = base, embedded] = /^(.*\.base)#(.+)$/is.exec(base) ?? [];
  const reference = /\.base\b/i.test(name) ? name : `${name}.base`;
  const { path } = await resolveNote(reference, 'base', granted, context);
  const refuse = (argument: string, rule: string, more: object = {}) =>
    inputRefusal('query_base', accepted, { path: argument, rule, ...more });
  if (fileKindOf(path) !== 'base') throw refuse('base', `${path} is not a .base file`);
  const { text } = await readContent(path, granted.vault, context.signal);
  const document = orFail(path, '', () => readBase(text));
  const views = document.views.map((each) => each.name);
  const wanted = view ?? embedded;
  const found = viewNamed(wanted, document);
  if (found === undefined) {
    const rule = `${path} has no view ${JSON.stringify(wanted)}; its views are ${views.map((each) => JSON.stringify(each)).join(', ')}`;
    throw refuse('view', rule, didYouMean(wanted ?? '', views));
  }
  const plan = orFail(path, found.name, () => planView(document, found));
  return { path, plan, regexes: await regexesOf(path, plan, context.signal), views };
}

/** The engine is loaded by the first base that needs it. @throws BASE_UNSUPPORTED */
async function regexesOf(path: NotePath, { view, regexes }: ViewPlan, signal: AbortSignal) {
  const values = new Map<string, RegexValue>();
  if (regexes.length === 0) return values;
  const { compileRegex } = await import('../../bases/values/regex.ts');
  for (const written of regexes) {
    const regex = orFail(path, view.name, () => compileRegex(written));
    values.set(regexKey(written), { kind: 'regex', regex });
    await letOthersRun(signal);
  }
  return values;
}

/** The first view without a name. */
function viewNamed(name: string | undefined, { views }: BaseDocument): BaseView | undefined {
  if (name === undefined) return views[0];
  const folded = name.toLowerCase();
  return views.find((view) => view.name === name) ?? views.find((view) => view.name.toLowerCase() === folded);
}

/** @throws BASE_INVALID, BASE_UNSUPPORTED */
function orFail<T>(path: NotePath, view: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof UnsupportedFault) {
      const { line, what, place } = thrown;
      throw new VaultgraphError('BASE_UNSUPPORTED', { path, view, line, what, place });
    }
    if (!(thrown instanceof BaseFault)) throw thrown;
    throw new VaultgraphError('BASE_INVALID', { path, line: thrown.line, reason: thrown.message });
  }
}
