// Runs one tool call from its arguments to its answer; the only place that catches failures.
import { isDeepStrictEqual } from 'node:util';
import { isBatchResult } from '../../base/batch.ts';
import { type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CAPABILITY_FAILS, type Capabilities, type CapabilityName, type Granted } from '../../contracts/capability.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { IndexState } from '../../contracts/indexer.ts';
import type { StoreCache, WriteSession } from '../../contracts/session.ts';
import type { AnswerNotes, AnyTool, CallContext, Consent, Image, ServerReport, Warning } from '../../contracts/tool.ts';
import type { IndexView } from '../render/index-view.ts';
import { type Answer, failureAnswer, successAnswer } from '../render/result.ts';
import type { PathMask } from '../render/safe-text.ts';
import { type IndexSources, viewAfter, viewBefore } from './answering-index.ts';
import type { ArgumentLimits } from './arguments.ts';
import { CallClock } from './call-clock.ts';
import { type CallJournal, failureFields } from './call-journal.ts';
import { runInScope } from './call-scope.ts';
import { absenceError, type Exposed } from './expose.ts';
import { orBuilding, passIndexGate } from './index-gate.ts';
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
  const stale: readonly ErrorCode[] = tool !== undefined && readsIndex(tool) ? ['INDEX_STALE'] : [];
  return new Set([
    ...DISPATCHER_FAILS,
    ...stale,
    ...(tool?.fails ?? []),
    ...(tool?.needs ?? []).flatMap((need) => CAPABILITY_FAILS[need]),
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
  /** Only if the client can show its user a question. */
  readonly ask?: AskUser;
}

/** Waits at most `waitMs` for an answer. @throws the reason of the signal, which also withdraws the question */
export type AskUser = (question: string, waitMs: number, signal: AbortSignal) => Promise<Consent>;

export interface Host extends IndexSources {
  readonly exposed: Exposed;
  readonly compute: Compute;
  readonly storeCache: StoreCache;
  readonly writes: WriteSession;
  /** For a whole call. */
  readonly callLimitMs: number;
  /** How long a question to the user may wait; absent if the user is not asked. */
  readonly consentMs?: number;
  readonly argumentLimits: ArgumentLimits;
  /** Bytes of the images of one answer. */
  readonly imageLimit: number;
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
      const tool = toolNamed(exposed, name);
      const { value, images, ...background } = await runTool(host, tool, args, caller);
      logFailedItems(log, fields, value);
      const answer = { ...successAnswer(value, { ...background, mask, show: tool.show }), images };
      refuseOversized(answer, tool, args);
      log('debug', 'call', { ...fields, duration_ms: duration() });
      return answer;
    } catch (thrown) {
      const error = toVaultgraphError(thrown);
      journal.failed(name, error);
      const undeclared = declaredCodes(exposed.tools.get(name)).has(error.code) ? {} : { undeclared: true };
      log('error', 'call_failed', { ...fields, ...failureFields(error), ...undeclared, duration_ms: duration() });
      const health = await host.otherHealth?.(error, Math.max(1, Math.min(MAX_HEALTH_MS, MAX_ANSWER_MS - duration())));
      return failureAnswer(error, listed, mask, health);
    } finally {
      journal.took(name, performance.now() - started);
    }
  };
}

/** In UTF-8, both halves of an answer together. */
const MAX_ANSWER_BYTES = 1_000_000;

/**
 * Tools page and cut what they list, so this is the last resort. A caller that gives `max_chars` gets as much; what a
 * write did is always answered.
 * @throws LIMIT_EXCEEDED
 */
function refuseOversized({ text, structured }: Answer, tool: AnyTool, args: unknown): void {
  if (tool.effect !== 'reads' || (typeof args === 'object' && args !== null && 'max_chars' in args)) return;
  const actual = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(structured));
  if (actual <= MAX_ANSWER_BYTES) return;
  throw new VaultgraphError('LIMIT_EXCEEDED', { field: 'the size of the answer', limit: MAX_ANSWER_BYTES, actual });
}

/** The health checks must not delay a failure beyond the patience of a person, or of a client, which gives up after 60 s. */
const MAX_HEALTH_MS = 1_000;
const MAX_ANSWER_MS = 59_500;

