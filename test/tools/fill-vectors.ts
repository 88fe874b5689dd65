// Vectors written by hand into a real store, so that a test has exactly the generation it needs. Runs no job.
import assert from 'node:assert/strict';
import type { EmbeddingProvider } from '../../src/contracts/embedding.ts';
import type { Fingerprint } from '../../src/contracts/fingerprint.ts';
import { newTrace, type ProviderCall } from '../../src/contracts/provider-call.ts';
import type { Store } from '../../src/contracts/store.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import type { EmbeddedChunk, GenerationRole } from '../../src/contracts/vectors.ts';
import { chunkerName, chunksFor } from '../../src/markdown/chunk/chunks.ts';
import { decodeText } from '../../src/markdown/parse/lines.ts';
import { shownWords } from '../../src/markdown/parse/shown-text.ts';

const { signal } = new AbortController();
const BACKGROUND: ProviderCall = {
  priority: 'background',
  msLeft: () => Infinity,
  onWait: () => {},
  trace: newTrace(),
};

export interface Filling {
  readonly role?: GenerationRole;
  readonly fingerprint?: Partial<Fingerprint>;
  /** The notes that get vectors; all by default. */
  readonly only?: readonly string[];
  /** The notes of which every chunk counts as refused. */
  readonly refused?: readonly string[];
  /** False leaves it being built. */
  readonly activate?: boolean;
}

/** A generation of the provider's vectors of the indexed notes. @returns its id */
export async function fillVectors(
  { store, vault }: { readonly store: Store; readonly vault: Vault },
  provider: EmbeddingProvider,
  { role = 'main', fingerprint = {}, only, refused = [], activate = true }: Filling = {},
): Promise<number> {
  const identity = await provider.identify(BACKGROUND, signal);
  const made = { ...identity, chunker: chunkerName(provider.contextTokens), ...fingerprint };
  const { id } = await store.openGeneration(role, made, signal);
  for (const { path, title, hash } of await store.unembedded(id, '', 1_000, false, signal)) {
    if (only !== undefined && !only.includes(path)) continue;
    const [read] = (await vault.read([path], signal)).succeeded;
    assert.ok(read);
    const texts = chunksFor(made.chunker, title, shownWords(path, decodeText(read.result.bytes).text));
    const vectors: { hash: string; vector: Float32Array }[] = [];
    const chunks: EmbeddedChunk[] = [];
    for (const { text, lines } of texts) {
      const isRefused = refused.includes(path);
      const failure = { code: 'PROVIDER_REJECTED_INPUT', reason: 'refused' } as const;
      chunks.push({ hash: text, lines, ...(isRefused ? { failure } : {}) });
      if (isRefused) continue;
      const { succeeded } = await provider.embed([{ id: '0', text, title }], 'document', BACKGROUND, signal);
      vectors.push({ hash: text, vector: (succeeded[0] as (typeof succeeded)[number]).result });
    }
    await store.applyVectors(id, { vectors, notes: [{ path, hash, chunks }] }, signal);
  }
  if (activate) await store.activate(id, signal);
  return id;
}
