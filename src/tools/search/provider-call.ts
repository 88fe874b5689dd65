// Starts provider calls for a waiting client, and reports who answered.
import { type ModelProvider, newTrace, type ProviderCall, type ProviderTrace } from '../../contracts/provider-call.ts';
import type { AnsweringProvider, CallContext } from '../../contracts/tool.ts';

/** Reserved for the work after the provider's answer, or to report its failure in time. */
const MAX_RESERVED_MS = 1_000;
const RESERVED_SHARE = 0.1;

/** @param ms the time of the whole call */
export const reservedMs = (ms: number): number => Math.min(MAX_RESERVED_MS, ms * RESERVED_SHARE);

/** Each invocation starts a provider call with its own trace; all share the remaining time of the tool call. */
export function interactiveCalls(call: CallContext): () => ProviderCall {
  const reserved = reservedMs(call.msLeft());
  return () => ({
    priority: 'interactive',
    msLeft: () => Math.max(0, call.msLeft() - reserved),
    onWait: (message) => call.progress(0, 0, message),
    trace: newTrace(),
  });
}

/** Reports which provider answered the last call, and all retries. */
export function reportProvider(
  capability: AnsweringProvider['capability'],
  { model, type }: Pick<ModelProvider<unknown>, 'model' | 'type'>,
  traces: readonly ProviderTrace[],
  call: CallContext,
): void {
  const retries = traces.flatMap((trace) => trace.retries);
  const last = traces.at(-1);
  const earlier = retries.length - (last?.retries.length ?? 0);
  const served_by = last?.servedBy ?? type;
  const attempts = (last?.attempts ?? 0) + earlier;
  const answer = { capability, served_by, model, attempts, ...(retries.length > 0 && { retries }) };
  call.annotate(capability === 'rerank' ? { reranker: answer } : { provider: answer });
  if (!traces.some((trace) => trace.failedOver)) return;
  call.warn({ code: 'FAILOVER', message: `${served_by} answered in place of the first endpoint, with the same model` });
}
