// Carries one call from its arguments to its answer, and is the only place that catches.
import { isBatchResult } from '../../base/batch.ts';
import { type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CAPABILITY_FAILS, type Capabilities, type CapabilityName, type Granted } from '../../contracts/capability.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { StoreCache } from '../../contracts/session.ts';
import type { AnswerNotes, AnyTool, CallContext, ServerReport, Warning } from '../../contracts/tool.ts';
import { type IndexView, viewOf } from '../render/index-view.ts';
import { type Answer, failureAnswer, successAnswer } from '../render/result.ts';
import type { PathMask } from '../render/safe-text.ts';
import type { ArgumentLimits } from './arguments.ts';
import { type CallJournal, failureFields } from './call-journal.ts';
import { openTypedSignal, openWorkSignal, workMs } from './call-signal.ts';
import { absenceError, type Exposed } from './expose.ts';
import { passIndexGate } from './index-gate.ts';
import { parseArguments, readsIndex, splitInput } from './tool-input.ts';
/** What any tool may fail with beside its own `fails`; of the vault and the store where they kept the first index from being. */
export const DISPATCHER_FAILS: readonly ErrorCode[] = Object.freeze([
  'CAPABILITY_NOT_CONFIGURED',
  'READ_ONLY',
  'INVALID_INPUT',
  'LIMIT_EXCEEDED',
  'INDEX_EMPTY',
  'INDEX_BUILDING',
  'VAULT_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_CORRUPT',
  'STORE_FULL',
  'STORE_READONLY',
  'STORE_ERROR',
  'BATCH_FAILED',
  'DEADLINE_EXCEEDED',
  'NOT_READY',
  'SHUTTING_DOWN',
  'CANCELLED',
  'INTERNAL',
]);

/** Every code that a call of `tool` may return. */
export function declaredCodes(tool: AnyTool | undefined): ReadonlySet<ErrorCode> {
  const needs: readonly CapabilityName[] = tool?.needs ?? [];
  const stale: readonly ErrorCode[] = tool !== undefined && readsIndex(tool) ? ['INDEX_STALE'] : [];
  return new Set([
    ...DISPATCHER_FAILS,
    ...stale,
    ...(tool?.fails ?? []),
    ...needs.flatMap((need) => CAPABILITY_FAILS[need]),
  ]);
}

/** Runs work until it ends, the limit lapses or the signal aborts; the reason aborts the work itself. */
export type WithLimit = <T>(
  limitMs: number,
  makeError: (elapsedMs: number) => VaultgraphError,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: () => void,
) => Promise<T>;

/** Who calls, for how long they wait and where progress goes. */
export interface Caller {
  /** Aborted with a VaultgraphError where the server gives the call up, with anything else where the client does. */
  readonly signal: AbortSignal;
  /** Of the whole call; Infinity for none, the server's own where it is not given. */
  readonly limitMs?: number;
  readonly requestId?: string;
  /** As it named itself. */
  readonly client?: string;
  readonly progress?: CallContext['progress'];
}

export interface Host {
  readonly exposed: Exposed;
  readonly capabilities: Capabilities;
  readonly compute: Compute;
  readonly storeCache: StoreCache;
  /** Milliseconds for a whole call. */
  readonly callLimitMs: number;
  readonly argumentLimits: ArgumentLimits;
  /** `require`: every answer from the index has to be fresh; otherwise the caller decides. */
  readonly freshness?: 'show' | 'require';
  readonly withLimit: WithLimit;
  readonly report: (signal: AbortSignal) => Promise<ServerReport>;
  /** Whether what the providers do behind their opening is done, such as a migration of the index; always, where it is not given. */
  readonly isReady?: () => boolean;
  readonly journal: CallJournal;
  /** Where the config asks for it: how the services beside the failing one are. */
  readonly healthBeside?: (error: VaultgraphError, limitMs: number) => Promise<Readonly<Record<string, string>>>;
  readonly mask: PathMask;
  readonly log: Log;
}

export type Dispatch = (name: string, given: unknown, caller: Caller) => Promise<Answer>;

/** One call of a listed tool. Every failure is an answer; nothing is thrown. */
export function createDispatch(host: Host): Dispatch {
  const { exposed, journal, mask, log } = host;
  const listed = new Set(exposed.tools.keys());
  return async (name, given, caller) => {
    const started = performance.now();
    const circumstances = { tool: name, request_id: caller.requestId };
    const duration = (): number => Math.round(performance.now() - started);
    journal.called(name);
    try {
      const { value, ...circumstance } = await runTool(host, toolNamed(exposed, name), given, caller);
      logFailedItems(log, circumstances, value);
      const answer = successAnswer(value, { ...circumstance, mask });
      log('debug', 'call', { ...circumstances, duration_ms: duration() });
      return answer;
    } catch (thrown) {
      const error = toVaultgraphError(thrown);
      journal.failed(name, error);
      const undeclared = declaredCodes(exposed.tools.get(name)).has(error.code) ? {} : { undeclared: true };
      log('error', 'call_failed', {
        ...circumstances,
        ...failureFields(error),
        ...undeclared,
        duration_ms: duration(),
      });
      return failureAnswer(error, listed, mask, await healthBeside(host, error, duration()));
    } finally {
      journal.took(name, performance.now() - started);
    }
  };
}

/** A look for as long as somebody who waits bears, and never so long that the client gives up before it is answered. */
const MAX_LOOK_MS = 1_000;
const LATEST_ANSWER_MS = 59_500;

