// Doctor checks for the model providers, level by level; they load the models, so they take longer than a probe.
import { measureFit } from '../../app/load-providers.ts';
import { NEVER } from '../../base/async/waits.ts';
import { commandLine } from '../../base/command-line.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf, outcomeOf } from '../../base/outcome.ts';
import { isObject } from '../../base/plain-object.ts';
import { type Embedding, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import { isPoorFit, keepFit, type ModelFit } from '../../contracts/model-fit.ts';
import type { ProbeLevel } from '../../contracts/provider.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Generation } from '../../contracts/vectors.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import type { LoadedProvider } from '../../lifecycle/provider-health.ts';
import { fittingModel } from '../models/catalogue.ts';
import { type Finding, failing, hintWithinDoctor, ok, SAMPLES, warning } from './finding.ts';

const WORDING: Wording = {
  met: {
    reachable: 'reachable',
    model: 'model present and able to embed',
    answers: 'embeds correctly',
  },
  unmet: {
    reachable: 'not reachable',
    model: 'no such model, or one that cannot embed',
    answers: 'does not embed correctly',
  },
};

export const noEmbedding: Finding = ok('not configured; providers.embedding adds search and find_similar');

/** Checks the provider and its fallback, level by level, and returns the worse finding. */
export async function embeddingFinding({ capabilities, providers }: Loaded): Promise<Finding> {
  const { embedding } = capabilities as { embedding: Embedding };
  const capabilityOf = [embedding, embedding.fallback?.provider ?? embedding];
  const findings = await Promise.all(
    providers.map((row, at) => providerFinding(row, WORDING, () => embedOnce(capabilityOf[at] as EmbeddingProvider))),
  );
  const detail = findings.map((each) => each.detail).join(' | ');
  const worst = findings.find(({ status }) => status !== 'ok');
  return worst === undefined ? ok(detail) : { ...worst, detail };
}

/** @throws if the model, once loaded, does not embed a sentence */
async function embedOnce(provider: EmbeddingProvider): Promise<void> {
  const [text = ''] = SAMPLE_SENTENCES;
  await provider.warmUp(NEVER);
  const { failed } = await provider.embed([{ id: 'sample', text }], 'document', probeCall(), NEVER);
  const [unusable] = failed;
  if (unusable !== undefined) throw unusable.error;
}

/** How much of the vault is embedded, and whether the vectors match the current provider. */
export async function vectorsFinding(embedding: Embedding, store: Store): Promise<Finding> {
  const generations = await store.generations(NEVER);
  const served = generations.filter(({ state }) => state === 'active');
  const main = served.find(({ role }) => role === 'main');
  if (main === undefined) return warning(beforeFirst(generations), embedHint());
  const counts = served.map(countsOf).join('; ');
  const differing = await differencesOf(embedding, main);
  if (differing.length > 0) {
    const hint = `restore the model the vectors were made with, or run \`${commandLine('index')}\` to make new ones`;
    return failing(`${counts}; the provider is another now: ${differing.join(', ')}`, hint);
  }
  if (main.pending > 0) return warning(counts, embedHint());
  if (main.failedChunks === 0) return ok(counts);
  const rows = await store.failedChunks(main.id, { limit: SAMPLES, offset: 0 }, NEVER);
  const samples = rows.map(({ path, lines, code, reason }) => `${path}:${lines.join('-')} [${code}] ${reason}`);
  return warning(
    `${counts}: ${samples.join('; ')}`,
    `the words of these passages are still found; shorten or fix them, then run \`${commandLine('index')}\``,
  );
}

const embedHint = (): string => `run \`${commandLine('index')}\`, or leave the server running`;

function countsOf({ role, embedded, total, pending, chunks, failedChunks }: Generation): string {
  const which = role === 'main' ? '' : `${role}: `;
  return `${which}${embedded} of ${total} notes embedded, ${pending} pending, ${chunks} chunks, ${failedChunks} failed`;
}

function beforeFirst(generations: readonly Generation[]): string {
  const building = generations.find(({ role, state }) => role === 'main' && state === 'building');
  return building === undefined ? 'no vectors yet' : `the first vectors are not complete: ${countsOf(building)}`;
}

/** Also empty if the provider does not answer, which another check reports. */
async function differencesOf(embedding: Embedding, { fingerprint }: Generation): Promise<readonly string[]> {
  const [outcome] = await Promise.allSettled([embedding.identify(probeCall(), NEVER)]);
  if (outcome.status === 'rejected') return [];
  return fingerprintDifferences(fingerprint, { ...outcome.value, chunker: fingerprint.chunker });
}

type FitSources = Readonly<{ embedding: Embedding; store: Store; vault: Vault }>;

/** Measures with the active vectors of the model in the config, and keeps the result for `status`. */
export async function modelFitFinding({ embedding: provider, store, vault }: FitSources): Promise<Finding> {
  const generations = await store.generations(NEVER);
  const generation = generations.find(({ role, state }) => role === 'main' && state === 'active');
  if (generation === undefined || generation.fingerprint.model !== provider.model)
    return ok('measured once the notes are embedded with this model');
  const outcome = await outcomeOf(measureFit({ provider, generation, store, vault, begin: probeCall }, NEVER));
  if ('error' in outcome)
    return warning(`not measured: [${outcome.error.code}] ${outcome.error.message}`, hintWithinDoctor(outcome.error));
  const fit = outcome.value;
  if (fit === undefined) return ok('not measured: the vault has too few notes with sentences');
  const unkept = await errorOf(keepFit(generation, fit, store, NEVER));
  const detail = `${fitText(fit)}${unkept === undefined ? '' : `; not kept for status: [${unkept.code}]`}`;
  return isPoorFit(fit) ? warning(detail, betterModel(fit, provider.model)) : ok(detail);
}

function betterModel({ english }: ModelFit, model: string): string {
  const { name, languages } = fittingModel(english);
  if (model.startsWith(name)) return 'use a larger model, such as embeddinggemma with Ollama';
  return `${model} does not suit these notes; ${name} (${languages}) may: \`${commandLine(`models add ${name} --replace`)}\``;
}

const RERANK_WORDING: Wording = {
  met: { reachable: 'reachable', model: 'model accepted', answers: 'reranks' },
  unmet: { reachable: 'not reachable', model: 'no such model, or one that cannot rerank', answers: 'does not rerank' },
};

export const noRerank: Finding = ok('not configured; providers.rerank lets a model reorder the first hits of a search');

/** The probe itself reranks a sample, so nothing more is asked of the model. */
export async function rerankFinding(rerank: RerankProvider, { providers: [row] }: Loaded): Promise<Finding> {
  if (row === undefined) return noRerank;
  return providerFinding(row, RERANK_WORDING, () => rerank.warmUp(NEVER));
}

/** Longer than that of `status`, because a person waits for the whole list. */
export const PROBE_LIMIT_MS = 10_000;

type LevelWords = Readonly<Record<ProbeLevel['level'], string>>;

/** The words for each probe level of a capability, passed and failed. */
export interface Wording {
  readonly met: LevelWords;
  readonly unmet: LevelWords;
}

/** @param answer uses the model once and throws if it fails */
export async function providerFinding(
  row: LoadedProvider,
  wording: Wording,
  answer: () => Promise<void>,
): Promise<Finding> {
  const { ok: isOk, detail, levels = [], failure } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const inspection: Inspection = { row, wording, passed: passedLines(levels, wording) };
  if (!isOk) return failedLevel(inspection, levels.at(-1)?.level ?? 'reachable', failure, detail);
  if (levels.length === 0) return ok(describe(inspection, [detail]));
  const refused = await errorOf(answer());
  if (refused !== undefined) return failedLevel(inspection, 'answers', refused, refused.message);
  // More is known about the model once it has answered.
  const { levels: allLevels = [] } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const hadAnswered = levels.every((level) => level.ok === true);
  const shown = allLevels.filter(({ level }) => hadAnswered || level !== 'answers');
  const more = hadAnswered ? [] : [`${wording.met.answers}, once the model was loaded`];
  return ok(describe({ ...inspection, passed: passedLines(shown, wording) }, more));
}

const passedLines = (levels: readonly ProbeLevel[], { met }: Wording): string[] =>
  levels.filter((level) => level.ok === true).map(({ level, detail }) => `${met[level]}, ${detail}`);

interface Inspection {
  readonly row: LoadedProvider;
  readonly wording: Wording;
  readonly passed: readonly string[];
}

const keyOf = ({ section }: LoadedProvider): string => section.path.join('.');
const describe = ({ row, passed }: Inspection, more: readonly string[]): string =>
  `${keyOf(row)} ${row.type} ${row.model}: ${[...passed, ...more].join('; ')}`;

function failedLevel(
  inspection: Inspection,
  level: ProbeLevel['level'],
  failure: VaultgraphError | undefined,
  detail: string,
): Finding {
  const code = failure === undefined ? '' : `[${failure.code}] `;
  return failing(
    describe(inspection, [`${inspection.wording.unmet[level]}: ${code}${detail}`]),
    hintFor(inspection.row, failure),
  );
}

/** The hints of errors address an assistant; the user who runs the doctor can act on more. */
function hintFor({ type, model, endpoint, section }: LoadedProvider, failure: VaultgraphError | undefined): string {
  const key = section.path.join('.');
  const loadHint =
    isObject(section.config) && 'load_timeout' in section.config ? `, for loading ${key}.load_timeout` : '';
  const another = `or name another model in ${key}.model`;
  switch (failure?.code) {
    case 'PROVIDER_UNAVAILABLE':
      return endpoint === undefined ? `check ${key}.model` : `start ${type} there, or correct ${key}.endpoint`;
    case 'PROVIDER_TIMEOUT':
      return `look whether it is busy or hangs, or give it more time: ${key}.timeout${loadHint}`;
    case 'PROVIDER_AUTH_FAILED':
      return `check the key in ${key}.api_key or ${key}.headers, and the environment variable it comes from`;
    case 'PROVIDER_MODEL_MISSING':
      if (endpoint === undefined) return `put the model's folder there, ${another}`;
      return type === 'ollama' ? `run \`ollama pull ${model}\`, ${another}` : `load it in the server, ${another}`;
    default:
      return failure === undefined ? `look in the log of ${type}, and check ${key}` : hintWithinDoctor(failure);
  }
}

// How well an embedding model suits the notes, as one line.

export function fitText({
  sentences,
  found,
  unknown_tokens: unknown,
}: Pick<ModelFit, 'sentences' | 'found' | 'unknown_tokens'>): string {
  const tokens =
    unknown === undefined ? '' : `; ${Math.round(unknown * 100)} % of their tokens are unknown to the model`;
  return `${found} of ${sentences} sentences find their own note by meaning${tokens}`;
}
