// Answers one tool call: finds the tool, has it run and renders what came of it; the only place that catches failures.
import { isBatchResult } from '../../base/batch.ts';
import { type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CAPABILITY_FAILS } from '../../contracts/capability.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { type Answer, failureAnswer, successAnswer } from '../render/result.ts';
import { readsIndex } from './arguments.ts';
import { counted, failureFields } from './call-journal.ts';
import { absenceError, type Exposed } from './expose.ts';
import { type AskUser, type Caller, type Host, type Outcome, runTool } from './run-tool.ts';

export type { AskUser, Caller, Host };

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
  'MASS_DELETE_BLOCKED',
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

export type Dispatch = (name: string, args: unknown, caller: Caller) => Promise<Answer>;

/** What answering a call needs beside the run itself. */
export interface Answering extends Pick<Host, 'exposed' | 'journal' | 'otherHealth' | 'mask' | 'log'> {
  /** Further details of a failure, such as the vault that it is of. */
  readonly aboutFailure?: (error: VaultgraphError) => { readonly vault?: string };
}

export type Run = (tool: AnyTool, args: unknown, caller: Caller) => Promise<Outcome>;

/** The function that runs a call of a listed tool. It returns every failure as an answer and never throws. */
export function createDispatch(host: Host): Dispatch {
  return createAnswering(host, (tool, args, caller) => runTool(host, tool, args, caller));
}

/** Does what `createDispatch` does, for a run of any kind. */
export function createAnswering(answering: Answering, run: Run): Dispatch {
  const { exposed, journal, mask, log } = answering;
  const listed = new Set(exposed.tools.keys());
  return async (name, args, caller) => {
    const started = performance.now();
    const fields = { tool: name, request_id: caller.requestId };
    const duration = (): number => Math.round(performance.now() - started);
    const answerOf = async (): Promise<Answer> => {
      const tool = toolNamed(exposed, name);
      const { value, images, links, show = tool.show, ...background } = await run(tool, args, caller);
      logFailedItems(log, fields, value);
      const brief = (tool.brief as ((answer: object) => object) | undefined)?.(value) ?? value;
      const answer = { ...successAnswer(brief, { ...background, mask, show }), images, links };
      refuseOversized(answer, tool, args);
      log('debug', 'call', { ...fields, duration_ms: duration() });
      return answer;
    };
    try {
      return await counted(journal, name, answerOf);
    } catch (thrown) {
      const error = toVaultgraphError(thrown);
      const undeclared = declaredCodes(exposed.tools.get(name)).has(error.code) ? {} : { undeclared: true };
      const about = answering.aboutFailure?.(error) ?? {};
      const failed = { ...failureFields(error), ...undeclared, ...about, duration_ms: duration() };
      log('error', 'call_failed', { ...fields, ...failed });
      const healthMs = Math.max(1, Math.min(MAX_HEALTH_MS, MAX_ANSWER_MS - duration()));
      const health = await answering.otherHealth?.(error, healthMs);
      return failureAnswer(error, listed, mask, { ...shownHealth(health), ...about });
    }
  };
}

const shownHealth = (health: Readonly<Record<string, string>> = {}): object =>
  Object.keys(health).length === 0 ? {} : { health };

/** Runs a listed tool of one vault among several: its answer is rendered elsewhere, its calls count in its own journal. */
export function createRun(host: Host): (name: string, args: unknown, caller: Caller) => Promise<Outcome> {
  const { exposed, journal } = host;
  return (name, args, caller) => counted(journal, name, () => runTool(host, toolNamed(exposed, name), args, caller));
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

/** @throws CAPABILITY_NOT_CONFIGURED, READ_ONLY; INTERNAL for an unknown name, which the caller has to check first */
function toolNamed({ tools, absent }: Exposed, name: string): AnyTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const absence = absent.get(name);
  if (absence !== undefined) throw absenceError(absence, [...tools.keys()]);
  throw new VaultgraphError('INTERNAL', { kind: 'a tool that is not listed was called' });
}

/** A bug in one item is logged here: an item of an answer has no error id, so there is no other trace of it. */
function logFailedItems(log: Log, fields: { tool: string; request_id: string | undefined }, value: object): void {
  if (!isBatchResult(value)) return;
  for (const { error } of value.failed) {
    if (error.code === 'INTERNAL') log('error', 'item_failed', { ...fields, ...failureFields(error) });
  }
}
