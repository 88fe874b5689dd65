// Runs one tool call from its arguments to its answer; the only place that catches failures.
import { isBatchResult } from '../../base/batch.ts';
import { type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CAPABILITY_FAILS, type Capabilities, type CapabilityName, type Granted } from '../../contracts/capability.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { StoreCache, WriteSession } from '../../contracts/session.ts';
import type { AnswerNotes, AnyTool, CallContext, ServerReport, Warning } from '../../contracts/tool.ts';
import { type IndexView, viewOf } from '../render/index-view.ts';
import { type Answer, failureAnswer, successAnswer } from '../render/result.ts';
import type { PathMask } from '../render/safe-text.ts';
import type { ArgumentLimits } from './arguments.ts';
import { type CallJournal, failureFields } from './call-journal.ts';
import { runInScope, workMs } from './call-scope.ts';
import { absenceError, type Exposed } from './expose.ts';
import { passIndexGate } from './index-gate.ts';
import { parseInput, readsIndex } from './tool-input.ts';

/** What any tool may fail with besides its own `fails`; vault and store errors if they prevented the first index. */
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

/** The caller of a tool: its identity, its time limit and its listener for progress. */
export interface Caller {
  /** Aborted with a VaultgraphError by the server, with anything else by the client. */
  readonly signal: AbortSignal;
  /** For the whole call; Infinity for none, by default the limit of the server. */
  readonly limitMs?: number;
  readonly requestId?: string;
  /** The name that the client gave. */
  readonly client?: string;
  readonly progress?: CallContext['progress'];
}

export interface Host {
  readonly exposed: Exposed;
  readonly capabilities: Capabilities;
  readonly compute: Compute;
  readonly storeCache: StoreCache;
  readonly writes: WriteSession;
  /** For a whole call. */
  readonly callLimitMs: number;
  readonly argumentLimits: ArgumentLimits;
  /** `require`: every answer from the index must be fresh; otherwise the caller decides. */
  readonly freshness?: 'show' | 'require';
  readonly report: (signal: AbortSignal) => Promise<ServerReport>;
  /** Whether work that providers do after opening has finished, such as a migration of the index. */
  readonly isReady?: () => boolean;
  readonly journal: CallJournal;
  /** If the config asks for it: the health of the services other than the failing one. */
  readonly otherHealth?: (error: VaultgraphError, limitMs: number) => Promise<Readonly<Record<string, string>>>;
  readonly mask: PathMask;
  readonly log: Log;
}

export type Dispatch = (name: string, args: unknown, caller: Caller) => Promise<Answer>;

/** The function that runs a call of a listed tool. It returns every failure as an answer and never throws. */
export function createDispatch(host: Host): Dispatch {
  const { exposed, journal, mask, log } = host;
  const listed = new Set(exposed.tools.keys());
  return async (name, args, caller) => {
    const started = performance.now();
    const fields = { tool: name, request_id: caller.requestId };
    const duration = (): number => Math.round(performance.now() - started);
    journal.called(name);
    try {
      const { value, ...background } = await runTool(host, toolNamed(exposed, name), args, caller);
      logFailedItems(log, fields, value);
      const answer = successAnswer(value, { ...background, mask });
      log('debug', 'call', { ...fields, duration_ms: duration() });
      return answer;
    } catch (thrown) {
      const error = toVaultgraphError(thrown);
      journal.failed(name, error);
      const undeclared = declaredCodes(exposed.tools.get(name)).has(error.code) ? {} : { undeclared: true };
      log('error', 'call_failed', { ...fields, ...failureFields(error), ...undeclared, duration_ms: duration() });
      const health = await host.otherHealth?.(error, Math.min(MAX_HEALTH_MS, MAX_ANSWER_MS - duration()));
      return failureAnswer(error, listed, mask, health);
    } finally {
      journal.took(name, performance.now() - started);
    }
  };
}

/** The health checks must not delay a failure beyond the patience of a person, or of a client, which gives up after 60 s. */
const MAX_HEALTH_MS = 1_000;
const MAX_ANSWER_MS = 59_500;

interface Outcome {
  readonly value: object;
  readonly index: IndexView | undefined;
  readonly warnings: readonly Warning[];
  readonly notes: readonly AnswerNotes[];
}

