// The bearer tokens of HTTP clients: found by their hash, kept apart, and changed by several processes at the same moment.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { VaultgraphError } from '../../src/base/errors.ts';
import { HttpTokens, tokensFolder } from '../../src/config/http-tokens.ts';

let state: string;
let folder: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'vaultgraph-tokens-'));
  folder = tokensFolder(state, '/etc/vaultgraph/config.yaml');
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const namesOf = (tokens: HttpTokens): readonly string[] => tokens.list().map(({ name }) => name);
const advises = (advice: RegExp) => (thrown: unknown) =>
  thrown instanceof VaultgraphError && advice.test(String(Object(thrown.details).advice));
const isCode = (code: string) => (thrown: unknown) => thrown instanceof VaultgraphError && thrown.code === code;

test('a token is found by what add returned and by nothing else, and only its hash is kept', async () => {
  const tokens = new HttpTokens(folder);
  const secret = await tokens.add('phone', 'notes');
  assert.deepEqual([tokens.find(secret)?.name, tokens.find(secret)?.view], ['phone', 'notes']);
  assert.equal(tokens.find(`${secret}x`), undefined);
  const [file = ''] = readdirSync(folder);
  assert.ok(!readFileSync(join(folder, file), 'utf8').includes(secret));
  assert.deepEqual([statSync(folder).mode & 0o077, statSync(join(folder, file)).mode & 0o077], [0, 0]);
});

test('a token that another process adds or revokes holds from the next request on', async () => {
  const [server, command] = [new HttpTokens(folder), new HttpTokens(folder)];
  assert.deepEqual(server.list(), []);
  const secret = await command.add('phone', undefined);
  assert.equal(server.find(secret)?.name, 'phone');
  assert.equal(await command.revoke('phone'), true);
  assert.equal(server.find(secret), undefined);
});

test('no token is lost when two processes add and revoke at the same moment', async () => {
  const [left, right] = [new HttpTokens(folder), new HttpTokens(folder)];
  await left.add('old', undefined);
  await Promise.all([
    ...[1, 2, 3, 4, 5].map((number) => left.add(`left-${number}`, undefined)),
    right.revoke('old'),
    ...[1, 2, 3, 4, 5].map((number) => right.add(`right-${number}`, undefined)),
  ]);
  const expected = ['left', 'right'].flatMap((side) => [1, 2, 3, 4, 5].map((number) => `${side}-${number}`));
  assert.deepEqual(namesOf(new HttpTokens(folder)), expected);
});

test('of two processes that add one name at the same moment, one is refused', async () => {
  const results = await Promise.allSettled([1, 2].map(() => new HttpTokens(folder).add('phone', undefined)));
  const [refused, ...others] = results.filter((result) => result.status === 'rejected');
  assert.ok(isCode('CONFIG_INVALID')(refused?.reason));
  assert.deepEqual(others, []);
  const kept = results.find((result) => result.status === 'fulfilled');
  assert.equal(new HttpTokens(folder).find(kept?.value ?? '')?.name, 'phone');
  assert.equal(readdirSync(folder).length, 1);
});

test('revoking a name that no token has removes nothing, also where it is a path', async () => {
  const tokens = new HttpTokens(folder);
  await tokens.add('phone', undefined);
  mkdirSync(join(folder, 'token-'));
  writeFileSync(join(state, 'other.json'), '{}');
  assert.equal(await tokens.revoke('../../other'), false);
  assert.equal(await tokens.revoke('desk'), false);
  assert.deepEqual(readdirSync(state).length, 2);
  assert.deepEqual(namesOf(tokens), ['phone']);
});

test('a file that is not a token fails list with its name, and has no token', async () => {
  const tokens = new HttpTokens(folder);
  await tokens.add('phone', undefined);
  writeFileSync(join(folder, 'token-desk.json'), '{"name":"desk"}');
  const again = new HttpTokens(folder);
  assert.throws(() => again.list(), /token-desk\.json/);
  assert.equal(
    again.has(() => true),
    false,
  );
});

test('a revoked token has no copy under another name that lets its holder in', async () => {
  const [server, command] = [new HttpTokens(folder), new HttpTokens(folder)];
  const secret = await command.add('desk', undefined);
  cpSync(join(folder, 'token-desk.json'), join(folder, 'token-desk (conflicted copy).json'));
  assert.deepEqual([server.find(secret)?.name, namesOf(server)], ['desk', ['desk']]);
  assert.equal(await command.revoke('desk'), true);
  assert.equal(server.find(secret), undefined);
});

test('a token is revoked that is damaged, or beside a damaged one', async () => {
  const tokens = new HttpTokens(folder);
  const secret = await tokens.add('phone', undefined);
  for (const text of ['', 'null', '[]', '{"name":"desk"}', '\0'.repeat(512)]) {
    writeFileSync(join(folder, 'token-desk.json'), text);
    assert.throws(() => tokens.find(secret), advises(/tokens revoke desk`/), text);
    assert.equal(await tokens.revoke('desk'), true, text);
    assert.equal(tokens.find(secret)?.name, 'phone', text);
  }
  writeFileSync(join(folder, 'token-desk.json'), '{');
  assert.equal(await tokens.revoke('phone'), true);
  assert.deepEqual(readdirSync(folder), ['token-desk.json']);
});

test('a state folder that cannot be written fails add with FILE_WRITE_FAILED', async () => {
  writeFileSync(join(state, 'file'), '');
  await assert.rejects(
    new HttpTokens(join(state, 'file', 'tokens')).add('phone', undefined),
    isCode('FILE_WRITE_FAILED'),
  );
});
