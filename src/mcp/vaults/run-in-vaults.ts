// Runs a call in the vaults that it is about, and makes one outcome of theirs.
import type { BatchResult } from '../../base/batch.ts';
import { isBatchResult } from '../../base/batch.ts';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import type { ArgumentLimits } from '../dispatch/arguments.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import type { Run } from '../dispatch/dispatch.ts';
import type { Outcome } from '../dispatch/run-tool.ts';
import { type CallPlan, type ItemsPart, planCall } from './call-plan.ts';
import type { VaultMember } from './member.ts';
import { background, besides, missingView, type VaultAnswer, type VaultFailure } from './merge-answers.ts';
import { mergeLists } from './merge-lists.ts';
import { type Limited, type RunIn, runEach, runWithin } from './run-each.ts';

export interface VaultRuns {
  readonly members: readonly VaultMember[];
  readonly argumentLimits: ArgumentLimits;
  /** For a whole call. */
  readonly callLimitMs: number;
  readonly log: Log;
}

/** A run for the tools that `offeredTools` lists. `vaultOf` names the vault that a failure is of, if it is of one. */
export function createVaultRuns({ members, argumentLimits, callLimitMs, log }: VaultRuns) {
  const vaults = new WeakMap<VaultgraphError, string>();
  const run: Run = async (tool, args, caller) => {
    const plan = await planCall(tool, args, members, argumentLimits);
    const limited = { ...caller, limitMs: caller.limitMs ?? callLimitMs };
    const onMissing = ({ name, error }: VaultFailure): void =>
      log('error', 'vault_missing', {
        tool: tool.name,
        vault: name,
        request_id: caller.requestId,
        ...failureFields(error),
      });
    return runPlan(tool, plan, limited, { failed: vaults, onMissing });
  };
  return { run, vaultOf: (error: VaultgraphError): string | undefined => vaults.get(error) };
}

type Failed = WeakMap<VaultgraphError, string>;

interface Failing {
  readonly failed: Failed;
  readonly onMissing: (failure: VaultFailure) => void;
}

async function runPlan(
  tool: AnyTool,
  plan: CallPlan,
  caller: Limited,
  { failed, onMissing }: Failing,
): Promise<Outcome> {
  if (plan.kind === 'one') return oneVault(tool, plan.member, plan.args, caller, failed);
  if (plan.kind === 'items') return manyItems(tool, plan, caller, failed);
  const runIn = (member: VaultMember, args: object) => runOne(tool.name, member, args, caller, failed);
  return tool.across?.length === 0 ? sideBySide(plan, runIn, onMissing) : mergeLists(tool, plan, runIn, onMissing);
}

/** @throws what the tool throws in the vault, and why it cannot be opened */
async function runOne(
  name: string,
  member: VaultMember,
  args: object,
  caller: Limited,
  failed: Failed,
): Promise<Outcome> {
  const own = inVault(member.name, caller);
  const outcome = await outcomeOf(
    runWithin(member, own, (limitMs, vault) => vault.run(name, args, { ...own, limitMs })),
  );
  if (!('error' in outcome)) return outcome.value;
  // An error belongs to one call: the same failure to open may meet several.
  const error = failed.has(outcome.error) ? repeatFailure(outcome.error) : outcome.error;
  failed.set(error, member.name);
  throw error;
}

/** What the user is asked, and how far the call is, names the vault: notes of several may have the same path. */
function inVault(name: string, { ask, progress, ...caller }: Limited): Limited {
  return {
    ...caller,
    ...(ask && { ask: (question, waitMs, signal) => ask(`In the vault ${name}: ${question}`, waitMs, signal) }),
    ...(progress && { progress: (done, total, message) => progress(done, total, `${name}: ${message}`) }),
  };
}

/** The answer of one vault, with its name. */
async function oneVault(
  tool: AnyTool,
  member: VaultMember,
  args: object,
  caller: Limited,
  failed: Failed,
): Promise<Outcome> {
  const outcome = await runOne(tool.name, member, args, caller, failed);
  return { ...outcome, value: named(member.name, outcome.value) };
}

function named(vault: string, value: object): object {
  if (!isBatchResult(value)) return { vault, ...value };
  return {
    ...value,
    succeeded: value.succeeded.map(({ id, result }) => ({ id, result: { vault, ...Object(result) } })),
  };
}

async function sideBySide(
  { members, args }: Extract<CallPlan, { kind: 'across' }>,
  runIn: RunIn,
  onMissing: Failing['onMissing'],
): Promise<Outcome> {
  const { answers, missing } = await runEach(members, (member) => runIn(member, args), onMissing);
  const all = answers.map(({ name, value: outcome }): VaultAnswer => ({ name, outcome }));
  const value = {
    vaults: all.map((answer) => besides(answer, [])),
    ...(missing.length === 0 ? {} : { missing: missing.map(missingView) }),
  };
  return { ...background(all, missing), value };
}

/** Each item is answered by its own vault, or fails with why that vault did not answer. */
async function manyItems(
  tool: AnyTool,
  { parts, order }: Extract<CallPlan, { kind: 'items' }>,
  caller: Limited,
  failed: Failed,
): Promise<Outcome> {
  const outcomes = await Promise.all(
    parts.map((part) => outcomeOf(runOne(tool.name, part.member, part.args, caller, failed))),
  );
  const [only] = outcomes;
  if (only !== undefined && outcomes.length === 1 && 'error' in only) throw only.error;
  const answers: VaultAnswer[] = [];
  const batches = parts.map((part, at): BatchResult<object> => {
    const outcome = outcomes[at];
    if (outcome === undefined || 'error' in outcome) return failedPart(part, outcome?.error);
    answers.push({ name: part.member.name, outcome: outcome.value });
    return answeredPart(tool, part, outcome.value);
  });
  const succeeded = inOrder(
    batches.flatMap((batch) => batch.succeeded),
    order,
  );
  const failures = inOrder(
    batches.flatMap((batch) => batch.failed),
    order,
  );
  return { ...background(answers, []), value: { succeeded, failed: failures } };
}

function failedPart({ written, member }: ItemsPart, error: VaultgraphError | undefined): BatchResult<object> {
  const reason = error ?? new VaultgraphError('INTERNAL', { kind: `no outcome of ${member.name}` });
  return { succeeded: [], failed: written.map((id) => ({ id, error: reason })) };
}

/** With the ids as the caller wrote them. @throws INTERNAL for a tool whose answer is no batch */
function answeredPart(
  { items = '' }: AnyTool,
  { written, member, args }: ItemsPart,
  { value }: Outcome,
): BatchResult<object> {
  const batch = named(member.name, value);
  if (!isBatchResult(batch)) throw new VaultgraphError('INTERNAL', { kind: 'an answer for items is no batch' });
  const asked = args[items] as readonly string[];
  const idOf = (id: string): string => written[asked.indexOf(id)] ?? id;
  return {
    succeeded: batch.succeeded.map(({ id, result }) => ({ id: idOf(id), result: Object(result) })),
    failed: batch.failed.map(({ id, error }) => ({ id: idOf(id), error })),
  };
}

function inOrder<T extends { readonly id: string }>(rows: readonly T[], order: readonly string[]): T[] {
  return rows.toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}
