// Loads the native database engine and its vector functions when they are first needed, so that a missing binary is a typed failure. Knows no table.
import type BetterSqlite3 from 'better-sqlite3';
import { VaultgraphError } from '../../base/errors.ts';

export type Connection = BetterSqlite3.Database;
export type Engine = typeof BetterSqlite3;

const MODULE = 'better-sqlite3';
const VECTOR_MODULE = 'sqlite-vec';

/** @throws STORE_UNAVAILABLE with the module's name when it is missing or its binary does not load */
export async function loadEngine(): Promise<Engine> {
  try {
    const { default: engine } = await import('better-sqlite3');
    new engine(':memory:').close();
    return engine;
  } catch (thrown) {
    throw unloadable(MODULE, thrown);
  }
}

/** From then on the connection can compare vectors. @throws STORE_UNAVAILABLE with the module's name, also where no binary was installed */
export async function loadVectorFunctions(connection: Connection): Promise<void> {
  try {
    const { load } = await import('sqlite-vec');
    load(connection);
  } catch (thrown) {
    throw unloadable(VECTOR_MODULE, thrown);
  }
}

function unloadable(module: string, cause: unknown): VaultgraphError {
  const reason = `the module ${module} does not load`;
  return new VaultgraphError('STORE_UNAVAILABLE', { op: 'load', module, reason }, { cause });
}
