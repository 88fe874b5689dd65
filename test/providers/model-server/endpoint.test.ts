import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { isThisMachine } from '../../../src/base/this-machine.ts';
import { endpointSchema, hostAndPort, hostOf, refuseRemote } from '../../../src/providers/model-server/attempt.ts';
import { assertEach } from '../../assert-each.ts';

const schema = endpointSchema();
const messageFor = (given: unknown): string => schema.safeParse(given).error?.issues[0]?.message ?? 'it was taken';

describe('an endpoint', () => {
  it('is normalized, with its path and without a trailing slash', () => {
    const expected: Readonly<Record<string, string>> = {
      'http://127.0.0.1:11434': 'http://127.0.0.1:11434',
      'http://127.0.0.1:11434/': 'http://127.0.0.1:11434',
      'HTTP://LocalHost:1234/v1//': 'http://localhost:1234/v1',
      'http://models.example.test': 'http://models.example.test',
      'http://models.example.test:80': 'http://models.example.test',
      'https://models.example.test:443/a/b/': 'https://models.example.test/a/b',
      'http://0.0.0.0:11434': 'http://127.0.0.1:11434',
      'http://[::]:11434/v1': 'http://[::1]:11434/v1',
      'http://[0:0:0:0:0:0:0:1]:8080': 'http://[::1]:8080',
      'http://127.1:8080': 'http://127.0.0.1:8080',
    };
    for (const [given, normalised] of Object.entries(expected)) assert.equal(schema.parse(given), normalised);
  });

  it('is rejected with another scheme, without a host, and if it is not a URL', () => {
    for (const given of [
      '',
      '127.0.0.1:11434',
      'localhost:11434',
      'ftp://x',
      'file:///etc',
      'http://',
      'http://x:99999',
      'x',
    ])
      assert.match(messageFor(given), /http:\/\/|Too small/, given);
    for (const given of [undefined, null, 11434, ['http://x']]) assert.notEqual(messageFor(given), 'it was taken');
  });

  it('M14 is rejected with credentials, and the error names `headers` without repeating them', () => {
    for (const given of [
      'http://user:s3cret@127.0.0.1:11434',
      'https://s3cret@models.example.test',
      'ftp://u:s3cret@x',
    ]) {
      assert.doesNotMatch(
        JSON.stringify(schema.safeParse(given).error?.issues.map(({ message }) => message)),
        /s3cret/,
      );
      assert.match(messageFor(given), given.startsWith('ftp') ? /http:/ : /`headers`/);
    }
  });

  it('is rejected with a query or fragment, even an empty one', () => {
    for (const given of ['http://x/v1?key=1', 'http://x/v1#part', 'http://x/v1?', 'http://x/v1#'])
      assert.equal(messageFor(given), 'a URL without query and fragment', given);
  });

  it("has a host and a port, by default the scheme's", () => {
    assert.equal(hostOf('http://[::1]:11434'), '[::1]');
    assert.equal(hostAndPort('http://127.0.0.1:11434/v1'), '127.0.0.1:11434');
    assert.equal(hostAndPort('http://models.example.test'), 'models.example.test:80');
    assert.equal(hostAndPort('https://models.example.test/v1'), 'models.example.test:443');
  });
});

describe('this machine', () => {
  it('is only loopback', () => {
    for (const host of [
      '127.0.0.1',
      '127.255.3.4',
      '[::1]',
      'localhost',
      'LOCALHOST',
      'models.localhost',
      '0.0.0.0',
      '[::]',
    ])
      assert.ok(isThisMachine(schema.parse(`http://${host}:1234`)), host);
    for (const host of [
      '192.168.1.20',
      '10.0.0.1',
      '172.17.0.1',
      '169.254.1.1',
      '128.0.0.1',
      '[fe80::1]',
      '[::2]',
      '[::ffff:7f00:1]',
      'localhost.example.test',
      'notlocalhost',
      '127.0.0.1.example.test',
      'host.docker.internal',
      'my-machine.local',
    ])
      assert.ok(!isThisMachine(schema.parse(`http://${host}:1234`)), host);
  });

  it('P12 each other endpoint is rejected with its own key, unless the section allows it', () => {
    const section = z
      .object({ endpoint: schema, failover: z.array(endpointSchema()), allow_remote: z.boolean() })
      .superRefine(refuseRemote);
    const given = {
      endpoint: 'http://192.168.1.20:11434',
      failover: ['http://[::1]:1', 'https://models.example.test/v1'],
      allow_remote: false,
    };
    const { issues = [] } = section.safeParse(given).error ?? {};
    assertEach(issues, ({ path }) => path, [['endpoint'], ['failover', 1]]);
    assert.match(issues[1]?.message ?? '', /^models\.example\.test is off this machine; .* allow_remote: true$/);
    assert.ok(section.safeParse({ ...given, allow_remote: true }).success);
  });
});
