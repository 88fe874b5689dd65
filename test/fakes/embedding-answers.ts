// The answers of the fake embedding provider, according to its settings.
import type { BatchResult } from '../../src/base/batch.ts';
import { type ProviderDetails, VaultgraphError } from '../../src/base/errors.ts';
import {
  type EmbeddingIdentity,
  type EmbeddingInput,
  type EmbeddingProvider,
  type EmbeddingPurpose,
  SAMPLE_SENTENCES,
} from '../../src/contracts/embedding.ts';
import { type OwnDetails, type ProviderCode, providerFailure } from './provider-failure.ts';
import { textVector, wordsOf } from './text-vector.ts';

/** What happens with a text that contains the word: the whole request is rejected, or only its vector is invalid. */
export type Poison = 'too long' | 'rejected' | 'nan';

export interface FakeSettings {
  readonly type: string;
  readonly model: string;
  /** Only reported and used in errors: nothing listens there. */
  readonly endpoint: string | null;
  /** Null: `identify` returns samples instead, and texts longer than the context are truncated silently. */
  readonly digest: string | null;
  /** Other weights give other vectors, under the same digest or another. */
  readonly weights: string;
  readonly dims: number;
  readonly queryPrefix: string;
  /** `{title}` in it is replaced by the note's title, or `none`. */
  readonly documentPrefix: string;
  /** A token is a word or a CJK character. */
  readonly contextTokens: number;
  readonly batch: EmbeddingProvider['batch'];
  readonly loaded: boolean | undefined;
  readonly poison: Readonly<Record<string, Poison>>;
  /** Every request fails with `PROVIDER_UNAVAILABLE`. */
  readonly down: boolean;
  /** Every request waits until its signal aborts. */
  readonly hang: boolean;
  readonly delayMs: number;
}

export const USUAL_SETTINGS: FakeSettings = {
  type: 'fake',
  model: 'hashed-words',
  endpoint: null,
  digest: 'sha256:hashed-words-1',
  weights: '',
  dims: 64,
  queryPrefix: '',
  documentPrefix: '',
  contextTokens: 2_048,
  batch: { items: 16, characters: 32_000 },
  loaded: true,
  poison: {},
  down: false,
  hang: false,
  delayMs: 0,
};

export function identityOf(now: FakeSettings): EmbeddingIdentity {
  const { type, model, digest, dims, queryPrefix, documentPrefix } = now;
  const sample = (text: string): Float32Array => vectorOf(sentText({ id: '', text }, 'document', now), now);
  return {
    provider: type,
    model,
    digest,
    samples: digest === null ? SAMPLE_SENTENCES.map(sample) : [],
    dims,
    queryPrefix,
    documentPrefix,
    truncation: digest === null ? 'silent' : 'refused',
  };
}

export function describeFake({ type, model, endpoint }: FakeSettings): Partial<ProviderDetails> {
  return { provider: type, model, ...(endpoint === null ? {} : { endpoint }) };
}

export function sentText({ text, title }: EmbeddingInput, purpose: EmbeddingPurpose, now: FakeSettings): string {
  const prefix = purpose === 'query' ? now.queryPrefix : now.documentPrefix;
  return prefix.replace('{title}', () => title ?? 'none') + text;
}

/** @throws INTERNAL for too large a batch or an empty text, which would be a bug of the caller */
export function checkRequest(
  inputs: readonly EmbeddingInput[],
  texts: readonly string[],
  { batch }: FakeSettings,
): void {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const { items, maxItems = items } = batch;
  const maxCharacters = (batch.characters * maxItems) / items;
  const isTooMuch = inputs.length > maxItems || (characters > maxCharacters && inputs.length > 1);
  if (isTooMuch) throw new VaultgraphError('INTERNAL', { kind: 'a request beyond the batch of the fake' });
  const isEmpty = inputs.some(({ text }) => text.trim() === '');
  if (isEmpty) throw new VaultgraphError('INTERNAL', { kind: 'an empty text for the fake' });
}

/** @throws PROVIDER_INPUT_TOO_LONG, PROVIDER_REJECTED_INPUT */
export function embedTexts(
  inputs: readonly EmbeddingInput[],
  texts: readonly string[],
  now: FakeSettings,
): BatchResult<Float32Array> {
  for (const text of texts) refuse(text, now);
  const good = (at: number): boolean => !isPoisoned(texts[at] as string, 'nan', now);
  return {
    succeeded: inputs.flatMap(({ id }, at) => (good(at) ? [{ id, result: vectorOf(texts[at] as string, now) }] : [])),
    failed: inputs.flatMap(({ id }, at) => (good(at) ? [] : [{ id, error: badVector(now) }])),
  };
}

/** @throws PROVIDER_INPUT_TOO_LONG, PROVIDER_REJECTED_INPUT */
function refuse(text: string, now: FakeSettings): void {
  const tokens = wordsOf(text).length;
  const isBeyond = now.digest !== null && tokens > now.contextTokens;
  if (isBeyond || isPoisoned(text, 'too long', now))
    throw itemFailure('PROVIDER_INPUT_TOO_LONG', { tokens, limit: now.contextTokens }, now);
  if (isPoisoned(text, 'rejected', now))
    throw itemFailure('PROVIDER_REJECTED_INPUT', { status: 400, said: 'refused' }, now);
}

const isPoisoned = (text: string, poison: Poison, now: FakeSettings): boolean =>
  Object.entries(now.poison).some(([word, kind]) => kind === poison && text.includes(word));

/** Words after the context limit are ignored, as by a server that truncates silently. */
const vectorOf = (text: string, { dims, contextTokens, weights }: FakeSettings): Float32Array =>
  textVector(wordsOf(text).slice(0, contextTokens).join(' ') || text, dims, weights);

const badVector = (now: FakeSettings): VaultgraphError =>
  itemFailure('PROVIDER_BAD_RESPONSE', { expected: 'finite numbers', received: 'NaN' }, now);

const itemFailure = <C extends ProviderCode>(code: C, own: OwnDetails<C>, now: FakeSettings): VaultgraphError =>
  providerFailure(code, own, { ...describeFake(now), level: 'item' });
