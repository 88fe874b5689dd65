// Laws of what a provider says of itself: always the same, and enough to know its vectors by.
import assert from 'node:assert/strict';
import { SAMPLE_SENTENCES } from '../../../src/contracts/embedding.ts';
import { fingerprintDifferences } from '../../../src/contracts/fingerprint.ts';
import { assertSound, type Law, never, newCall, vectorOf } from './law.ts';

export function identityLaws(law: Law): void {
  law('it is who it says', async ({ provider }) => {
    const identity = await provider.identify(newCall(), never);
    assert.deepEqual([identity.provider, identity.model], [provider.type, provider.model]);
    assert.ok(Number.isSafeInteger(identity.dims) && identity.dims >= 1);
  });

  law('it is the same before and after it embedded', async ({ provider }) => {
    const before = { ...(await provider.identify(newCall(), never)), chunker: '1' };
    await vectorOf(provider, 'something in between');
    const after = { ...(await provider.identify(newCall(), never)), chunker: '1' };
    assert.deepEqual(fingerprintDifferences(before, after), []);
  });

  law('its weights are known by a digest, or else by samples', async ({ provider }) => {
    const { digest, samples, dims } = await provider.identify(newCall(), never);
    if (digest !== null) assert.ok(digest.length > 0);
    assert.equal(samples.length, digest === null ? SAMPLE_SENTENCES.length : 0);
    for (const sample of samples) assertSound(sample, dims);
  });

  law('its endpoint is an address without credentials, or none', ({ provider }) => {
    if (provider.endpoint === null) return Promise.resolve();
    const { username, password, protocol } = new URL(provider.endpoint);
    assert.deepEqual([username, password], ['', '']);
    assert.match(protocol, /^https?:$/);
    return Promise.resolve();
  });

  law('after a warm-up it is loaded, or does not tell, and a second one does no harm', async ({ provider }) => {
    await provider.warmUp(never);
    assert.ok([true, undefined].includes(await provider.loaded(never)));
    await provider.warmUp(never);
    await vectorOf(provider, 'after the warm-up');
  });
}
