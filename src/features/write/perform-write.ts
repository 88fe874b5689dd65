// Carries a write through for a tool: planned in turn, shown or held to its plan, written, and told to the index.
import { untilAborted } from '../../base/until-aborted.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Applied, WriteRequest } from '../../contracts/writer.ts';
import { rememberText } from '../notes/text-cache.ts';
import { tellIndex } from './index-writes.ts';
import { dropPlan, keepPlan } from './kept-plans.ts';
import {
  askedArguments,
  namedPlan,
  ownArguments,
  requireConsent,
  requireSame,
  type WriteArguments,
  type WriteSources,
  type WriteTool,
} from './planned-write.ts';
import { explained } from './write-conflict.ts';
import { planLines, stateBehind, touchedPaths, type WritePlan } from './write-plan.ts';
import { dryRunView, unchangedView, writtenView } from './write-view.ts';

/** @throws what the plan refuses and the writer throws; CHANGE_NOT_FOUND, INVALID_INPUT, CONFIRMATION_REQUIRED; with nothing written */
export async function performWrite<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  granted: WriteSources,
  call: CallContext,
): Promise<object> {
  const { plan, change } = await inTurn(granted.writer, call.signal, () => written(tool, given, granted, call));
  if (change !== undefined) {
    call.commits('all');
    if (given.plan_id !== undefined) dropPlan(granted.writer, given.plan_id);
    await tellIndex(touchedPaths(plan), granted.indexer, call);
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

async function written<Given extends WriteArguments>(
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
  if (outcome.status === 'rejected') throw await explained(outcome.reason, vault, signal);
}

async function applied(request: WriteRequest, { writer, vault }: WriteSources, call: CallContext): Promise<Applied> {
  call.commits('partial');
  const [outcome] = await Promise.allSettled([writer.apply(request, call.signal)]);
  if (outcome.status === 'fulfilled') return outcome.value;
  throw await explained(outcome.reason, vault, call.signal);
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
