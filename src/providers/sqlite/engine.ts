// Loads the native database engine when it is first needed, so that a missing binary is a typed failure. Knows no table.
import type BetterSqlite3 from 'better-sqlite3';
import { VaultgraphError } from '../../base/errors.ts';

export type Connection = BetterSqlite3.Database;
export type Engine = typeof BetterSqlite3;

const MODULE = 'better-sqlite3';

/** @throws STORE_UNAVAILABLE with the module's name when it is missing or its binary does not load */
export async function loadEngine(): Promise<Engine> {
  try {
    const { default: engine } = await import('better-sqlite3');
    new engine(':memory:').close();
    return engine;
  } catch (thrown) {
    throw new VaultgraphError(
      'STORE_UNAVAILABLE',
      { op: 'load', module: MODULE, reason: `the module ${MODULE} does not load` },
      { cause: thrown },
    );
  }
}
