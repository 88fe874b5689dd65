// Measures whether an embedding model suits the notes: whether sentences find the notes that they are from.
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { EmbeddingProvider } from '../../contracts/embedding.ts';
import type { ModelFit } from '../../contracts/model-fit.ts';
import type { ProviderCall } from '../../contracts/provider-call.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Generation } from '../../contracts/vectors.ts';
import { isEnglish } from '../../markdown/excerpt/languages.ts';
import { sampleSentence } from '../../markdown/excerpt/sentence.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { findTranslations } from './translations.ts';

const SENTENCES = 50;
/** With fewer notes a sentence finds its own by chance. */
const MIN_NOTES = 20;
/** Notes that are read: some have no sentence. */
const READ_NOTES = 100;
/** A sentence finds its note if that is among so many first hits: notes on one subject have similar sentences. */
const FOUND_WITHIN = 3;
/** Sentences in one request. */
const REQUEST = 10;
/** No request begins later. */
export const MAX_MEASURE_MS = 20_000;

export interface FitParts {
  readonly provider: EmbeddingProvider;
  readonly generation: Generation;
  readonly store: Store;
  readonly vault: Vault;
  /** A new call for each request. */
  readonly begin: () => ProviderCall;
}

/**
 * Undefined for a vault with too few notes or sentences. Always the same sentences as long as the notes are the same.
 * @throws PROVIDER_*, EGRESS_BLOCKED, the store's errors, the signal's reason
 */
export async function measureFit(parts: FitParts, signal: AbortSignal): Promise<ModelFit | undefined> {
  const sentences = await sampleSentences(parts, signal);
  if (sentences.length < MIN_NOTES) return undefined;
  const until = performance.now() + MAX_MEASURE_MS;
  const translated = await findTranslations(parts.provider, parts.begin, until - MAX_MEASURE_MS / 2, signal);
  const shares: number[] = [];
  let [found, at] = [0, 0];
  for (; at < sentences.length && performance.now() < until; at += REQUEST) {
    const some = sentences.slice(at, at + REQUEST);
    const call = parts.begin();
    found += await foundAmong(some, call, parts, signal);
    if (call.trace.unknownShare !== undefined) shares.push(call.trace.unknownShare);
  }
  const searched = Math.min(at, sentences.length);
  if (searched < MIN_NOTES) return undefined;
  const unknown = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return {
    measured_at: new Date().toISOString(),
    sentences: searched,
    found,
    ...(shares.length > 0 && { unknown_tokens: unknown }),
    english: isEnglish(sentences.map(({ text }) => text).join(' ')),
    notes: parts.generation.embedded,
    ...translated,
  };
}

interface Sentence {
  readonly path: NotePath;
  readonly text: string;
}

/** One of each of the notes that are evenly spread over the paths. */
async function sampleSentences({ store, vault }: FitParts, signal: AbortSignal): Promise<readonly Sentence[]> {
  const names = (await store.names(signal)).filter(({ path }) => fileKindOf(path) === 'note');
  if (names.length < MIN_NOTES) return [];
  const paths = spread(names, READ_NOTES).map(({ path }) => path);
  const { succeeded } = await vault.read(paths, signal);
  const sentences: Sentence[] = [];
  for (const { id, result } of succeeded) {
    const text = sampleSentence(decodeText(result.bytes).text);
    if (text !== undefined) sentences.push({ path: id as NotePath, text });
    await letOthersRun();
  }
  return spread(sentences, SENTENCES);
}

function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)] as T);
}

/** How many of the sentences have their own note among the first hits; one that the model cannot embed has none. */
async function foundAmong(
  sentences: readonly Sentence[],
  call: ProviderCall,
  { provider, generation, store }: FitParts,
  signal: AbortSignal,
): Promise<number> {
  const inputs = sentences.map(({ path, text }) => ({ id: path, text }));
  const { succeeded } = await provider.embed(inputs, 'query', call, signal);
  let found = 0;
  for (const { id, result } of succeeded) {
    const nearest = await store.nearestChunks(generation.id, result, {}, FOUND_WITHIN, signal);
    if (nearest.some(({ path }) => path === id)) found += 1;
  }
  return found;
}
