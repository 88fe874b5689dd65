// The commands that write files, each with a failing disk in mind.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphCore } from '../../src/app/graph-core.ts';
import { NEVER } from '../../src/base/async/waits.ts';
import { currentIndex } from '../../src/cli/bring-up-to-date.ts';
import { runDoctor } from '../../src/cli/doctor/doctor-command.ts';
import { exportSite, type SiteSummary } from '../../src/cli/export/export-site.ts';
import { runInit } from '../../src/cli/init/init-command.ts';
import { runInstall, runUninstall } from '../../src/cli/install/install-command.ts';
import { createPageAnswers } from '../../src/cli/view/page-answers.ts';
import { runView } from '../../src/cli/view/view-command.ts';
import { withCore } from '../../src/cli/with-core.ts';
import type { Work } from './faulted-files.ts';

const NOTES: Readonly<Record<string, string>> = {
  'Harbour.md': '---\npublish: true\n---\n# Harbour\n\nThe old quay, see [[Ship]]. ![[quay.png]]\n',
  'Ship.md': '---\npublish: true\n---\nSails from [[Harbour]].\n',
  'quay.png': 'a picture',
};

function preparedVault(root: string) {
  const vault = join(root, 'notes');
  mkdirSync(vault);
  for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(vault, name), text);
  return { vault, dataDir: join(root, 'data'), stateDir: join(root, 'state'), json: true, quiet: true } as const;
}

function preparedConfig(root: string) {
  const { vault, ...others } = preparedVault(root);
  const config = join(root, 'config.yaml');
  writeFileSync(config, `vault:\n  path: ${vault}\n`);
  return { ...others, config };
}

/** Everything but what is made again by the next command: an index, a log. */
const withoutIndex = (path: string, text: string): string | undefined =>
  /^(?:data|state)\//.test(path) ? undefined : text;

const withoutMarks = (path: string, text: string): string | undefined =>
  /\.bak$|\.vaultgraph-folder$/.test(path) ? undefined : withoutIndex(path, text);

async function keepLayout(core: GraphCore, options: { readonly quiet: boolean }): Promise<unknown> {
  await currentIndex(core.indexer, options);
  const { notes, revision } = await core.picture(NEVER);
  const places = JSON.stringify(notes.flatMap(() => [1, 2, 0]));
  const query = new URLSearchParams({ revision: String(revision) });
  return createPageAnswers(core).keepPlaces(query, places, NEVER);
}

export const COMMANDS: readonly Work[] = [
  {
    title: 'init',
    isDurable: true,
    prepare: (root) => {
      const options = preparedVault(root);
      const config = join(root, 'own/folder/config.yaml');
      return () => runInit({ ...options, config, yes: true, embedding: 'none', llm: 'none', endpoint: '' });
    },
    shown: withoutIndex,
    isRefusedTwice: true,
    part: 0.02,
  },
  {
    title: 'install',
    isDurable: true,
    prepare: (root) => {
      const options = preparedConfig(root);
      return () => runInstall({ ...options, client: 'cursor', file: join(root, 'own/mcp.json'), name: 'vaultgraph' });
    },
    shown: withoutMarks,
  },
  {
    title: 'uninstall',
    isDurable: true,
    prepare: async (root) => {
      const options = { ...preparedConfig(root), client: 'cursor', file: join(root, 'own/mcp.json') };
      await runInstall({ ...options, name: 'vaultgraph' });
      return () => runUninstall({ ...options, name: 'vaultgraph' });
    },
    shown: withoutMarks,
  },
  {
    title: 'view --export',
    prepare: (root) => {
      const options = preparedConfig(root);
      return () => runView({ ...options, port: 0, export: join(root, 'graph.json') });
    },
    shown: withoutIndex,
    isRefusedTwice: true,
    part: 0.02,
  },
  {
    title: 'the layout of the page is kept',
    prepare: (root) => {
      const options = preparedConfig(root);
      return () => withCore(options, (core) => keepLayout(core, options));
    },
    shown: withoutIndex,
    part: 0.01,
  },
  {
    title: 'export --format site',
    prepare: (root) => {
      const options = preparedConfig(root);
      // What a failing disk does not let us remove needs it, as the refusal says.
      let force = false;
      return () =>
        withCore(options, async (core) => {
          await currentIndex(core.indexer, options);
          const site = { out: join(root, 'site'), force };
          force = true;
          return exportSite(core, site, { read: async () => 'body {}' });
        });
    },
    isPart: (summary) => (summary as SiteSummary).missing > 0,
    shown: withoutIndex,
    part: 0.02,
  },
  {
    title: 'doctor --rebuild-index',
    prepare: async (root) => {
      const options = preparedConfig(root);
      await runDoctor({ ...options, rebuildIndex: true });
      return () => runDoctor({ ...options, rebuildIndex: true });
    },
    shown: withoutIndex,
    part: 0.005,
  },
];
