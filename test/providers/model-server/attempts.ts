// Helpers for tests of the shared parts: a server with scripted answers, and an attempt to call it.
import type { TestContext } from 'node:test';
import { newTrace, type ProviderCall } from '../../../src/contracts/provider-call.ts';
import { type Attempt, beginAttempt, type ModelServer } from '../../../src/providers/model-server/attempt.ts';
import { type Fault, jsonAnswer } from '../../fakes/http/exchange.ts';
import { type Loopback, openLoopback } from '../../fakes/http/loopback.ts';

export const never = new AbortController().signal;

/** Answers `{"embeddings": [[1]]}` unless it was set to fail. */
export async function openServer(context: TestContext, fault?: Fault): Promise<Loopback> {
  const server = await openLoopback(async () => jsonAnswer(200, { embeddings: [[1]] }));
  context.after(() => server.close());
  if (fault !== undefined) server.fail(fault);
  return server;
}

export function newCall(): ProviderCall {
  const msLeft = (): number => Number.POSITIVE_INFINITY;
  return { priority: 'interactive', msLeft, onWait: () => undefined, trace: newTrace() };
}

interface Given extends Partial<ModelServer> {
  readonly signal?: AbortSignal;
  readonly call?: ProviderCall;
  readonly texts?: readonly string[];
}

export function attemptAt(
  endpoint: string,
  { signal = never, call = newCall(), texts = [], ...some }: Given = {},
): Attempt {
  return beginAttempt(
    { capability: 'embedding', provider: 'ollama', model: 'embeddinggemma', headers: {}, endpoint, ...some },
    signal,
    call,
    texts,
  );
}
