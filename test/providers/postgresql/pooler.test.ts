// What PgBouncer 1.18 was seen to say when it refuses a connection is reported as its cause, not as a server that cannot be reached.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { VaultgraphError } from '../../../src/base/errors.ts';
import { signal } from '../../contracts/store/law.ts';
import { openStore } from './postgres-index.ts';

/** With one SQLSTATE for all. */
const STATE = '08P01';

const SAID: readonly (readonly [message: string, code: string, key: RegExp])[] = [
  ['password authentication failed', 'STORE_UNAVAILABLE', /providers\.store\.password/],
  ['password authentication failed for user "ghost"', 'STORE_UNAVAILABLE', /providers\.store\.password/],
  ['server login failed: FATAL password authentication failed', 'STORE_UNAVAILABLE', /providers\.store\.password/],
  ['SASL authentication failed', 'STORE_UNAVAILABLE', /providers\.store\.password/],
  ['no such user: ghost', 'STORE_UNAVAILABLE', /providers\.store\.user/],
  ['no such database: vault', 'STORE_UNAVAILABLE', /providers\.store\.database/],
  ['database "vault" does not exist', 'STORE_UNAVAILABLE', /providers\.store\.database/],
  ['the database system is starting up', 'STORE_UNAVAILABLE', /starting up or shutting down/],
  ['no more connections allowed (max_client_conn)', 'STORE_BUSY', /connections .*are in use/i],
  ['query_wait_timeout', 'STORE_BUSY', /connections .*are in use/i],
  ['server login has been failing, try again later (server_login_retry)', 'STORE_UNAVAILABLE', /server behind it/],
  ['transaction blocks not allowed in statement pooling mode', 'STORE_UNAVAILABLE', /pool_mode = statement/],
  ['unsupported startup parameter: search_path', 'STORE_UNAVAILABLE', /ignore_startup_parameters/],
  ['something else', 'STORE_UNAVAILABLE', /cannot be reached/],
];

function errorPacket(message: string): Buffer {
  const fields = `SFATAL\0C${STATE}\0M${message}\0\0`;
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

test('a refusal of a pooler is reported as what it says', async () => {
  for (const [message, code, key] of SAID) {
    const pooler = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(errorPacket(message)));
    });
    await once(pooler.listen(0, '127.0.0.1'), 'listening');
    const { port } = pooler.address() as AddressInfo;
    const place = { host: '127.0.0.1', port, database: 'vault', user: 'ghost', password: 'x', schema: 'vault' };
    const { store, close } = await openStore({ ...place, tls: 'off' });
    await assert.rejects(store.progress(signal), (error: VaultgraphError) => {
      assert.ok(error instanceof VaultgraphError);
      assert.equal(error.code, code, message);
      assert.match(`${error.message} ${error.hint}`, key);
      return true;
    });
    await close();
    pooler.close();
  }
});
