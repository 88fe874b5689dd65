import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { isSecret } from '../../../src/contracts/provider.ts';
import { endpointSchema } from '../../../src/providers/model-server/attempt.ts';
import {
  checkEmbeddingServer,
  DESPITE_FAULTS,
  embeddingShape,
  onePerEndpoint,
} from '../../../src/providers/model-server/model-config.ts';

const section = z
  .strictObject({ ...embeddingShape(), endpoint: endpointSchema() })
  .superRefine(checkEmbeddingServer, DESPITE_FAULTS);
const USUAL = { model: 'embeddinggemma', endpoint: 'http://127.0.0.1:1234/v1' };

function pathsOf(some: object): string[] {
  return section.safeParse({ ...USUAL, ...some }).error?.issues.map(({ path }) => path.join('.')) ?? [];
}

describe('the config section of a model server', () => {
  it('has a default for everything but the model and the endpoint', () => {
    assert.deepEqual(section.parse(USUAL), {
      ...USUAL,
      timeout: 30_000,
      load_timeout: 120_000,
      allow_remote: false,
      headers: {},
      failover: [],
    });
    assert.deepEqual(
      section
        .safeParse({})
        .error?.issues.map(({ path }) => path[0])
        .sort(),
      ['endpoint', 'model'],
    );
  });

  it('rejects each value out of bounds with its key', () => {
    for (const key of ['timeout', 'load_timeout'])
      for (const value of [0, -1, 290_001, 1.5, '30', null, Number.NaN, Number.POSITIVE_INFINITY])
        assert.deepEqual(pathsOf({ [key]: value }), [key], `${key}: ${value}`);
    assert.deepEqual(pathsOf({ timeout: 1, load_timeout: 290_000 }), []);
    assert.deepEqual(pathsOf({ dimensions: 0 }), ['dimensions']);
    assert.deepEqual(pathsOf({ context: 63 }), ['context']);
    assert.deepEqual(pathsOf({ model: ' ' }), ['model']);
    assert.deepEqual(pathsOf({ allow_remote: 'yes' }), ['allow_remote']);
    assert.deepEqual(pathsOf({ failover: ['127.0.0.1'] }), ['failover.0']);
    assert.deepEqual(section.safeParse({ ...USUAL, modle: 'x' }).error?.issues[0]?.code, 'unrecognized_keys');
  });

  it('P12 rejects every endpoint off this machine unless that is allowed', () => {
    const some = { endpoint: 'http://10.0.0.5:1234', failover: ['http://127.0.0.2:1', 'http://models.example.test'] };
    assert.deepEqual(pathsOf(some), ['endpoint', 'failover.1']);
    assert.deepEqual(pathsOf({ ...some, allow_remote: true }), []);
  });

  it('M12 reports all faults at once, including those of several keys together', () => {
    const remote = 'http://10.0.0.5:1234';
    assert.deepEqual(pathsOf({ endpoint: remote, timeout: 0, dimensions: 300, modle: 1 }), [
      'timeout',
      '',
      'endpoint',
      'dimensions',
    ]);
    assert.deepEqual(pathsOf({ endpoint: remote, failover: [7], model: 5, dimensions: 300 }), ['model', 'failover.0']);
    for (const given of [null, 'x', [], undefined]) assert.equal(section.safeParse(given).error?.issues.length, 1);
    assert.ok((section.safeParse({}).error?.issues.length ?? 0) === 2);
  });

  it('rejects dimensions that a known model does not support, and lists those it does', () => {
    assert.deepEqual(pathsOf({ dimensions: 256 }), []);
    assert.deepEqual(pathsOf({ model: 'my-model', dimensions: 300 }), []);
    const [issue] = section.safeParse({ ...USUAL, dimensions: 300 }).error?.issues ?? [];
    assert.deepEqual(issue?.path, ['dimensions']);
    assert.equal(issue?.message, 'embeddinggemma has vectors of 768, 512, 256, 128 numbers');
  });

  it('keeps header values secret, and rejects invalid headers without quoting them', () => {
    assert.ok(isSecret(embeddingShape().headers.unwrap().valueType));
    assert.deepEqual(pathsOf({ headers: { authorization: 'Bearer abc', 'X-Team': 'ü' } }), []);
    for (const headers of [{ 'bad name': 'x' }, { '': 'x' }, { 'Content-Length': '3' }, { 'transfer-encoding': 'x' }])
      assert.equal(pathsOf(headers && { headers }).length, 1, JSON.stringify(headers));
    for (const value of ['s3cret\r\nx: y', 's3cret\0', 's3cret–', '']) {
      const { issues = [] } = section.safeParse({ ...USUAL, headers: { authorization: value } }).error ?? {};
      assert.deepEqual(issues[0]?.path, ['headers', 'authorization']);
      assert.doesNotMatch(issues[0]?.message ?? '', /s3cret/);
    }
  });

  it('is repeated for each endpoint, the primary one first', () => {
    const config = section.parse({ ...USUAL, failover: ['http://[::1]:1', 'http://localhost:2'], timeout: 7 });
    assert.deepEqual(
      onePerEndpoint(config).map(({ endpoint, timeout }) => [endpoint, timeout]),
      [
        ['http://127.0.0.1:1234/v1', 7],
        ['http://[::1]:1', 7],
        ['http://localhost:2', 7],
      ],
    );
  });
});
