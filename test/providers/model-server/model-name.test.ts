// Model names of OpenAI-compatible servers that mean one model, and that mean two.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mayBeSameModel } from '../../../src/providers/model-server/model-config.ts';

const SAME = [
  ['embeddinggemma', 'EmbeddingGemma'],
  ['embeddinggemma', 'embeddinggemma:latest'],
  ['bge-m3', 'BAAI/bge-m3'],
  ['qwen3-embedding:0.6b', 'qwen3-embedding'],
  ['nomic-embed-text-v1.5', 'text-embedding-nomic-embed-text-v1.5'],
  ['nomic-embed-text-v1.5', 'text-embedding-nomic-embed-text-v1.5@q4_k_m'],
  ['embeddinggemma-300m', '/models/embeddinggemma-300M-Q8_0.gguf'],
  ['embeddinggemma-300m', 'C:\\models\\embeddinggemma-300M.F16.gguf'],
  ['ggml-org/embeddinggemma-300m-GGUF', 'embeddinggemma-300m-gguf/'],
  ['text-embedding-3-small', 'text-embedding-3-small'],
] as const;

const DIFFERENT = [
  ['embeddinggemma', 'nomic-embed-text'],
  ['text-embedding-3-small', 'text-embedding-3-large'],
  ['qwen3-embedding:0.6b', 'qwen3-embedding:8b'],
  ['x@q4_k_m', 'x@q8_0'],
  ['x-Q4_K_M.gguf', 'x-Q8_0.gguf'],
  ['nomic-embed-text-v1.5', 'nomic-embed-text-v2-moe'],
  ['bge-m3', 'bge-m3-unsupervised'],
  ['all-minilm-l6-v2', 'all-minilm-l12-v2'],
] as const;

describe('two names of a model', () => {
  it('may mean the same model if only folder, owner, tag, ending, quantization or case differ', () => {
    for (const [one, other] of SAME) {
      assert.ok(mayBeSameModel(one, other), `${one} and ${other}`);
      assert.ok(mayBeSameModel(other, one), `${other} and ${one}`);
    }
  });

  it('mean different models otherwise', () => {
    for (const [one, other] of DIFFERENT) {
      assert.ok(!mayBeSameModel(one, other), `${one} and ${other}`);
      assert.ok(!mayBeSameModel(other, one), `${other} and ${one}`);
    }
  });
});
