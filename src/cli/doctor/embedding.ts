// Doctor checks for the embedding provider and its vectors.
import { commandLine } from '../../base/command-line.ts';
import { NEVER } from '../../base/until-aborted.ts';
import { type Embedding, type EmbeddingProvider, SAMPLE_SENTENCES } from '../../contracts/embedding.ts';
import { fingerprintDifferences } from '../../contracts/fingerprint.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { Store } from '../../contracts/store.ts';
import type { Generation } from '../../contracts/vectors.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type Finding, failing, ok, SAMPLES, warning } from './finding.ts';
import { providerFinding, type Wording } from './provider.ts';

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
