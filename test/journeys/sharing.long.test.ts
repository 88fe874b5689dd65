// Several servers on one vault folder and one index file.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { configFile, indexFile, openSession, runBeside, temporaryFolder } from './session.ts';
import { type SharedIndex, type SharedSetting, sharingJourneys } from './sharing-journeys.ts';

sharingJourneys('servers that share an index file', async (context, setting) => shareFile(context, setting));

function shareFile(context: TestContext, { notes, config: keys }: SharedSetting): SharedIndex {
  const [vault, dataFolder] = [temporaryFolder(context), temporaryFolder(context)];
  cpSync(notes, vault, { recursive: true });
  const config = configFile(context, JSON.stringify(keys));
  return {
    ...{ vault, dataFolder, hasCopies: false },
    open: () => openSession(context, { vault, dataFolder, config }),
    run: (...args) => runBeside(context, [...args, '--vault', vault, '--data-dir', dataFolder, '--config', config]),
    token: async () => {
      const database = new Database(indexFile(dataFolder), { readonly: true });
      const token = database.prepare('SELECT token FROM lease').pluck().get() as number;
      database.close();
      return token;
    },
    fingerprint: async () => ['', '-wal'].map((part) => hashOf(indexFile(dataFolder) + part)),
  };
}

function hashOf(file: string): string {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
}
