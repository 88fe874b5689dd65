// Installs the PostgreSQL server of the Linux distribution for the long tests, where it is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hasDebianBinaries } from './binaries.ts';

const CLUSTER_SETTINGS = '/etc/postgresql-common';
/** The tests start servers of their own, so the package must not create one. */
const NO_CLUSTER = 'create_main_cluster = false\n';

/** Throws where the server is missing and cannot be installed. */
export function installDebianServer(): void {
  if (hasDebianBinaries()) return;
  if (process.getuid?.() !== 0)
    throw new Error(
      'the long tests need a PostgreSQL server (apt-get install postgresql), or VAULTGRAPH_SKIP_POSTGRES=1',
    );
  mkdirSync(CLUSTER_SETTINGS, { recursive: true });
  writeFileSync(`${CLUSTER_SETTINGS}/createcluster.conf`, NO_CLUSTER);
  run('apt-get', 'update');
  run('apt-get', 'install', '--yes', '--no-install-recommends', 'postgresql');
}

function run(command: string, ...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
