// Errors of the embedding, language-model and rerank providers.
import { commandLine } from '../command-line.ts';
import {
  type Action,
  codeList,
  cut,
  DOCTOR,
  entry,
  grouped,
  plural,
  quoted,
  SEARCH_TEXT,
  waitForJob,
} from './error-entry.ts';

/** Details that every provider failure has. `level` is `item` if only this input is at fault and others would succeed. */
export interface ProviderDetails {
  capability: 'embedding' | 'llm' | 'rerank';
  /** The type in the config. */
  provider: string;
  /** Without credentials; absent for a provider that runs in this process. */
  endpoint?: string;
  /** The proxy that requests to the endpoint go through. */
  proxy?: string;
  model: string;
  attempts: number;
  elapsed_ms: number;
  level: 'item' | 'call';
}

const REQUESTS = {
  embedding: 'the embedding request',
  llm: 'the language-model request',
  rerank: 'the rerank request',
} as const;

/** `the embedding request failed: <cause> (ollama at <endpoint>, model <model>, 2 attempts in 412 ms)`. */
function failed(details: ProviderDetails, cause: string): string {
  const { capability, provider, endpoint, model, elapsed_ms, attempts } = details;
  const server = endpoint === undefined ? provider : `${provider} at ${endpoint}${byProxy(details)}`;
  return `${REQUESTS[capability]} failed: ${cause} (${server}, model ${model}, ${plural(attempts, 'attempt')} in ${elapsed_ms} ms)`;
}

const byProxy = ({ proxy }: ProviderDetails): string => (proxy === undefined ? '' : ` through the proxy ${proxy}`);

/** Full-text search works without an embedding provider, so a caller can fall back to it. */
const fallback = ({ capability }: ProviderDetails): readonly Action[] =>
  capability === 'embedding' ? [SEARCH_TEXT] : [];

const WITHOUT_MODEL = {
  embedding: ' search_text works without the model.',
  llm: '',
  rerank: ' With rerank: false the search works without this model.',
} as const;

/** Appends to a hint how to do without the model. */
const advise = ({ capability }: ProviderDetails, hint: string): string => `${hint}${WITHOUT_MODEL[capability]}`;

/** A model in this process has no server. */
function badResponseHint({ endpoint, unknown_text }: ProviderDetails & { unknown_text?: true }): string {
  const doctor = `Ask the user to run \`${commandLine('doctor')}\``;
  if (unknown_text) return 'A model for the language of the text would know its words; this one finds nothing by them.';
  if (endpoint === undefined) return `${doctor} and to install the model again.`;
  return `${doctor} and to check the server that runs the model.`;
}

/** Servers by their `type` in the config. */
const SERVERS: Readonly<Record<string, string>> = { ollama: 'Ollama', 'openai-compatible': 'the server' };

/** Connection errors by the system's code. */
export const CONNECTION_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed for now',
  UND_ERR_SOCKET: 'connection lost',
  EPROTO: 'TLS failed',
};

