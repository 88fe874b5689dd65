// Contract tests of the identity of an embedding provider.
import assert from 'node:assert/strict';
import { SAMPLE_SENTENCES } from '../../../src/contracts/embedding.ts';
import { fingerprintDifferences } from '../../../src/contracts/fingerprint.ts';
import { assertSound, type Law, never, newCall, vectorOf } from './law.ts';

export function identityLaws(law: Law): void {
  law('its identity is that of its model', async ({ provider }) => {
    const identity = await provider.identify(newCall(), never);
    assert.deepEqual([identity.provider, identity.model], [provider.type, provider.model]);
    assert.ok(Number.isSafeInteger(identity.dims) && identity.dims >= 1);
  });

  law('its identity is the same before and after a call', async ({ provider }) => {
    const before = { ...(await provider.identify(newCall(), never)), chunker: '1' };
    await vectorOf(provider, 'something in between');
    const after = { ...(await provider.identify(newCall(), never)), chunker: '1' };
    assert.deepEqual(fingerprintDifferences(before, after), []);
  });

  law('its weights are identified by a digest, or by sample vectors', async ({ provider }) => {
    const { digest, samples, dims } = await provider.identify(newCall(), never);
    if (digest !== null) assert.ok(digest.length > 0);
    assert.equal(samples.length, digest === null ? SAMPLE_SENTENCES.length : 0);
    for (const sample of samples) assertSound(sample, dims);
  });
}
