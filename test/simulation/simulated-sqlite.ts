// Remembers which simulated process opened a database, so that a kill can close it as the system does.
import { createRequire } from 'node:module';
import { currentProcess, type Process } from './world.ts';

interface Database {
  readonly open: boolean;
  close(): void;
}

const opened = new Map<Process, Set<Database>>();

/** For good; before the first database is opened. */
export function simulateDatabases(): void {
  const require = createRequire(import.meta.url);
  const file = require.resolve('better-sqlite3');
  const Engine = require(file) as new (...given: unknown[]) => Database;
  const remembering = new Proxy(Engine, {
    construct(engine, given, target) {
      const database = Reflect.construct(engine, given, target) as Database;
      const process = currentProcess();
      if (process !== undefined) opened.set(process, (opened.get(process) ?? new Set()).add(database));
      return database;
    },
  });
  const entry = require.cache[file];
  if (entry !== undefined) entry.exports = remembering;
}

/** What was not committed is lost. @returns how many were open */
export function closeDatabasesOf(process: Process): number {
  const open = [...(opened.get(process) ?? [])].filter((database) => database.open);
  for (const database of open) database.close();
  opened.delete(process);
  return open.length;
}