async function healthBeside(
  { healthBeside: look }: Host,
  error: VaultgraphError,
  elapsedMs: number,
): Promise<Readonly<Record<string, string>> | undefined> {
  return look?.(error, Math.min(MAX_LOOK_MS, LATEST_ANSWER_MS - elapsedMs));
}

interface Outcome {
  readonly value: object;
  readonly index: IndexView | undefined;
  readonly warnings: readonly Warning[];
  readonly told: readonly AnswerNotes[];
}

async function runTool(host: Host, tool: AnyTool, given: unknown, caller: Caller): Promise<Outcome> {
  const limitMs = caller.limitMs ?? host.callLimitMs;
  const warnings: Warning[] = [];
  const told: AnswerNotes[] = [];
  let phase = 'checking the arguments';
  let committed: 'none' | 'partial' | 'all' = 'none';
  const commits: CallContext['commits'] = (now) => {
    committed = now;
  };
  const late = (): VaultgraphError => {
    // What may be written already must not be repeated blindly.
    const more = committed === 'none' ? {} : { retry: 'C' as const };
    return new VaultgraphError('DEADLINE_EXCEEDED', { budget_ms: limitMs, phase, committed }, more);
  };
  const { input, requireFresh } = splitInput(tool, parseArguments(tool, given, host.argumentLimits));
  refuseUntilReady(host, tool);
  const work = async (signal: AbortSignal): Promise<Outcome> => {
    const call = callContext(host, caller, { limitMs, signal, warnings, told, commits });
    phase = 'waiting for the index';
    const before = await indexFor(tool, host, call, requireFresh);
    phase = `running ${tool.name}`;
    const value: object = await tool.run(input, grant(tool, host.capabilities), call);
    return { value, index: indexBehind(tool, host.capabilities) ?? before, warnings, told };
  };
  return underLimit(host, limitMs, late, caller.signal, work);
}

/** @throws NOT_READY */
function refuseUntilReady({ isReady }: Host, { needs }: AnyTool): void {
  const names: readonly CapabilityName[] = needs;
  if (isReady?.() === false && names.includes('store')) throw new VaultgraphError('NOT_READY', { phase: 'migrating' });
}

async function underLimit(
  { withLimit, journal }: Host,
  limitMs: number,
  late: () => VaultgraphError,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const typed = openTypedSignal(caller);
  const bounded = async (signal: AbortSignal): Promise<Outcome> => {
    const near = openWorkSignal(limitMs, late, signal);
    return work(near.signal).finally(near.close);
  };
  const drop = (): void => journal.count('late_results_dropped');
  return withLimit(limitMs, late, typed.signal, bounded, drop).finally(typed.close);
}

/** The state an answer is made from is read before the tool runs: what changes meanwhile may not be in it. */
async function indexFor(
  { needs, index }: AnyTool,
  { capabilities: { indexer }, freshness }: Host,
  call: CallContext,
  requireFresh: boolean,
): Promise<IndexView | undefined> {
  const names: readonly CapabilityName[] = needs;
  if (indexer === undefined) return undefined;
  const state = await passIndexGate(index, indexer, call, requireFresh || freshness === 'require');
  return names.includes('store') ? viewOf(state) : undefined;
}

/** What tells of the index itself, or has changed it, shows the state it leaves. */
function indexBehind({ needs, index, effect }: AnyTool, { indexer }: Capabilities): IndexView | undefined {
  const names: readonly CapabilityName[] = needs;
  const tellsOfIt = (index === 'none' || effect !== 'reads') && names.includes('indexer');
  return indexer !== undefined && tellsOfIt ? viewOf(indexer.state()) : undefined;
}

interface CallState {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly warnings: Warning[];
  readonly told: AnswerNotes[];
  readonly commits: CallContext['commits'];
}

function callContext(
  { compute, storeCache, report }: Host,
  { progress, client = '' }: Caller,
  { limitMs, signal, warnings, told, commits }: CallState,
): CallContext {
  const deadline = performance.now() + workMs(limitMs);
  return Object.freeze({
    ...{ signal, client, commits },
    msLeft: () => Math.max(0, deadline - performance.now()),
    progress: (done: number, total: number, message: string) => progress?.(done, total, message),
    warn: (warning: Warning) => void warnings.push(warning),
    tell: (notes: AnswerNotes) => void told.push(notes),
    storeCache,
    compute,
    report: () => report(signal),
  });
}

function grant(tool: AnyTool, capabilities: Capabilities): Granted<CapabilityName> {
  const needs: readonly CapabilityName[] = tool.needs;
  return Object.freeze(Object.fromEntries(needs.map((need) => [need, capabilities[need]]))) as Granted<CapabilityName>;
}

/** @throws CAPABILITY_NOT_CONFIGURED, READ_ONLY; INTERNAL for a name nobody knows, which the caller looks up first */
function toolNamed({ tools, absent }: Exposed, name: string): AnyTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = absent.get(name);
  if (known !== undefined) throw absenceError(known, [...tools.keys()]);
  throw new VaultgraphError('INTERNAL', { kind: 'a tool that is not listed was called' });
}

/** On the wire an item has no error id, so a bug behind one would leave no trace without its own record. */
function logFailedItems(
  log: Log,
  circumstances: { tool: string; request_id: string | undefined },
  value: object,
): void {
  if (!isBatchResult(value)) return;
  for (const { error } of value.failed) {
    if (error.code === 'INTERNAL') log('error', 'item_failed', { ...circumstances, ...failureFields(error) });
  }
}
