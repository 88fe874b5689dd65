// One call to a provider for somebody who waits for it, and what the answer tells of it afterwards.
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import { newTrace, type ProviderCall, type ProviderTrace } from '../../contracts/provider-call.ts';
import type { CallContext } from '../../contracts/tool.ts';

/** Kept of a call's time for what is made of the provider's answer, or for telling in time that there was none. */
const MAX_CLOSING_MS = 1_000;
const CLOSING_SHARE = 0.1;

/** @param ms the time that the whole call has */
export const reservedMs = (ms: number): number => Math.min(MAX_CLOSING_MS, ms * CLOSING_SHARE);

/** Each invocation begins a call with a trace of its own; all of them share the time that the tool's call has left now. */
export function interactiveCalls(call: CallContext): () => ProviderCall {
  const closing = reservedMs(call.msLeft());
  return () => ({
    priority: 'interactive',
    msLeft: () => Math.max(0, call.msLeft() - closing),
    onWait: (message) => call.progress(0, 0, message),
    trace: newTrace(),
  });
}

/** Tells by whom the last of the traced calls was answered, and every retry on the way there. */
export function reportProvider(
  capability: 'embedding' | 'llm',
  { model, type }: Pick<EmbeddingProvider, 'model' | 'type'>,
  traces: readonly ProviderTrace[],
  call: CallContext,
): void {
  const retries = traces.flatMap((trace) => trace.retries);
  const last = traces.at(-1);
  const earlier = retries.length - (last?.retries.length ?? 0);
  const served_by = last?.servedBy ?? type;
  const attempts = (last?.attempts ?? 0) + earlier;
  const told = { capability, served_by, model, attempts } as const;
  call.tell({ provider: retries.length === 0 ? told : { ...told, retries } });
  if (!traces.some((trace) => trace.failedOver)) return;
  call.warn({ code: 'FAILOVER', message: `${served_by} answered in place of the first endpoint, with the same model` });
}
