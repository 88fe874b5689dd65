// Names of this machine and the addresses they have: only a loopback address is connected to.
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { it } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import type { Attempt } from '../../../src/providers/model-server/attempt.ts';
import { type Lookup, type Reply, sendRequest } from '../../../src/providers/model-server/transport.ts';
import { attemptAt, openServer } from './attempts.ts';

const TEXT = { method: 'POST', headers: {}, body: '"a text of a note"' };

/** A name server that gives the addresses of each list in turn. */
function answering(...lists: readonly (readonly string[])[]): Lookup {
  let requested = 0;
  return (_name, _options, answer) => {
    const list = lists[requested++ % lists.length] ?? [];
    answer(
      null,
      list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

const sendTo = (port: number, lookup: Lookup, given: Partial<Attempt> = {}, name = 'localhost'): Promise<Reply> => {
  const attempt = attemptAt(`http://${name}:${port}`, given);
  return sendRequest(attempt.endpoint, TEXT, attempt, lookup);
};

function isBlocked(thrown: unknown): boolean {
  assert.ok(thrown instanceof VaultgraphError, String(thrown));
  assert.equal(thrown.code, 'EGRESS_BLOCKED');
  return true;
}

it('nothing is sent to a name of this machine that has the address of another', async (context) => {
  const server = await openServer(context);
  for (const address of ['192.0.2.7', '10.0.0.1', '0.0.0.0', '::ffff:192.0.2.7', '2001:db8::7', 'fe80::1'])
    for (const name of ['localhost', 'tide.localhost'])
      await assert.rejects(sendTo(server.port, answering([address]), {}, name), (thrown) => {
        assert.ok(isBlocked(thrown));
        const { message, details, hint } = thrown as VaultgraphError<'EGRESS_BLOCKED'>;
        assert.deepEqual([details.name, details.host], [name, address]);
        assert.ok(message.startsWith(`${name} has the address of another machine (${address})`), message);
        assert.match(hint, /^Correct the address of .+ in the hosts file/);
        return true;
      });
  assert.equal(server.requests.length, 0);
});

it('of several addresses, only loopback ones are connected to', async (context) => {
  const server = await openServer(context);
  for (const list of [['127.0.0.1'], ['192.0.2.7', '127.0.0.1'], ['2001:db8::7', '::ffff:127.0.0.1', '127.0.0.1']])
    assert.equal((await sendTo(server.port, answering(list))).status, 200, list.join());
  assert.equal(server.requests.length, 3);
});

it('each connection checks the address it connects to, so a name that changes its address is not trusted', async (context) => {
  const server = await openServer(context);
  // On Linux a connection to 0.0.0.0 reaches this machine, so that a text sent there would arrive.
  const lookup = answering(['127.0.0.1'], ['0.0.0.0']);
  await sendTo(server.port, lookup);
  await assert.rejects(sendTo(server.port, lookup), isBlocked);
  await sendTo(server.port, lookup);
  assert.equal(server.requests.length, 2);
});

it('with allow_remote the name may have any address', async (context) => {
  const server = await openServer(context);
  const { status } = await sendTo(server.port, answering(['0.0.0.0']), { allowRemote: true });
  assert.equal(status, 200);
});

it('a name without an address cannot be reached', async () => {
  const unknown: Lookup = (name, _options, answer) =>
    answer(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }), []);
  await assert.rejects(sendTo(1, unknown), { code: 'ENOTFOUND' });
});
