// Carries a write through for a tool: planned in turn, shown or held to its plan, written, and told to the index.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Applied, WriteRequest } from '../../contracts/writer.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { rememberText } from '../notes/text-cache.ts';
import { awaitIndexed } from './index-sync.ts';
import { dropPlan, type KeptPlan, keepPlan, keptPlan } from './kept-plans.ts';
import { withCurrentEtag, writeConflict } from './write-conflict.ts';
import {
  dryRunView,
  lineParts,
  planLines,
  stateBehind,
  touchedPaths,
  unchangedView,
  type WritePlan,
  writtenView,
} from './write-plan.ts';

/** @throws what the plan refuses and the writer throws; CHANGE_NOT_FOUND, INVALID_INPUT, CONFIRMATION_REQUIRED; with nothing written */
export async function runWrite<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  granted: WriteSources,
  call: CallContext,
): Promise<object> {
  const { plan, change } = await inTurn(granted.writer, call.signal, () => planAndApply(tool, given, granted, call));
  if (change !== undefined) {
    call.commits('all');
    if (given.plan_id !== undefined) dropPlan(granted.writer, given.plan_id);
    await awaitIndexed(touchedPaths(plan), granted.indexer, call);
    if (plan.undoes === undefined) warnOfKept(change, call);
    return writtenView(plan, change, call);
  }
  if (given.dry_run !== true) return unchangedView(plan, call);
  const { was } = plan;
  const kept = {
    tool: tool.name,
    given: { ...plan.given, ...ownArguments(given) },
    lines: planLines(plan),
    ...(was === undefined ? {} : { was }),
  };
  return dryRunView(plan, keepPlan(granted.writer, kept), call);
}

async function planAndApply<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  granted: WriteSources,
  call: CallContext,
): Promise<{ readonly plan: WritePlan; readonly change?: Applied }> {
  const kept = namedPlan(tool, given, granted);
  const plan = await tool.plan(askedArguments(tool, given, kept), granted, call);
  if (kept !== undefined) await requireSame(kept, plan, granted, call);
  else if (given.dry_run !== true) requireConsent(tool.name, plan, given);
  if (plan.files.length === 0) return { plan };
  const request = requestFor(tool.name, plan, call);
  const change = given.dry_run === true ? await checked(request, granted, call) : await applied(request, granted, call);
  rememberTexts(plan, granted);
  return change === undefined ? { plan } : { plan, change };
}

