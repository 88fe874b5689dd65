// Checks which access tokens are accepted, and what happens when the authorization server fails.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { OAuthVerifier } from '../../../src/mcp/http/oauth.ts';
import { challengeFor } from '../../../src/mcp/http/principal.ts';
import { type Claims, type Issuer, openIssuer } from '../../fakes/issuer.ts';

const AUDIENCE = 'https://notes.example/mcp';
const GOOD = { aud: AUDIENCE, scope: 'openid vaultgraph' };

async function open(
  context: TestContext,
  path = '',
): Promise<{ issuer: Issuer; verifier: OAuthVerifier; log: string[] }> {
  const issuer = await openIssuer(context, path);
  const log: string[] = [];
  const views = { 'vaultgraph:phone': 'phone' };
  const options = { issuer: issuer.url, audience: AUDIENCE, scope: 'vaultgraph', views, jwks_url: null };
  return { issuer, log, verifier: new OAuthVerifier(options, (_level, event) => void log.push(event)) };
}

const verdict = async (verifier: OAuthVerifier, token: string): Promise<string> => {
  const found = await verifier.verify(token);
  return 'key' in found ? `${found.name} ${found.view ?? '-'}` : `${found.status} ${found.error} ${found.description}`;
};

test('a token is accepted only from its issuer, for this server, within its time and with the scope', async (context) => {
  const { issuer, verifier } = await open(context, '/realms/home');
  const now = Math.floor(Date.now() / 1_000);
  const of = (claims: Claims, typ?: string): Promise<string> =>
    issuer.token({ ...GOOD, ...claims }, typ === undefined ? {} : { typ });
  assert.equal(await verdict(verifier, await of({})), 'ada -');
  assert.equal(await verdict(verifier, await of({ scope: 'vaultgraph vaultgraph:phone' })), 'ada phone');
  assert.equal(await verdict(verifier, await of({ scope: 'vaultgraph:phone' })), 'ada phone');
  assert.equal(await verdict(verifier, await of({ scope: undefined, scp: ['vaultgraph'] })), 'ada -');
  assert.equal(await verdict(verifier, await of({ aud: ['https://other.example', AUDIENCE] }, 'JWT')), 'ada -');
  assert.equal(await verdict(verifier, await of({ sub: 'a\nb' })), 'a\\nb -');
  const refused: readonly (readonly [token: string, expected: RegExp])[] = [
    [await of({ aud: 'https://notes.example/' }), /^401 invalid_token .*aud$/],
    [await of({ aud: undefined }), /^401 invalid_token .*aud$/],
    [await of({ iss: 'https://other.example' }), /^401 invalid_token .*iss$/],
    [await of({ exp: now - 60 }), /^401 invalid_token the token has expired$/],
    [await of({ exp: undefined }), /^401 invalid_token .*exp$/],
    [await of({ nbf: now + 60 }), /^401 invalid_token .*nbf$/],
    [await of({ sub: undefined }), /^401 invalid_token .*sub$/],
    [await of({}, 'dpop+jwt'), /^401 invalid_token this is not an access token$/],
    [await issuer.forged(GOOD), /^401 invalid_token the token is not valid$/],
    [`${(await of({})).slice(0, -4)}AAAA`, /^401 invalid_token/],
    [new UnsecuredJWT(GOOD).encode(), /^401 invalid_token/],
    [await new SignJWT(GOOD).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32)), /^401 invalid_token/],
    ['opaque', /^401 invalid_token/],
    ['a.b.c', /^401 invalid_token/],
    [await of({ scope: 'openid' }), /^403 insufficient_scope the token lacks the scope vaultgraph$/],
  ];
  for (const [token, expected] of refused) assert.match(await verdict(verifier, token), expected);
  assert.equal(issuer.requests.filter((path) => path === '/keys').length, 1, 'the keys are fetched once');
});

test('a new key of the issuer is found, and another issuer in the metadata is not believed', async (context) => {
  const { issuer, verifier, log } = await open(context);
  issuer.mood = 'other_issuer';
  assert.match(await verdict(verifier, await issuer.token(GOOD)), /^503 issuer_unreachable/);
  assert.deepEqual(log, ['issuer_unreachable']);
  issuer.mood = 'well';
  await issuer.rotate();
  assert.equal(await verdict(verifier, await issuer.token(GOOD)), 'ada -');
});

for (const mood of ['refuses', 'rubbish', 'redirects', 'huge', 'unchanged', 'packed', 'deep', 'odd_keys'] as const)
  test(`while the issuer ${mood}, tokens cannot be checked; afterwards they can`, async (context) => {
    const { issuer, verifier, log } = await open(context);
    issuer.mood = mood;
    const token = await issuer.token(GOOD);
    assert.match(await verdict(verifier, token), /^503 issuer_unreachable the authorization server does not answer/);
    assert.deepEqual(log, ['issuer_unreachable']);
    issuer.mood = 'well';
    assert.equal(await verdict(verifier, token), 'ada -');
  });

test('the metadata and the challenge name what clients need', async (context) => {
  const { issuer, verifier } = await open(context);
  assert.deepEqual(verifier.metadata, {
    resource: AUDIENCE,
    authorization_servers: [issuer.url],
    scopes_supported: ['vaultgraph'],
    bearer_methods_supported: ['header'],
    resource_name: 'vaultgraph',
  });
  const url = 'https://notes.example/.well-known/oauth-protected-resource/mcp';
  assert.equal(verifier.metadataUrl, url);
  const refused = await verifier.verify(await issuer.token({ ...GOOD, scope: '' }));
  assert.ok('status' in refused);
  assert.equal(
    challengeFor(refused, url),
    `Bearer realm="vaultgraph", error="insufficient_scope", error_description="the token lacks the scope vaultgraph", scope="vaultgraph", resource_metadata="${url}"`,
  );
});

test('a signed token with claims or headers of any JSON type is accepted or refused, and never ends the process', async (context) => {
  const { issuer, verifier, log } = await open(context);
  const values = [0, -1, 1.5, true, false, null, [], ['ada'], {}, { length: 3 }, '', 'x'.repeat(2_000), 1e308];
  for (const name of ['sub', 'exp', 'nbf', 'iat', 'aud', 'iss', 'scope', 'scp', 'jti', 'azp', 'cnf']) {
    for (const value of values) {
      const text = await verdict(verifier, await issuer.token({ ...GOOD, [name]: value }));
      const isText = typeof value === 'string' && value !== '';
      if (name === 'sub' && !isText) assert.match(text, /^401 invalid_token .*sub$/, JSON.stringify(value));
      else assert.match(text, /^(?:401|403) |^ada -$|^x{100} -$/, `${name} ${JSON.stringify(value)}`);
    }
  }
  for (const typ of [7, true, [], {}, ['at+jwt']])
    assert.match(
      await verdict(verifier, await issuer.token(GOOD, { typ })),
      /^401 invalid_token this is not an access token$/,
    );
  const infinite = JSON.stringify({ ...GOOD, iss: issuer.url, sub: 'ada', exp: 0 }).replace('"exp":0', '"exp":1e999');
  assert.match(await verdict(verifier, await issuer.signed(infinite)), /^401 invalid_token .*exp$/);
  assert.deepEqual(log, [], 'no failure of the issuer');
});

test('a key that is too short for its algorithm is a fault of the token, not of the issuer', async (context) => {
  const { issuer, verifier, log } = await open(context);
  await issuer.rotate('weak');
  assert.match(await verdict(verifier, await issuer.token(GOOD)), /^401 invalid_token the token is not valid$/);
  assert.deepEqual(log, []);
});
