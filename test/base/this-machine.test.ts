// Which endpoints are on this machine, and which proxy Node uses for the others.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { proxyFor } from '../../src/base/this-machine.ts';

const AWAY = 'http://models.example.test:11434/v1';
const PROXY = { http_proxy: 'http://user:s3cret@proxy.example.test:3128' };
const USED = { ...PROXY, NODE_USE_ENV_PROXY: '1' };
const NAME = 'http://proxy.example.test:3128';

it('a proxy counts only if Node was started to use it', () => {
  assert.equal(proxyFor(AWAY, PROXY, []), undefined);
  assert.equal(proxyFor(AWAY, USED, []), NAME);
  assert.equal(proxyFor(AWAY, PROXY, ['--use-env-proxy']), NAME);
  assert.equal(proxyFor(AWAY, { ...PROXY, NODE_OPTIONS: '--no-warnings --use-env-proxy' }, []), NAME);
  assert.equal(proxyFor(AWAY, { NODE_USE_ENV_PROXY: '1' }, []), undefined);
});

it('the scheme of the endpoint decides which variable is used', () => {
  const both = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://one.test:1', HTTPS_PROXY: 'http://two.test:2' };
  assert.equal(proxyFor('http://a.test', both, []), 'http://one.test:1');
  assert.equal(proxyFor('https://a.test', both, []), 'http://two.test:2');
  assert.equal(proxyFor('https://a.test', USED, []), NAME);
});

it('this machine and the hosts in NO_PROXY are reached directly', () => {
  for (const here of ['http://127.0.0.1:1', 'http://[::1]:1', 'http://localhost:1', 'https://tide.localhost'])
    assert.equal(proxyFor(here, USED, []), undefined, here);
  const isProxied = (NO_PROXY: string): boolean => proxyFor(AWAY, { ...USED, NO_PROXY }, []) !== undefined;
  for (const excepted of ['*', 'models.example.test', '.example.test', '*.test', 'x.test, models.example.test:11434'])
    assert.equal(isProxied(excepted), false, excepted);
  for (const other of ['', 'other.test', 'odels.example.test', 'models.example.test:1', ','])
    assert.equal(isProxied(other), true, other);
});
