// Doctor check that the native modules are installed and load on this machine.
import * as modules from 'node:module';
import { ownRules } from '../../base/system/system-rules.ts';
import { type Finding, failing, ok } from './finding.ts';

const requireModule = modules.createRequire(import.meta.url);

interface Database {
  prepare(sql: string): { pluck(): { get(): unknown } };
  close(): void;
}

export interface NativeModule {
  readonly name: string;
  /** Uses the binary and returns its version. @throws if it does not load */
  use(): string;
}

/** Databases are opened in memory only. */
export const NATIVE_MODULES: readonly NativeModule[] = [
  {
    name: 'better-sqlite3',
    use: () => `SQLite ${inMemory((database) => answer(database, 'SELECT sqlite_version()'))}`,
  },
  {
    name: 'sqlite-vec',
    use: () =>
      `sqlite-vec ${inMemory((database) => {
        requireModule('sqlite-vec').load(database);
        return answer(database, 'SELECT vec_version()');
      })}`,
  },
  {
    name: '@parcel/watcher',
    use: () => {
      requireModule('@parcel/watcher');
      return 'watcher';
    },
  },
  // Elsewhere the lock of the vault needs no module.
  ...(ownRules().lockFlag === undefined
    ? [{ name: 'koffi', use: () => `koffi ${requireModule('koffi').version}` }]
    : []),
];

export function nativeFinding(native: readonly NativeModule[] = NATIVE_MODULES): Finding {
  const { platform, arch } = process;
  const checked = native.map(({ name, use }) => ({ name, ...tryUse(use) }));
  const broken = checked.filter(({ version }) => version === undefined);
  if (broken.length === 0) return ok(`${checked.map(({ version }) => version).join(', ')} on ${platform} ${arch}`);
  const names = broken.map(({ name, reason }) => `${name} does not load (${reason})`);
  return failing(
    `${names.join('; ')} on ${platform} ${arch}, Node ${process.versions.node}`,
    'reinstall on this machine with optional dependencies (`npm ci` in a checkout); the folder may come from another system',
  );
}

/** Only the first line of a failure is kept: the others list paths. */
function tryUse(use: () => string): { readonly version?: string; readonly reason?: string } {
  try {
    return { version: use() };
  } catch (thrown) {
    return { reason: String(thrown instanceof Error ? thrown.message : thrown).split('\n')[0] ?? '' };
  }
}

function inMemory(use: (database: Database) => string): string {
  const database: Database = new (requireModule('better-sqlite3'))(':memory:');
  try {
    return use(database);
  } finally {
    database.close();
  }
}

const answer = (database: Database, sql: string): string => String(database.prepare(sql).pluck().get());
