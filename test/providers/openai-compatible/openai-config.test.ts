// The config section of an OpenAI-compatible server: required keys, rejected values, and its secret.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSecret } from '../../../src/contracts/provider.ts';
import { headersFor } from '../../../src/providers/model-server/model-config.ts';
import { openaiConfig } from '../../../src/providers/openai-compatible/openai-providers.ts';

const MIN = { model: 'embeddinggemma', endpoint: 'http://127.0.0.1:1234/v1/' };

const paths = (section: object): string[] =>
  openaiConfig.safeParse(section).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('the section of an OpenAI-compatible server', () => {
  it('needs a model and an endpoint, and has defaults for the rest', () => {
    assert.deepEqual(paths({}), ['model', 'endpoint']);
    assert.deepEqual(openaiConfig.parse(MIN), {
      model: 'embeddinggemma',
      endpoint: 'http://127.0.0.1:1234/v1',
      timeout: 30_000,
      load_timeout: 120_000,
      allow_remote: false,
      headers: {},
      failover: [],
    });
  });

  it('rejects keys of other providers, and endpoints off this machine unless allowed', () => {
    assert.deepEqual(paths({ ...MIN, auto_pull: 'once' }), ['']);
    const remote = { ...MIN, endpoint: 'https://models.example.test/v1' };
    assert.deepEqual(paths(remote), ['endpoint']);
    assert.deepEqual(paths({ ...remote, allow_remote: true }), []);
    assert.deepEqual(paths({ ...MIN, endpoint: 'http://user:word@127.0.0.1:1234/v1' }), ['endpoint']);
  });

  it('accepts one key that is valid in a header', () => {
    const keyed = openaiConfig.parse({ ...MIN, api_key: 'sk-1', headers: { 'x-org': 'me' } });
    assert.deepEqual(headersFor(keyed), { 'x-org': 'me', authorization: 'Bearer sk-1' });
    assert.deepEqual(paths({ ...MIN, api_key: 'two\nlines' }), ['api_key']);
    assert.deepEqual(paths({ ...MIN, api_key: 'sk-1', headers: { Authorization: 'Bearer x' } }), ['headers']);
  });

  it('marks the key as a secret', () => {
    const { shape } = openaiConfig as unknown as { shape: { api_key: { unwrap(): Parameters<typeof isSecret>[0] } } };
    assert.ok(isSecret(shape.api_key.unwrap()));
  });
});
