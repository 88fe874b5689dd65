// Puts the simulated clock, disk, threads, databases and watchers in the places of the real ones, for the whole process.
import { mkdirSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import v8 from 'node:v8';
import { readConfigFrom } from '../../src/app/read-configs.ts';
import { ownRules } from '../../src/base/system/system-rules.ts';
import type { Config } from '../../src/config/config.ts';
import { everyLanguage } from '../../src/markdown/dates/moment-language.ts';
import type { Configs } from './schedule.ts';
import { simulateDisk } from './simulated-disk.ts';
import { simulateDatabases } from './simulated-sqlite.ts';
import { simulateThreads } from './simulated-threads.ts';
import { simulateWatchers } from './simulated-watcher.ts';
import { virtualizeTime } from './virtual-time.ts';
import { Killed, worldHere } from './world.ts';

/** The program loads these when it first needs them, which would take real time in the middle of the first schedule that does. */
async function loadLateModules(): Promise<void> {
  await import('../../src/markdown/edit/replace-text.ts');
  await import('../../src/providers/filesystem/git-texts.ts');
  await everyLanguage();
}

/** Takes the place of the session by which a server collects its garbage. */
class IdleSession {
  connect(): void {}
  disconnect(): void {}
  async post(): Promise<void> {}
}

function configOf(folder: string, access: Config['vault']['access']): Promise<Config> {
  const file = join(folder, `${access}.yaml`);
  writeFileSync(file, `vault: { path: ${folder}/vault, access: ${access}, dialect: obsidian }\n`);
  const flags = { config: file, dataDir: join(folder, 'data') };
  return readConfigFrom({ flags, env: {}, platform: process.platform, home: folder, cwd: folder });
}

/** Once in a process. @param folder for all schedules @returns the configs of their servers */
export async function prepareSimulation(folder: string): Promise<Configs> {
  mkdirSync(join(folder, 'vault'));
  const configs = { ordinary: await configOf(folder, 'read-write'), readOnly: await configOf(folder, 'read-only') };
  // Each idle server would give back the memory of all the others, and collect their garbage.
  Object.assign(ownRules(), { keepsFreedMemory: false });
  Object.assign(inspector, { Session: IdleSession });
  // Servers ask for small heaps, whose garbage would be collected all the time in a process that runs thousands of them, and
  // a thread with a large heap collects it: all threads are this one, whose heap grows from schedule to schedule.
  const getHeapStatistics = (): object => ({ total_heap_size: worldHere()?.heapBytes() ?? 0 });
  Object.assign(v8, { setFlagsFromString: () => undefined, getHeapStatistics });
  syncBuiltinESMExports();
  simulateDatabases();
  simulateWatchers();
  await simulateThreads();
  await loadLateModules();
  virtualizeTime();
  simulateDisk();
  // Nothing catches what a killed process would have done.
  process.on('unhandledRejection', (thrown) => {
    if (!(thrown instanceof Killed)) throw thrown;
  });
  return configs;
}