/** Why a certificate is not accepted, by the codes of Node. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function connectionHint({
  capability,
  provider,
  endpoint,
  proxy,
  cause_code,
}: ProviderDetails & { cause_code: string }) {
  const key = `providers.${capability}.endpoint`;
  if (endpoint === undefined) return `Ask the user to run \`${commandLine('doctor')}\``;
  if (proxy !== undefined) return `Ask the user to check that the proxy runs and reaches the host of ${key}`;
  if (CERTIFICATE.test(cause_code))
    return `Ask the user to correct the host in ${key}, or to name the certificate of its authority in the variable NODE_EXTRA_CA_CERTS`;
  if (cause_code === 'EPROTO')
    return `Ask the user to check whether ${key} begins with http or https, as the server does`;
  if (cause_code === 'ENOTFOUND' || cause_code === 'EAI_AGAIN')
    return `Ask the user to check the network and the host name in ${key}`;
  return `Ask the user to start ${SERVERS[provider] ?? 'the server'} there, or to correct ${key}`;
}

const PHASES: Readonly<Record<string, string>> = {
  queue: 'queued',
  headers: 'no response yet',
  body: 'the response was incomplete',
  backoff: 'waiting to retry',
  load: 'loading the model',
};

type TimeoutDetails = ProviderDetails & { phase: string; timeout_ms: number; clipped: boolean; cold_start: boolean };

function timeoutCause({ timeout_ms, clipped, phase, cold_start }: TimeoutDetails): string {
  const limit = clipped ? `${timeout_ms} ms, the time the call had left` : `${timeout_ms} ms`;
  return `no answer within ${limit}: ${PHASES[phase] ?? phase}${cold_start ? ', the model was not loaded' : ''}`;
}

function timeoutHint({ cold_start, clipped, capability }: TimeoutDetails): string {
  if (cold_start) return 'The model is being loaded in the background; try again in a while.';
  if (clipped) return 'The call ran out of time; ask for less per call.';
  const less = capability === 'rerank' ? 'lower providers.rerank.top' : 'shorten the input';
  return `Check that the server responds, ${less}, or raise providers.${capability}.timeout.`;
}

function missingModelHint({
  provider,
  model,
  capability,
  installed,
}: ProviderDetails & { installed: readonly string[] }) {
  const get = provider === 'ollama' ? `Ask the user to run \`ollama pull ${model}\`` : 'Ask the user to load it';
  const others = installed.length === 0 ? '' : ` Installed: ${codeList(installed.map((name) => cut(name)))}.`;
  return `${get}, or to set another model in providers.${capability}.model.${others}`;
}

function pullText({ auto_pull: mode, pull_failure: cause }: { auto_pull: string; pull_failure?: string }): string {
  if (mode !== 'failed') return '';
  return `, and downloading it failed${cause === undefined ? '' : `: ${cause}`}`;
}

export const PROVIDER_ERRORS = {
  PROVIDER_UNAVAILABLE: entry<ProviderDetails & { cause_code: string }>({
    category: 'provider',
    retry: 'D*',
    http: 503,
    retryAfterMs: 5_000,
    message: ({ cause_code, ...details }) => {
      const { provider, endpoint, model, proxy } = details;
      const cause = CONNECTION_ERRORS[cause_code] ?? cause_code;
      if (endpoint === undefined) return `cannot reach the model ${model} (${cause})`;
      const target = `${SERVERS[provider] ?? 'the server'} at ${endpoint}${byProxy(details)}`;
      const isDown = cause_code === 'ECONNREFUSED' && proxy === undefined;
      return `cannot reach ${target}${isDown ? ': is it running?' : ` (${cause})`}`;
    },
    hint: (details) => advise(details, `${connectionHint(details)}; then try again.`),
    actions: fallback,
  }),
  PROVIDER_TIMEOUT: entry<TimeoutDetails>({
    category: 'provider',
    retry: 'D',
    http: 504,
    retryAfterMs: 5_000,
    message: (details) => failed(details, timeoutCause(details)),
    hint: (details) => advise(details, timeoutHint(details)),
    actions: fallback,
  }),
  PROVIDER_BUSY: entry<ProviderDetails & { source: string }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 5_000,
    message: (details) => failed(details, `the server is busy (${quoted(details.source)})`),
    hint: (details) => advise(details, 'Wait, then try again.'),
    actions: fallback,
  }),
  PROVIDER_RATE_LIMITED: entry<ProviderDetails & { source: string }>({
    category: 'provider',
    retry: 'D',
    http: 429,
    retryAfterMs: 10_000,
    message: (details) => failed(details, `too many requests (${quoted(details.source)})`),
    hint: (details) => advise(details, 'Wait for the time given, then try again.'),
    actions: fallback,
  }),
  PROVIDER_AUTH_FAILED: entry<ProviderDetails & { status: number }>({
    category: 'provider',
    retry: 'U',
    http: 401,
    message: (details) => failed(details, `access denied (HTTP ${details.status})`),
    hint: (details) =>
      advise(
        details,
        `Ask the user to check the key: providers.${details.capability}.api_key or headers, and the environment variable it comes from.`,
      ),
    actions: fallback,
  }),
  PROVIDER_MODEL_MISSING: entry<
    ProviderDetails & {
      installed: readonly string[];
      auto_pull: 'never' | 'failed' | 'once';
      /** Why downloading it failed. */
      pull_failure?: string;
    }
  >({
    category: 'provider',
    retry: 'U',
    http: 424,
    message: (details) => failed(details, `model not found${pullText(details)}`),
    hint: (details) => advise(details, missingModelHint(details)),
    actions: (details) => [
      ...(details.provider === 'ollama'
        ? [
            {
              kind: 'command',
              command: `ollama pull ${details.model}`,
              run_by: 'user',
              why: 'downloads the model',
            } as const,
          ]
        : []),
      ...fallback(details),
    ],
  }),
  PROVIDER_MODEL_PULLING: entry<ProviderDetails & { job_id: string; percent: number }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 10_000,
    message: (details) => failed(details, `the model is being downloaded, ${details.percent} %`),
    hint: (details) => advise(details, `Follow it with reindex and job_id ${details.job_id}, then try again.`),
    actions: (details) => [waitForJob(details.job_id, 'waits for the model'), ...fallback(details)],
  }),
  PROVIDER_MODEL_UNSUITABLE: entry<
    ProviderDetails & {
      reason: string;
      capabilities: readonly string[];
      dims?: number;
      /** What to do, if not to name another model. */
      advice?: string;
    }
  >({
    category: 'provider',
    retry: 'U',
    http: 422,
    message: (details) => failed(details, `the model is not suitable: ${details.reason}`),
    hint: (details) =>
      advise(details, details.advice ?? `Ask the user to set another model in providers.${details.capability}.model.`),
    actions: fallback,
  }),
  PROVIDER_INPUT_TOO_LONG: entry<ProviderDetails & { tokens?: number; limit?: number }>({
    category: 'provider',
    retry: 'C',
    http: 413,
    message: (details) => failed(details, 'the text is longer than the context of the model'),
    hint: (details) =>
      details.capability === 'rerank'
        ? advise(details, 'Ask the user to set providers.rerank.context to the tokens that the model reads.')
        : `Shorten the text${details.limit === undefined ? '' : `; the model accepts ${details.limit} tokens`}.`,
  }),
  PROVIDER_REJECTED_INPUT: entry<ProviderDetails & { status: number; said: string }>({
    category: 'provider',
    retry: 'N',
    http: 422,
    message: (details) => failed(details, `input rejected (HTTP ${details.status} ${quoted(details.said)})`),
    hint: (details) =>
      advise(
        details,
        details.level === 'item'
          ? 'The server rejects this input; other inputs may succeed.'
          : `The server rejects the request, not its input: ask the user to correct providers.${details.capability} by what it says.`,
      ),
    actions: fallback,
  }),
  /** `unknown_text`: the model works, but no word of the text is known to it. */
  PROVIDER_BAD_RESPONSE: entry<ProviderDetails & { expected: string; received: string; unknown_text?: true }>({
    category: 'provider',
    retry: 'N',
    http: 502,
    message: (details) =>
      details.unknown_text
        ? failed(details, 'no word of the text is known to the model')
        : failed(details, `unusable answer: expected ${details.expected}, received ${details.received}`),
    hint: (details) => advise(details, badResponseHint(details)),
    actions: (details) => [...(details.unknown_text ? [] : [DOCTOR]), ...fallback(details)],
  }),
  PROVIDER_ERROR: entry<ProviderDetails & { status: number; said: string }>({
    category: 'provider',
    retry: 'D',
    http: 502,
    retryAfterMs: 5_000,
    message: (details) => failed(details, `HTTP ${details.status} ${quoted(details.said)}`),
    hint: (details) => advise(details, `Try again; if it keeps failing, check the log of ${details.provider}.`),
    actions: fallback,
  }),
  PROVIDER_CIRCUIT_OPEN: entry<ProviderDetails & { last_code: string; last_cause: string; opened_at: string }>({
    category: 'provider',
    retry: 'D',
    http: 503,
    retryAfterMs: 15_000,
    message: (details) =>
      failed(details, `not tried after repeated failures, last: [${details.last_code}] ${details.last_cause}`),
    hint: (details) => advise(details, 'The provider is tried again after the cool-down; try again then.'),
    actions: fallback,
  }),
  PROVIDER_ENDPOINT_UNSUPPORTED: entry<ProviderDetails & { path: string; status: number; version?: string }>({
    category: 'provider',
    retry: 'U',
    http: 424,
    message: (details) => failed(details, `HTTP ${details.status} for ${details.path}`),
    hint: (details) =>
      advise(
        details,
        `The server is not ${details.provider}, is outdated, or redirects: check the path in providers.${details.capability}.endpoint.`,
      ),
    actions: fallback,
  }),
};

