// Runs a call in the vaults that it is about, and makes one outcome of theirs.
import { type BatchResult, isBatchResult } from '../../base/batch.ts';
import { repeatFailure, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { AnyTool, FileLink } from '../../contracts/tool.ts';
import type { ArgumentLimits } from '../dispatch/arguments.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import type { Run } from '../dispatch/dispatch.ts';
import type { Caller, Outcome } from '../dispatch/run-tool.ts';
import { type CallPlan, type ItemsPart, planCall } from './call-plan.ts';
import { mergeLists } from './merge-lists.ts';
import {
  background,
  besides,
  byRank,
  type Limited,
  missingView,
  type RunIn,
  runEach,
  runWithin,
  type VaultAnswer,
  type VaultFailure,
  type VaultMember,
} from './run-each.ts';

interface VaultRuns {
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
  const memberCaller = inVault(member.name, caller);
  const outcome = await outcomeOf(
    runWithin(member, memberCaller, (limitMs, vault) => vault.run(name, args, { ...memberCaller, limitMs })),
  );
  if (!('error' in outcome)) return { ...outcome.value, links: outcome.value.links.map(inFolder(member.name)) };
  // An error belongs to one call: the same failure to open may meet several.
  const error = failed.has(outcome.error) ? repeatFailure(outcome.error) : outcome.error;
  failed.set(error, member.name);
  throw error;
}

/** Names a file as resources of several vaults are named. */
const inFolder =
  (vault: string) =>
  (file: FileLink): FileLink => ({ ...file, path: `${vault}/${file.path}` });

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
  const ids = args[items] as readonly string[];
  const idOf = (id: string): string => written[ids.indexOf(id)] ?? id;
  return {
    succeeded: batch.succeeded.map(({ id, result }) => ({ id: idOf(id), result: Object(result) })),
    failed: batch.failed.map(({ id, error }) => ({ id: idOf(id), error })),
  };
}

function inOrder<T extends { readonly id: string }>(rows: readonly T[], order: readonly string[]): T[] {
  return rows.toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}

// Resources and completions of several vaults, as if the name of a vault were the first folder of its notes.

type Args = Readonly<Record<string, unknown>>;

/** A run for the internal tools behind the protocol methods. */
export function createMethodRuns({ members, callLimitMs, log }: VaultRuns): Run {
  const runIn = (tool: AnyTool, member: VaultMember, args: object, caller: Limited): Promise<Outcome> =>
    runWithin(member, caller, (limitMs, vault) => vault.runMethod(tool.name, args, { ...caller, limitMs }));
  return async (tool, args, caller: Caller) => {
    const limited = { ...caller, limitMs: caller.limitMs ?? callLimitMs };
    const run = (member: VaultMember, own: object) => runIn(tool, member, own, limited);
    const onMissing = ({ name, error }: { readonly name: string; readonly error: VaultgraphError }): void =>
      log('error', 'vault_missing', { tool: tool.name, vault: name, error_id: error.errorId, code: error.code });
    if (tool.name === 'resources/read') return readResource(members, args as Args, run);
    if (tool.name === 'resources/list') return listResources(members, args as Args, run, onMissing);
    if (tool.name === 'graph/shown') return shownGraph(members, args as Args, run);
    return complete(members, args as Args, run, onMissing);
  };
}

type RunMethod = (member: VaultMember, args: object) => Promise<Outcome>;
type OnMissing = Parameters<typeof runEach>[2];

/** @throws NOTE_NOT_FOUND if the first folder is no vault */
async function readResource(members: readonly VaultMember[], { path: whole }: Args, run: RunMethod): Promise<Outcome> {
  const { member, path } = placeOf(members, String(whole));
  if (member === undefined) {
    throw new VaultgraphError('NOTE_NOT_FOUND', { ref: String(whole), suggestions: [], unresolved_link: false });
  }
  const outcome = await run(member, { path });
  return { ...outcome, value: withPath(member.name, outcome.value) };
}

/** @throws INVALID_INPUT if the vault is none of them */
async function shownGraph(members: readonly VaultMember[], { vault, paths }: Args, run: RunMethod): Promise<Outcome> {
  const member = members.find(({ name }) => name === vault);
  if (member !== undefined) return run(member, { paths });
  const issues = [{ path: 'vault', rule: 'is not a vault of this server' }];
  throw new VaultgraphError('INVALID_INPUT', { tool: 'graph/shown', issues, accepted: ['vault', 'paths'] });
}

