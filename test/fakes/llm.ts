// An in-process language model with scripted answers, which are checked against the requested schema.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DetailsOf, type ProviderDetails, VaultgraphError } from '../../src/base/errors.ts';
import { FRAME_TOKENS, type LLMProvider, type LLMRequest } from '../../src/contracts/llm.ts';
import type { ProviderCall } from '../../src/contracts/provider-call.ts';
import { sizeOf } from '../../src/markdown/chunk/text-size.ts';

/** A request as the model receives it. */
export interface AskedLLM {
  readonly instructions: string;
  readonly prompt: string;
}

/** The model's answer: a value, which is written as JSON, or the text itself. */
export type Script = (requested: AskedLLM) => unknown;

export interface FakeLLMSettings {
  readonly type: string;
  readonly model: string;
  readonly endpoint: string | null;
  readonly digest: string | null;
  readonly contextTokens: number;
  /** The tokens of a request that the server reads, if these are fewer; it refuses more. */
  readonly reads: number;
  /** Whether every answer is truncated. */
  readonly cutsShort: boolean;
  readonly down: boolean;
  readonly hang: boolean;
  readonly delayMs: number;
}

export interface FakeLLM {
  readonly provider: LLMProvider;
  become(settings: Partial<FakeLLMSettings>): void;
  /** Changes the script. */
  says(script: Script): void;
  /** Each of the next requests of any kind fails with one of these; undefined lets one succeed. */
  failNext(...failures: readonly (VaultgraphError | undefined)[]): void;
  /** The requests that the model received, in order. */
  readonly requests: readonly AskedLLM[];
  readonly requested: Readonly<Record<'identify' | 'generate' | 'loaded' | 'warmUp', number>>;
}

const USUAL: FakeLLMSettings = {
  type: 'fake',
  model: 'script',
  endpoint: null,
  digest: 'sha256:script-1',
  contextTokens: 8_192,
  reads: Number.POSITIVE_INFINITY,
  cutsShort: false,
  down: false,
  hang: false,
  delayMs: 0,
};

export function fakeLLM(script: Script, settings: Partial<FakeLLMSettings> = {}): FakeLLM {
  let now = { ...USUAL, ...settings };
  let says = script;
  const requests: AskedLLM[] = [];
  const requested = { identify: 0, generate: 0, loaded: 0, warmUp: 0 };
  const failures: (VaultgraphError | undefined)[] = [];

  const answer = async (what: keyof typeof requested, signal: AbortSignal, call?: ProviderCall): Promise<void> => {
    signal.throwIfAborted();
    requested[what] += 1;
    if (call !== undefined) call.trace.attempts += 1;
    if (now.hang) await sleep(2 ** 31 - 1, undefined, { signal, ref: false });
    if (now.delayMs > 0) await sleep(now.delayMs, undefined, { signal });
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    if (now.down) throw llmFailure('PROVIDER_UNAVAILABLE', { cause_code: 'ECONNREFUSED' }, describe(now));
    if (call !== undefined) call.trace.servedBy = servedBy(now);
  };

  const provider: LLMProvider = Object.freeze({
    get type() {
      return now.type;
    },
    get model() {
      return now.model;
    },
    get endpoint() {
      return now.endpoint;
    },
    get contextTokens() {
      return now.contextTokens;
    },
    identify: async (call: ProviderCall, signal: AbortSignal) => {
      await answer('identify', signal, call);
      return { provider: now.type, model: now.model, digest: now.digest };
    },
    generate: async <T>(request: LLMRequest<T>, call: ProviderCall, signal: AbortSignal) => {
      const promptTokens = measured(request, now);
      await answer('generate', signal, call);
      if (promptTokens > now.reads)
        throw llmFailure('PROVIDER_INPUT_TOO_LONG', {}, { ...describe(now), level: 'item' });
      const { instructions, prompt } = request;
      requests.push({ instructions, prompt });
      const said = says({ instructions, prompt });
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      return { value: checkedValue(now.cutsShort ? undefined : text, request, now), promptTokens };
    },
    loaded: async (signal: AbortSignal) => {
      await answer('loaded', signal);
      return true;
    },
    warmUp: (signal: AbortSignal) => answer('warmUp', signal),
  });
  return {
    provider,
    requests,
    requested,
    become: (changed) => {
      now = { ...now, ...changed };
    },
    says: (next) => {
      says = next;
    },
    failNext: (...next) => {
      failures.push(...next);
    },
  };
}

type ProviderCode = Extract<keyof typeof import('../../src/base/errors.ts').ERRORS, `PROVIDER_${string}`>;

/** A failure as a language-model provider throws it; for the whole call unless `some` says otherwise. */
export function llmFailure<C extends ProviderCode>(
  code: C,
  own: Omit<DetailsOf<C>, keyof ProviderDetails>,
  some: Partial<ProviderDetails> = {},
): VaultgraphError<C> {
  const usual = { capability: 'llm', provider: 'fake', model: 'script', attempts: 1, elapsed_ms: 1, level: 'call' };
  return new VaultgraphError(code, { ...usual, ...some, ...own } as unknown as DetailsOf<C>);
}

const describe = ({ type, model, endpoint }: FakeLLMSettings): Partial<ProviderDetails> => ({
  ...{ provider: type, model },
  ...(endpoint === null ? {} : { endpoint }),
});

const servedBy = ({ type, endpoint }: FakeLLMSettings): string =>
  endpoint === null ? type : `${type}@${new URL(endpoint).host}`;

/** @throws PROVIDER_INPUT_TOO_LONG before the model receives it */
function measured({ instructions, prompt, maxAnswerTokens }: LLMRequest<unknown>, now: FakeLLMSettings): number {
  const tokens = Math.ceil(sizeOf(instructions).tokens + sizeOf(prompt).tokens) + FRAME_TOKENS;
  const limit = now.contextTokens - maxAnswerTokens;
  if (tokens > limit || limit <= 0) {
    throw llmFailure('PROVIDER_INPUT_TOO_LONG', { tokens, limit }, { ...describe(now), level: 'item' });
  }
  return tokens;
}

/** @throws PROVIDER_BAD_RESPONSE for a truncated answer, invalid JSON, or another schema */
function checkedValue<T>(text: string | undefined, { schema }: LLMRequest<T>, now: FakeLLMSettings): T {
  const bad = (received: string) =>
    llmFailure(
      'PROVIDER_BAD_RESPONSE',
      { expected: 'JSON of the schema', received },
      { ...describe(now), level: 'item' },
    );
  if (text === undefined) throw bad('an answer that was cut');
  const parsed = schema.safeParse(jsonOf(text, bad));
  if (!parsed.success) throw bad('another shape');
  return parsed.data;
}

function jsonOf(text: string, bad: (received: string) => VaultgraphError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad('no JSON');
  }
}
