// Checks which schema the parts of vaults have, from the config of the store on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionSettings, postgresqlConfig } from '../../../src/providers/postgresql/postgresql-provider.ts';

const SERVER = { host: '127.0.0.1', database: 'notes', user: 'reader' };
const LONGEST_SCHEMA = 'a'.repeat(30);
const LONGEST_NAME = `b${'-c'.repeat(15)}d`;
const VIEWS = ['8f3c918aa42be8a8', '0123456789abcdef'];

test('each of several vaults and each part of a vault has a schema of its own, within the length of a name', () => {
  const config = postgresqlConfig.parse({ ...SERVER, schema: LONGEST_SCHEMA });
  const names = [undefined, 'work', 'private', 'a-b', LONGEST_NAME];
  const schemas = names.flatMap((vaultName) =>
    [undefined, ...VIEWS].map((viewId) => connectionSettings(config, { vaultName, viewId }).schema),
  );
  assert.equal(new Set(schemas).size, schemas.length, schemas.join(', '));
  for (const schema of schemas) assert.match(schema, /^a{30}(?:_[a-z0-9_]{1,32})?$/);
  assert.equal(
    connectionSettings(config, { vaultName: undefined }).schema,
    LONGEST_SCHEMA,
    'a whole vault alone has the schema itself',
  );
  assert.equal(connectionSettings(config, { vaultName: 'a-b' }).schema, `${LONGEST_SCHEMA}_a_b`);
});
