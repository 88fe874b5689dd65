// Checks what doctor reports about the database server of the store, on a real server and with a file.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { doctorChecks } from '../../../src/cli/doctor/checks.ts';
import { type Found, runChecks } from '../../../src/cli/doctor/doctor-command.ts';
import { configFile, copyOfFixture, temporaryFolder } from '../../journeys/session.ts';
import { describePostgres } from '../../postgresql/describe-postgres.ts';

/** What the check finds, with this section for the store. */
async function foundWith(context: TestContext, store: object | undefined, check = 'database server'): Promise<Found> {
  const vault = { path: copyOfFixture(context, 'tiny') };
  const config = configFile(context, JSON.stringify({ vault, ...(store && { providers: { store } }) }));
  const checks = doctorChecks({ config, dataDir: temporaryFolder(context) });
  const [found] = await runChecks(checks.filter(({ name }) => name === check));
  assert.ok(found);
  return found;
}

test('an index in a file has no database server', async (context) => {
  const { status, detail } = await foundWith(context, undefined);
  assert.deepEqual([status, detail], ['ok', 'not used: the index is a file']);
});

describePostgres('the check of the database server', (server) => {
  const section = (more: object = {}) => {
    const { host, port, user, password } = server();
    return { type: 'postgresql', ...{ host, port, user, password, database: 'postgres', ...more } };
  };

  test('names version, encoding, rights and connections', async (context) => {
    const { status, detail } = await foundWith(context, section());
    assert.equal(status, 'ok', detail);
    for (const part of [/^PostgreSQL \d+\.\d+/, /encoding UTF8/, /postgres may read and write/, /the clocks agree/])
      assert.match(detail, part);
  });

  test('warns when most connections are used', async (context) => {
    const [row] = await server().sql<{ max: number }>("SELECT current_setting('max_connections')::int AS max");
    const held = Array.from({ length: Math.ceil((row?.max ?? 0) * 0.85) }, () => server().connect());
    const clients = await Promise.all(held);
    const { status, hint } = await foundWith(context, section());
    await Promise.all(clients.map((client) => client.end()));
    assert.equal(status, 'warning');
    assert.match(hint, /providers\.store\.pool/);
  });

  test('reads the feed of changes, and says what helps if a row of it is damaged', async (context) => {
    const store = section({ schema: 'with_feed' });
    const begins = await foundWith(context, store, 'feed');
    assert.equal(begins.status, 'ok');
    assert.match(
      begins.detail,
      /^the feed on the PostgreSQL server at .*, schema "with_feed" begins with the next scan$/,
    );
    const row = `(1, 1, 'edited', gen_random_uuid(), 'A.md', 'not as it was written')`;
    await server().sql(`INSERT INTO with_feed.feed_changes (seq, at, kind, key, path, record) VALUES ${row}`);
    const { status, detail, hint } = await foundWith(context, store, 'feed');
    assert.equal(status, 'failing', detail);
    assert.match(detail, /: a change is not what was written$/);
    assert.match(hint, /a server begins it again/);
    const away = await foundWith(context, section({ port: 9 }), 'feed');
    assert.match(`${away.status} ${away.detail}`, /failing.*STORE_UNAVAILABLE/);
  });

  test('fails with the key of the config, and shows no password', async (context) => {
    const secret = 'not the password';
    const found = await foundWith(context, section({ password: secret }));
    assert.equal(found.status, 'failing');
    assert.match(JSON.stringify(found), /STORE_UNAVAILABLE.*providers\.store\.password/);
    assert.doesNotMatch(JSON.stringify(found), new RegExp(secret));
  });
});