interface Outcome {
  readonly value: object;
  readonly index: IndexView | undefined;
  readonly warnings: readonly Warning[];
  readonly notes: readonly AnswerNotes[];
  readonly images: readonly Image[];
}

async function runTool(host: Host, tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  const { input, requireFresh } = parseInput(tool, args, host.argumentLimits);
  refuseUntilReady(host, tool);
  const run = new ToolRun(caller.limitMs ?? host.callLimitMs);
  const scope = {
    signal: caller.signal,
    clock: run.clock,
    makeTimeout: run.timeout,
    onLate: () => host.journal.count('late_results_dropped'),
  };
  return runInScope(scope, async (signal) => {
    const call = run.contextFor(host, caller, signal);
    run.phase = 'waiting for the index';
    const state = await passIndexGate(
      tool.index,
      host.capabilities.indexer,
      call,
      requireFresh || host.freshness === 'require',
    );
    const before = await viewBefore(tool, input, state, host, call);
    run.phase = `running ${tool.name}`;
    const value = await runOn(state, () => tool.run(input, grant(tool, host.capabilities), call));
    const index = (await viewAfter(tool, host)) ?? before;
    return { value, index, warnings: run.warnings, notes: run.notes, images: run.images };
  });
}

/** The state of one running tool call: how far it is and what it reported. */
class ToolRun {
  readonly clock: CallClock;
  readonly warnings: Warning[] = [];
  readonly notes: AnswerNotes[] = [];
  readonly images: Image[] = [];
  phase = '';
  #committed: 'none' | 'partial' | 'all' = 'none';

  constructor(limitMs: number) {
    this.clock = new CallClock(limitMs);
  }

  /** After a write, which may have happened, a blind retry is not advised. */
  readonly timeout = (): VaultgraphError => {
    const details = { budget_ms: this.clock.limitMs, phase: this.phase, committed: this.#committed };
    return new VaultgraphError('DEADLINE_EXCEEDED', details, this.#committed === 'none' ? {} : { retry: 'C' });
  };

  contextFor(
    { compute, storeCache, writes, report, imageLimit, consentMs }: Host,
    { progress, client = '', ask }: Caller,
    signal: AbortSignal,
  ): CallContext {
    return Object.freeze({
      ...{ signal, client, compute, storeCache, writes },
      commits: (now: 'none' | 'partial' | 'all') => {
        this.#committed = now;
      },
      msLeft: () => this.clock.msLeft(),
      progress: (done: number, total: number, message: string) => progress?.(done, total, message),
      warn: (warning: Warning) => this.#warn(warning),
      annotate: (notes: AnswerNotes) => void this.notes.push(notes),
      showImage: (image: Image) => this.#show(image, imageLimit),
      report: () => report(signal),
      ...(ask !== undefined &&
        consentMs !== undefined && {
          consent: (question: string) => this.clock.outside(() => ask(question, consentMs, signal)),
        }),
    });
  }

  /** A change that is planned again, after a conflict or a question, warns of the same. */
  #warn(warning: Warning): void {
    if (!this.warnings.some((other) => isDeepStrictEqual(other, warning))) this.warnings.push(warning);
  }

  #show(image: Image, limit: number): void {
    const actual = [...this.images, image].reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (actual > limit) throw new VaultgraphError('LIMIT_EXCEEDED', { field: 'the size of the images', limit, actual });
    this.images.push(image);
  }
}

/** @throws NOT_READY */
function refuseUntilReady({ isReady }: Host, { needs }: AnyTool): void {
  if (isReady?.() === false && needs.includes('store')) throw new VaultgraphError('NOT_READY', { phase: 'migrating' });
}

/** A note that is not found while the first index is being built may only not be indexed yet. */
async function runOn(state: IndexState | undefined, run: () => Promise<object>): Promise<object> {
  if (state === undefined || state.complete) return run();
  try {
    const value = await run();
    if (!isBatchResult(value)) return value;
    return { ...value, failed: value.failed.map(({ id, error }) => ({ id, error: orBuilding(error, state) })) };
  } catch (thrown) {
    throw orBuilding(toVaultgraphError(thrown), state);
  }
}

function grant({ needs }: AnyTool, capabilities: Capabilities): Granted<CapabilityName> {
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