function requestFor(tool: string, plan: WritePlan, { client }: CallContext): WriteRequest {
  const { files, emptied, undoes } = plan;
  return {
    operations: files.map(({ operation }) => operation),
    ...{ tool, client },
    ...(emptied === undefined ? {} : { emptied }),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

async function checked(
  request: WriteRequest,
  { writer, vault }: WriteSources,
  { signal }: CallContext,
): Promise<undefined> {
  const [outcome] = await Promise.allSettled([writer.check(request, signal)]);
  if (outcome.status === 'rejected') throw await withCurrentEtag(outcome.reason, vault, signal);
}

async function applied(request: WriteRequest, { writer, vault }: WriteSources, call: CallContext): Promise<Applied> {
  call.commits('partial');
  const [outcome] = await Promise.allSettled([writer.apply(request, call.signal)]);
  if (outcome.status === 'fulfilled') return outcome.value;
  throw await withCurrentEtag(outcome.reason, vault, call.signal);
}

/** Before and after: whoever has either etag may be told what changed since. */
function rememberTexts({ files }: WritePlan, { vault }: WriteSources): void {
  for (const { operation, before, after } of files) {
    const { etag } = stateBehind(operation);
    if (etag !== undefined && after !== undefined) rememberText(vault, etag, after);
    if ('before' in operation && operation.before !== undefined && before !== undefined)
      rememberText(vault, operation.before, before);
  }
}

function warnOfKept({ kept }: Applied, call: CallContext): void {
  if (kept.length === 0) return;
  const folders = kept.length === 1 ? `${kept[0]} stays` : `${kept[0]} and ${kept.length - 1} more stay`;
  const message = `${folders}: what is hidden, excluded or new in there was not moved`;
  call.warn({ code: 'TRUNCATED', message, count: kept.length });
}

const lastTurns = new WeakMap<object, Promise<void>>();

/**
 * Two calls that change one note side by side both succeed: the second looks at what the first has left.
 * @throws the signal's reason while it waits, and what `work` throws
 */
export async function inTurn<T>(over: object, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = lastTurns.get(over) ?? Promise.resolve();
  const turn = Promise.withResolvers<void>();
  lastTurns.set(
    over,
    before.then(() => turn.promise),
  );
  try {
    await untilAborted(before, signal);
    return await work();
  } finally {
    turn.resolve();
  }
}

/** The arguments by which every write is shown first, and carried out as shown. */
export const planShape = {
  dry_run: z.boolean().optional(),
  plan_id: z.string().optional().describe('of a dry run'),
};

/** For what takes text away or touches several files. */
export const consentShape = {
  if_match: z.string().optional().describe('etag as read'),
  confirm: z.boolean().optional(),
};

interface WriteArguments {
  readonly dry_run?: boolean | undefined;
  readonly plan_id?: string | undefined;
  readonly confirm?: boolean | undefined;
  readonly if_match?: string | undefined;
}

export type WriteSources = Granted<'store' | 'vault' | 'indexer' | 'writer'>;

export interface WriteTool<Given extends WriteArguments> {
  readonly name: string;
  /** The names of its arguments. */
  readonly accepted: readonly string[];
  /** Those it cannot do without; a plan has them. */
  readonly needed: readonly (keyof Given & string)[];
  /** What it would write now. */
  plan(given: Given, granted: WriteSources, call: CallContext): Promise<WritePlan>;
}

/** Not the caller's word on what to write, but on how to go about it. */
const MANNERS: ReadonlySet<string> = new Set(['dry_run', 'plan_id', 'confirm']);
const MAX_AFFECTED = 20;

/** What a tool was asked to write, without how. */
function ownArguments(given: WriteArguments): Readonly<Record<string, unknown>> {
  const own = Object.entries(given).filter(([name, value]) => !MANNERS.has(name) && value !== undefined);
  return Object.fromEntries(own);
}

/** The plan that the call names, if it names one. @throws CHANGE_NOT_FOUND; INVALID_INPUT for arguments that it was not made with */
function namedPlan<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  { writer }: WriteSources,
): KeptPlan | undefined {
  if (given.plan_id === undefined) return undefined;
  const refuse = (path: string, rule: string) => inputRefusal(tool.name, tool.accepted, { path, rule });
  if (given.dry_run === true)
    throw refuse('dry_run', 'does not go with plan_id, which carries out what a dry run has shown');
  const plan = keptPlan(writer, tool.name, given.plan_id);
  const other = Object.entries(ownArguments(given)).find(([name, value]) => !isOfPlan(plan, name, value));
  if (other !== undefined) throw refuse(other[0], 'is not what the plan was made with; leave it out beside plan_id');
  return plan;
}

function isOfPlan({ given, was }: KeptPlan, name: string, value: unknown): boolean {
  return isDeepStrictEqual(given[name], value) || (name === 'if_match' && value === was);
}

/** The arguments to plan by: the plan's own ones, held to the note that it was made for. @throws INVALID_INPUT where one is missing */
function askedArguments<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  plan: KeptPlan | undefined,
): Given {
  const { was } = plan ?? {};
  const asked =
    plan === undefined ? given : { ...given, ...plan.given, ...(was === undefined ? {} : { if_match: was }) };
  const missing = tool.needed.filter((name) => asked[name] === undefined);
  const issues = missing.map((path) => ({ path, rule: 'is needed, unless plan_id names a plan' }));
  if (issues.length > 0) throw inputRefusal(tool.name, tool.accepted, ...issues);
  return asked;
}

/** @throws CONFIRMATION_REQUIRED */
function requireConsent(tool: string, plan: WritePlan, { if_match, confirm }: WriteArguments): void {
  const hasConsent = if_match !== undefined || confirm === true;
  if (!plan.needsConsent || hasConsent || plan.files.length === 0) return;
  const { affected } = plan;
  const more = affected.length - MAX_AFFECTED;
  const shown = more > 0 ? [...affected.slice(0, MAX_AFFECTED), `${more} more`] : affected;
  throw new VaultgraphError('CONFIRMATION_REQUIRED', { operation: tool, affected: shown, dry_run: true });
}

/** @throws WRITE_CONFLICT where the same arguments would write something else by now */
async function requireSame(
  kept: KeptPlan,
  plan: WritePlan,
  { vault }: WriteSources,
  { signal }: CallContext,
): Promise<void> {
  const now = planLines(plan);
  const [was] = without(kept.lines, now);
  const [is] = without(now, kept.lines);
  if (was === undefined && is === undefined) return;
  const { path, before } = lineParts(was ?? is ?? '');
  throw await writeConflict(path, was === undefined ? undefined : before, vault, signal);
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
