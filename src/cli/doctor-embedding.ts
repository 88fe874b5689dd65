// What `vaultgraph doctor` looks at of the embedding provider and of its vectors. Takes longer than a probe: it has the model loaded.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import { type Embedding, type EmbeddingProvider, SAMPLE_SENTENCES } from '../contracts/embedding.ts';
import { fingerprintDifferences } from '../contracts/fingerprint.ts';
import type { ProbeLevel } from '../contracts/provider.ts';
import { probeCall } from '../contracts/provider-call.ts';
import type { Store } from '../contracts/store.ts';
import type { Generation } from '../contracts/vectors.ts';
import type { Loaded } from '../lifecycle/loader.ts';
import type { LoadedProvider } from '../lifecycle/probed-provider.ts';
import { type Finding, failing, NEVER, ok, SAMPLES, warning } from './finding.ts';

const PROBE_LIMIT_MS = 10_000;
const LEVEL_WORDS: Readonly<Record<ProbeLevel['level'], string>> = {
  reachable: 'reachable',
  model: 'model present and able to embed',
  answers: 'embeds correctly',
};
const UNMET_WORDS: Readonly<Record<ProbeLevel['level'], string>> = {
  reachable: 'not reachable',
  model: 'no such model, or one that cannot embed',
  answers: 'does not embed correctly',
};

export const noEmbedding: Finding = ok('not configured; providers.embedding adds search and find_similar');

/** The provider and, where there is one, what stands in for it: each level by itself, the worst finding for both. */
export async function embeddingFinding({ capabilities, providers }: Loaded): Promise<Finding> {
  const { embedding } = capabilities as { embedding: Embedding };
  const capabilityOf = [embedding, embedding.fallback?.provider ?? embedding];
  const findings = await Promise.all(
    providers.map((row, at) => providerFinding(row, capabilityOf[at] as EmbeddingProvider)),
  );
  const detail = findings.map((each) => each.detail).join(' | ');
  const worst = findings.find(({ status }) => status !== 'ok');
  return worst === undefined ? ok(detail) : { ...worst, detail };
}

async function providerFinding(row: LoadedProvider, provider: EmbeddingProvider): Promise<Finding> {
  const { ok: isOk, detail, levels = [], failure } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const look: Look = { row, passed: levels.filter(({ ok }) => ok === true).map(levelWords) };
  if (!isOk) return failedLevel(look, levels.at(-1)?.level ?? 'reachable', failure, detail);
  if (levels.every((level) => level.ok === true)) return ok(told(look, look.passed.length > 0 ? [] : [detail]));
  const refused = await answerOf(provider);
  if (refused !== undefined) return failedLevel(look, 'answers', refused, refused.message);
  return ok(told(look, [`${LEVEL_WORDS.answers}, once the model was loaded`]));
}

interface Look {
  readonly row: LoadedProvider;
  readonly passed: readonly string[];
}

const keyOf = ({ section }: LoadedProvider): string => section.path.join('.');
const levelWords = ({ level, detail }: ProbeLevel): string => `${LEVEL_WORDS[level]}, ${detail}`;
const told = ({ row, passed }: Look, more: readonly string[]): string =>
  `${keyOf(row)} ${row.type} ${row.model}: ${[...passed, ...more].join('; ')}`;

function failedLevel(
  look: Look,
  level: ProbeLevel['level'],
  failure: VaultgraphError | undefined,
  said: string,
): Finding {
  const code = failure === undefined ? '' : `[${failure.code}] `;
  return failing(told(look, [`${UNMET_WORDS[level]}: ${code}${said}`]), hintFor(look.row, failure));
}

/** The errors' own hints speak to a model that called a tool; whoever runs the doctor is the one who can act. */
function hintFor({ type, model, endpoint, section }: LoadedProvider, failure: VaultgraphError | undefined): string {
  const key = section.path.join('.');
  const another = `or name another model in ${key}.model`;
  switch (failure?.code) {
    case 'PROVIDER_UNAVAILABLE':
      return endpoint === undefined ? `check ${key}.model` : `start ${type} there, or correct ${key}.endpoint`;
    case 'PROVIDER_TIMEOUT':
      return `look whether it is busy or hangs, or give it more time: ${key}.timeout, for loading ${key}.load_timeout`;
    case 'PROVIDER_AUTH_FAILED':
      return `check the key in ${key}.api_key or ${key}.headers, and the environment variable it comes from`;
    case 'PROVIDER_MODEL_MISSING':
      if (endpoint === undefined) return `put the model's folder there, ${another}`;
      return type === 'ollama' ? `run \`ollama pull ${model}\`, ${another}` : `load it in the server, ${another}`;
    default:
      return failure?.hint ?? `look in the log of ${type}, and check ${key}`;
  }
}

/** Undefined where the model, once it is loaded, embeds a sentence. */
async function answerOf(provider: EmbeddingProvider): Promise<VaultgraphError | undefined> {
  const [text = ''] = SAMPLE_SENTENCES;
  try {
    await provider.warmUp(NEVER);
    const { failed } = await provider.embed([{ id: 'sample', text }], 'document', probeCall(), NEVER);
    return failed[0]?.error;
  } catch (thrown) {
    return toVaultgraphError(thrown);
  }
}

/** How much of the vault has vectors, and whether they are of the provider as it is now. */
export async function vectorsFinding(embedding: Embedding, store: Store): Promise<Finding> {
  const generations = await store.generations(NEVER);
  const served = generations.filter(({ state }) => state === 'active');
  const main = served.find(({ role }) => role === 'main');
  if (main === undefined) return warning(beforeFirst(generations), 'run vaultgraph index, or leave the server running');
  const counts = served.map(countsOf).join('; ');
  const differing = await differencesOf(embedding, main);
  if (differing.length > 0) {
    const hint = 'restore the model the vectors were made with, or run vaultgraph index to make new ones';
    return failing(`${counts}; the provider is another now: ${differing.join(', ')}`, hint);
  }
  if (main.pending > 0) return warning(counts, 'run vaultgraph index, or leave the server running');
  if (main.failedChunks === 0) return ok(counts);
  const rows = await store.failedChunks(main.id, { limit: SAMPLES, offset: 0 }, NEVER);
  const samples = rows.map(({ path, lines, code, reason }) => `${path}:${lines.join('-')} [${code}] ${reason}`);
  return warning(
    `${counts}: ${samples.join('; ')}`,
    'the words of these passages are still found; shorten or mend them, then run vaultgraph index',
  );
}

function countsOf({ role, embedded, total, pending, chunks, failedChunks }: Generation): string {
  const which = role === 'main' ? '' : `${role}: `;
  return `${which}${embedded} of ${total} notes embedded, ${pending} pending, ${chunks} chunks, ${failedChunks} failed`;
}

function beforeFirst(generations: readonly Generation[]): string {
  const building = generations.find(({ role, state }) => role === 'main' && state === 'building');
  return building === undefined ? 'no vectors yet' : `the first vectors are not complete: ${countsOf(building)}`;
}

/** Empty also where the provider does not answer: that is another check's finding. */
async function differencesOf(embedding: Embedding, { fingerprint }: Generation): Promise<readonly string[]> {
  const [asked] = await Promise.allSettled([embedding.identify(probeCall(), NEVER)]);
  if (asked.status === 'rejected') return [];
  return fingerprintDifferences(fingerprint, { ...asked.value, chunker: fingerprint.chunker });
}