async function runTool(host: Host, tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  const { input, requireFresh } = parseInput(tool, args, host.argumentLimits);
  refuseUntilReady(host, tool);
  const run = new ToolRun(caller.limitMs ?? host.callLimitMs);
  const scope = {
    signal: caller.signal,
    limitMs: run.limitMs,
    makeTimeout: run.timeout,
    onLate: () => host.journal.count('late_results_dropped'),
  };
  return runInScope(scope, async (signal) => {
    const call = run.contextFor(host, caller, signal);
    run.phase = 'waiting for the index';
    const before = await indexFor(tool, host, call, requireFresh);
    run.phase = `running ${tool.name}`;
    const value: object = await tool.run(input, grant(tool, host.capabilities), call);
    return { value, index: indexAfter(tool, host.capabilities) ?? before, warnings: run.warnings, notes: run.notes };
  });
}

/** The state of one running tool call: how far it is and what it reported. */
class ToolRun {
  readonly limitMs: number;
  readonly warnings: Warning[] = [];
  readonly notes: AnswerNotes[] = [];
  phase = '';
  #committed: 'none' | 'partial' | 'all' = 'none';

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** After a write, which may have happened, a blind retry is not advised. */
  readonly timeout = (): VaultgraphError => {
    const details = { budget_ms: this.limitMs, phase: this.phase, committed: this.#committed };
    return new VaultgraphError('DEADLINE_EXCEEDED', details, this.#committed === 'none' ? {} : { retry: 'C' });
  };

  contextFor(
    { compute, storeCache, writes, report }: Host,
    { progress, client = '' }: Caller,
    signal: AbortSignal,
  ): CallContext {
    const deadline = performance.now() + workMs(this.limitMs);
    return Object.freeze({
      ...{ signal, client, compute, storeCache, writes },
      commits: (now: 'none' | 'partial' | 'all') => {
        this.#committed = now;
      },
      msLeft: () => Math.max(0, deadline - performance.now()),
      progress: (done: number, total: number, message: string) => progress?.(done, total, message),
      warn: (warning: Warning) => void this.warnings.push(warning),
      annotate: (notes: AnswerNotes) => void this.notes.push(notes),
      report: () => report(signal),
    });
  }
}

/** @throws NOT_READY */
function refuseUntilReady({ isReady }: Host, { needs }: AnyTool): void {
  const names: readonly CapabilityName[] = needs;
  if (isReady?.() === false && names.includes('store')) throw new VaultgraphError('NOT_READY', { phase: 'migrating' });
}

/** Read before the tool runs: changes during the run may be missing from the answer. */
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

/** For a tool that reports on the index or changes it: the state after the run. */
function indexAfter({ needs, index, effect }: AnyTool, { indexer }: Capabilities): IndexView | undefined {
  const names: readonly CapabilityName[] = needs;
  const isAboutIndex = (index === 'none' || effect !== 'reads') && names.includes('indexer');
  return indexer !== undefined && isAboutIndex ? viewOf(indexer.state()) : undefined;
}

function grant(tool: AnyTool, capabilities: Capabilities): Granted<CapabilityName> {
  const needs: readonly CapabilityName[] = tool.needs;
  return Object.freeze(Object.fromEntries(needs.map((need) => [need, capabilities[need]]))) as Granted<CapabilityName>;
}

/** @throws CAPABILITY_NOT_CONFIGURED, READ_ONLY; INTERNAL for an unknown name, which the caller has to check first */
function toolNamed({ tools, absent }: Exposed, name: string): AnyTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = absent.get(name);
  if (known !== undefined) throw absenceError(known, [...tools.keys()]);
  throw new VaultgraphError('INTERNAL', { kind: 'a tool that is not listed was called' });
}

/** A bug in one item is logged here: an item of an answer has no error id, so there is no other trace of it. */
function logFailedItems(log: Log, fields: { tool: string; request_id: string | undefined }, value: object): void {
  if (!isBatchResult(value)) return;
  for (const { error } of value.failed) {
    if (error.code === 'INTERNAL') log('error', 'item_failed', { ...fields, ...failureFields(error) });
  }
}