// Errors of `vaultgraph models`, which downloads and installs models.

export const DOWNLOAD_ERRORS = {
  DOWNLOAD_FAILED: entry<{ host: string; file: string; reason: string; kept_bytes?: number; advice?: string }>({
    category: 'provider',
    retry: 'D',
    http: 502,
    retryAfterMs: 5_000,
    message: ({ host, file, reason }) => `${file} was not downloaded from ${host}: ${reason}`,
    hint: ({ kept_bytes: kept = 0, advice }) =>
      kept > 0
        ? `${grouped(kept)} bytes are kept: run the same command again to continue.`
        : (advice ??
          'Check the connection, the address of the hub (--hub) and the revision; then run the command again.'),
  }),
  DOWNLOAD_MISMATCH: entry<{
    host: string;
    file: string;
    what: 'bytes' | 'SHA-256';
    expected: string | number;
    received: string | number;
  }>({
    category: 'provider',
    retry: 'U',
    http: 422,
    message: ({ host, file, what, expected, received }) =>
      what === 'bytes'
        ? `${file} from ${host} has ${received} bytes, not ${expected}; nothing was installed`
        : `${file} from ${host} has the SHA-256 ${received}, not ${expected}; nothing was installed`,
    hint: () => 'Check --sha256 and --revision. If they are right, do not use this file: it is not the expected one.',
  }),
  MODEL_INVALID: entry<{ name: string; reason: string }>({
    category: 'capability',
    retry: 'U',
    http: 422,
    message: ({ name, reason }) =>
      `${name} is not a model that runs inside vaultgraph: ${reason}; nothing was installed`,
    hint: () =>
      'A model is a folder with model.safetensors, or onnx/model.onnx, tokenizer.json and config.json that belong together.',
  }),
};
