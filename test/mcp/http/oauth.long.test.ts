// An issuer that stalls, and one that changes its keys after they were fetched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthVerifier } from '../../../src/mcp/http/oauth.ts';
import { openIssuer } from '../../fakes/issuer.ts';

const AUDIENCE = 'https://notes.example/mcp';
const GOOD = { aud: AUDIENCE, scope: 'vaultgraph' };

test('an issuer that stalls costs a request some seconds and is tried again', async (context) => {
  const issuer = await openIssuer(context);
  const options = { issuer: issuer.url, audience: AUDIENCE, scope: 'vaultgraph', views: {}, jwks_url: null };
  const verifier = new OAuthVerifier(options, () => undefined);
  issuer.mood = 'stalls';
  const token = await issuer.token(GOOD);
  const refused = await Promise.all([verifier.verify(token), verifier.verify(token)]);
  for (const one of refused) assert.equal('status' in one && one.status, 503);
  issuer.mood = 'well';
  assert.ok('key' in (await verifier.verify(token)));
});

test('a key that is new after the keys were fetched is found once the cooldown is over', async (context) => {
  const issuer = await openIssuer(context);
  const options = {
    issuer: issuer.url,
    audience: AUDIENCE,
    scope: 'vaultgraph',
    views: {},
    jwks_url: `${issuer.url}/keys`,
  };
  const verifier = new OAuthVerifier(options, () => undefined);
  const before = await issuer.token(GOOD);
  assert.ok('key' in (await verifier.verify(before)));
  await issuer.rotate();
  const after = await issuer.token(GOOD);
  assert.equal(
    'status' in (await verifier.verify(after)),
    true,
    'an unknown key does not fetch the keys again at once',
  );
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31_000 });
  assert.ok('key' in (await verifier.verify(after)));
  assert.equal('status' in (await verifier.verify(before)), true, 'the old key is gone');
});
