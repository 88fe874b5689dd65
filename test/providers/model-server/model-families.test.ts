import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowedDimensions, prefixed, traitsOf } from '../../../src/providers/model-server/model-families.ts';

const dimsOf = (model: string): number | undefined => traitsOf({ model }).dims;

describe('families of models', () => {
  it('are recognized by name with any tag and registry', () => {
    const expected: Readonly<Record<string, number | undefined>> = {
      embeddinggemma: 768,
      'embeddinggemma:latest': 768,
      'embeddinggemma:300m-qat-q8_0': 768,
      'google/embeddinggemma-300m': 768,
      'embeddinggemma-2:270m': 768,
      'BAAI/bge-small-en-v1.5': 384,
      'bge-large-en-v1.5': 1024,
      'text-embedding-embeddinggemma-300m-qat': 768,
      'hf.co/someone/EmbeddingGemma-300M-GGUF:Q8_0': 768,
      'qwen3-embedding:0.6b': 1024,
      'Qwen/Qwen3-Embedding-0.6B': 1024,
      'qwen3-embedding:4b-q8_0': 2560,
      'qwen3-embedding:8b': 4096,
      'qwen3-embedding': undefined,
      'nomic-embed-text': 768,
      'nomic-embed-text:137m-v1.5-fp16': 768,
      'text-embedding-nomic-embed-text-v1.5': 768,
      'nomic-embed-text-v2-moe:latest': 768,
      'mxbai-embed-large:335m': 1024,
      'mixedbread-ai/mxbai-embed-large-v1': 1024,
      'bge-m3:567m': 1024,
      'BAAI/bge-m3': 1024,
      'snowflake-arctic-embed2': 1024,
      'Snowflake/snowflake-arctic-embed-l-v2.0': 1024,
      'all-minilm:33m': 384,
      'sentence-transformers/all-MiniLM-L6-v2': 384,
      'granite-embedding:30m': 384,
      'granite-embedding:278m': 768,
      'intfloat/multilingual-e5-small': 384,
      'e5-base-v2': 768,
      'jeffh/intfloat-multilingual-e5-large:f16': 1024,
    };
    for (const [model, dims] of Object.entries(expected)) assert.equal(dimsOf(model), dims, model);
  });

  it('have their prefixes and a safe context length', () => {
    const { queryPrefix, documentPrefix, contextTokens } = traitsOf({ model: 'nomic-embed-text:v1.5' });
    assert.deepEqual([queryPrefix, documentPrefix, contextTokens], ['search_query: ', 'search_document: ', 2048]);
    assert.equal(traitsOf({ model: 'nomic-embed-text-v2-moe' }).contextTokens, 512);
    assert.match(traitsOf({ model: 'qwen3-embedding:4b' }).queryPrefix, /^Instruct: .+\nQuery:$/);
    assert.equal(traitsOf({ model: 'qwen3-embedding:4b' }).documentPrefix, '');
    assert.equal(traitsOf({ model: 'multilingual-e5-large' }).documentPrefix, 'passage: ');
    assert.deepEqual(traitsOf({ model: 'bge-m3' }), {
      queryPrefix: '',
      documentPrefix: '',
      contextTokens: 2048,
      dims: 1024,
    });
  });

  it('of EmbeddingGemma differ in their context', () => {
    const contexts = {
      2048: ['embeddinggemma', 'embeddinggemma:300m', 'embeddinggemma-270m-qat'],
      8192: [] as string[],
    };
    contexts[8_192].push(
      'embeddinggemma-2',
      'embeddinggemma-2:740m-bf16',
      'google/EmbeddingGemma-2',
      'embeddinggemma2:latest',
    );
    for (const [context, models] of Object.entries(contexts))
      for (const model of models) {
        const { contextTokens, queryPrefix } = traitsOf({ model });
        assert.deepEqual([contextTokens, queryPrefix], [Number(context), 'task: search result | query: '], model);
      }
  });

  it('do not match models with similar names', () => {
    for (const model of [
      'my-model',
      'multilingual-e5-large-instruct',
      'e5-mistral-7b',
      'small-minilm',
      'bge-large',
      'nomic-embed-code',
    ])
      assert.deepEqual(traitsOf({ model }), { queryPrefix: '', documentPrefix: '', contextTokens: 512 }, model);
  });

  it('are overridden by the config, even with an empty prefix', () => {
    const said = {
      model: 'embeddinggemma',
      query_prefix: '',
      document_prefix: '{title}: ',
      context: 100,
      dimensions: 256,
    };
    assert.deepEqual(traitsOf(said), { queryPrefix: '', documentPrefix: '{title}: ', contextTokens: 100, dims: 256 });
  });

  it('allow their full length and those they were trained for', () => {
    for (const size of [768, 512, 256, 128]) assert.equal(allowedDimensions('embeddinggemma', size), undefined);
    assert.equal(allowedDimensions('embeddinggemma', 500), '768, 512, 256, 128');
    assert.equal(allowedDimensions('bge-m3', 512), '1024');
    assert.equal(allowedDimensions('qwen3-embedding:0.6b', 33), undefined);
    assert.equal(allowedDimensions('qwen3-embedding:0.6b', 2048), '32 to 1024');
    assert.equal(allowedDimensions('qwen3-embedding', 4096), undefined);
    assert.equal(allowedDimensions('qwen3-embedding', 16), '32 to 4096');
    assert.equal(allowedDimensions('my-model', 7), undefined);
  });
});

describe('a text as it is sent', () => {
  const gemma = traitsOf({ model: 'embeddinggemma' });

  it('has the prefix of its purpose', () => {
    assert.equal(prefixed({ id: '1', text: 'tides' }, 'query', gemma), 'task: search result | query: tides');
    assert.equal(prefixed({ id: '1', text: 'tides' }, 'document', gemma), 'title: none | text: tides');
  });

  it("contains the note's title where the prefix asks for it", () => {
    const titled = (title: string): string => prefixed({ id: '1', text: 'tides', title }, 'document', gemma);
    assert.equal(titled('Harbour'), 'title: Harbour | text: tides');
    assert.equal(titled("$& $1 $' {title}"), "title: $& $1 $' {title} | text: tides");
    assert.equal(titled('  '), 'title: none | text: tides');
    assert.equal(
      prefixed({ id: '1', text: 'tides', title: 'Harbour' }, 'query', gemma),
      'task: search result | query: tides',
    );
  });
});
