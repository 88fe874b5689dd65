// Loads the native database engine and its vector functions when they are first needed, so that a missing binary is a typed failure.
import * as modules from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type * as SqliteVec from 'sqlite-vec';
import { VaultgraphError } from '../../../base/errors.ts';

export type Connection = BetterSqlite3.Database;
export type Engine = typeof BetterSqlite3;

/** To import them instead would take twice the time, at every start. (The name `createRequire` itself is taken in the bundle.) */
const requireModule = modules.createRequire(import.meta.url);

const MODULE = 'better-sqlite3';
const VECTOR_MODULE = 'sqlite-vec';

/** @throws STORE_UNAVAILABLE with the module's name when it is missing or its binary does not load */
export function loadEngine(): Engine {
  try {
    const engine = requireModule(MODULE) as Engine;
    new engine(':memory:').close();
    return engine;
  } catch (thrown) {
    throw unloadable(MODULE, thrown);
  }
}

/** From then on the connection can compare vectors. @throws STORE_UNAVAILABLE with the module's name, also where no binary was installed */
export function loadVectorFunctions(connection: Connection): void {
  try {
    const { load } = requireModule(VECTOR_MODULE) as typeof SqliteVec;
    load(connection);
  } catch (thrown) {
    throw unloadable(VECTOR_MODULE, thrown);
  }
}

function unloadable(module: string, cause: unknown): VaultgraphError {
  const reason = `the module ${module} does not load`;
  return new VaultgraphError('STORE_UNAVAILABLE', { op: 'load', module, reason }, { cause });
}
