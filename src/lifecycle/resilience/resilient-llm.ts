// A provider of answers behind its layers: a twin of it that keeps its time and its temper.
import type { TimeLimits } from '../../contracts/capability.ts';
import type { LLMIdentity, LLMProvider } from '../../contracts/llm.ts';
import type { ResilientParts } from './resilient-parts.ts';
import { layeredProvider, type Resilient } from './resilient-provider.ts';

export type LLMParts = ResilientParts<LLMProvider, TimeLimits<LLMProvider>, LLMIdentity>;

export function resilientLLM(parts: LLMParts): Resilient<LLMProvider> {
  const { send, shared, ...told } = layeredProvider('llm', parts, differencesOf);
  const { contextTokens } = parts.endpoints[0];
  const generate: LLMProvider['generate'] = (request, call, signal) => {
    const sending = { limit: parts.limits.generate, proves: true };
    return send(sending, (at, inner, stop) => at.generate(request, inner, stop), call, signal);
  };
  return Object.freeze({ ...told, provider: Object.freeze({ ...shared, contextTokens, generate }) });
}

/** Nothing but a digest proves that weights are the same: an unknown one differs from every other. */
function differencesOf(expected: LLMIdentity, found: LLMIdentity): readonly string[] {
  const differs = (key: keyof LLMIdentity): boolean => expected[key] === null || expected[key] !== found[key];
  return (['provider', 'model', 'digest'] as const).filter(differs);
}