function placeOf(members: readonly VaultMember[], whole: string) {
  const at = whole.indexOf('/');
  const name = whole.slice(0, Math.max(0, at)).toLowerCase();
  return { member: members.find((one) => one.name === name), path: whole.slice(at + 1) };
}

const withPath = (name: string, row: object): object =>
  'path' in row ? { ...row, path: `${name}/${String(row.path)}` } : row;

/** One vault after the other; a vault that does not answer is named, and the next one follows. */
async function listResources(
  members: readonly VaultMember[],
  { cursor }: Args,
  run: RunMethod,
  onMissing: OnMissing,
): Promise<Outcome> {
  const [, from = '', own] = typeof cursor === 'string' ? (/^([a-z0-9-]+):(.*)$/s.exec(cursor) ?? []) : [];
  const first = Math.max(
    0,
    members.findIndex(({ name }) => name === from),
  );
  if (cursor !== undefined && members[first]?.name !== from) throw invalidCursor();
  const failures: { readonly name: string; readonly error: VaultgraphError }[] = [];
  for (const [at, member] of members.slice(first).entries()) {
    const args = at === 0 && own ? { cursor: own } : {};
    const { answers, missing } = await runEach([member], (one) => run(one, args), onMissing).catch(
      rethrowInput(member),
    );
    failures.push(...missing);
    const [answer] = answers;
    if (answer === undefined) continue;
    const following = members[first + at + 1]?.name;
    const { resources, next_cursor: next } = answer.value.value as ResourcePage;
    const further = next === undefined ? following && `${following}:` : `${member.name}:${next}`;
    for (const failure of failures) onMissing(failure);
    const value = {
      resources: resources.map((row) => withPath(member.name, row)),
      ...(further && { next_cursor: further }),
    };
    return { ...background([{ name: member.name, outcome: answer.value }], failures), value };
  }
  const [failure] = failures;
  if (failure !== undefined && cursor === undefined) throw failure.error;
  return { ...background([], failures), value: { resources: [] } };
}

interface ResourcePage {
  readonly resources: readonly object[];
  readonly next_cursor?: string;
}

/** What is wrong with the request is not the fault of a vault. */
const rethrowInput =
  ({ name }: VaultMember) =>
  (error: VaultgraphError) => {
    if (error.category === 'input') throw error;
    return { answers: [], missing: [{ name, error }] };
  };

function invalidCursor(): VaultgraphError {
  const issues = [{ path: 'cursor', rule: 'is not a cursor of this server' }];
  return new VaultgraphError('INVALID_INPUT', { tool: 'resources/list', issues, accepted: ['cursor'] });
}

interface Completed {
  readonly values: readonly string[];
  readonly total: number;
  readonly has_more: boolean;
}

/** Values that name notes of several vaults begin with the vault. */
async function complete(
  members: readonly VaultMember[],
  { vault, ...args }: Args,
  run: RunMethod,
  onMissing: OnMissing,
): Promise<Outcome> {
  if (args.kind === 'vault') return { ...NOTHING_ELSE, value: namesLike(members, String(args.value)) };
  const named = members.filter(({ name }) => name === vault);
  const asked = named.length === 0 ? members : named;
  const { answers, missing } = await runEach(asked, (member) => run(member, args), onMissing);
  const lists = answers.map(({ name, value: { value } }) => {
    const { values, total, has_more } = value as Completed;
    const isNote = args.kind === 'note' && asked.length > 1;
    return { name, total, has_more, rows: values.map((text) => ({ text: isNote ? `${name}:${text}` : text })) };
  });
  const values = [...new Set(byRank(lists).map(({ row }) => (row as { text: string }).text))];
  const total = lists.reduce((sum, list) => sum + list.total, 0);
  const all = answers.map(({ name, value: outcome }): VaultAnswer => ({ name, outcome }));
  const shown = values.slice(0, MAX_VALUES);
  const value = { values: shown, total: Math.max(shown.length, total), has_more: total > shown.length };
  return { ...background(all, missing), value };
}

/** A limit of the protocol. */
const MAX_VALUES = 100;
const NOTHING_ELSE = { index: undefined, warnings: [], notes: [], images: [], links: [] };

function namesLike(members: readonly VaultMember[], typed: string): Completed {
  const values = members.map(({ name }) => name).filter((name) => name.startsWith(typed.toLowerCase()));
  return { values, total: values.length, has_more: false };
}
