// Keeps a backup of a schema in the same database, and restores it.
import type { TestServer } from '../../postgresql/server.ts';

const TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = `;

export async function backUp(server: TestServer, schema: string): Promise<void> {
  const tables = await server.sql<{ name: string }>(`${TABLES}'${schema}'`);
  const copies = tables.map(({ name }) => `CREATE TABLE kept_${schema}.${name} AS TABLE ${schema}.${name}`);
  await server.sql([`CREATE SCHEMA kept_${schema}`, ...copies].join(';'));
}

/** As `pg_restore --clean` does in one transaction. */
export async function restore(server: TestServer, schema: string): Promise<void> {
  const tables = await server.sql<{ name: string }>(`${TABLES}'kept_${schema}'`);
  const copies = tables.flatMap(({ name }) => [
    `TRUNCATE ${schema}.${name}`,
    `INSERT INTO ${schema}.${name} SELECT * FROM kept_${schema}.${name}`,
  ]);
  await server.sql(['BEGIN', ...copies, 'COMMIT'].join(';'));
}
