// Measures the memory of a server of two vaults: with one of them open, and what the other one adds.
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchSetting, newFolder } from './bench-setting.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { memoryOf } from './processes.ts';
import { jobEnded } from './product-session.ts';

const VAULTS = ['first', 'second'] as const;

/** The second vault is a copy of the first one. Both are indexed by an earlier process. */
export async function twoVaults(setting: BenchSetting): Promise<{ vault_first: number; vault_second: number }> {
  const folder = mkdtempSync(join(setting.workFolder, 'several-'));
  const copy = join(folder, 'copy');
  cpSync(setting.vault.folder, copy, { recursive: true });
  const config = join(folder, 'config.yaml');
  const paths = { first: { path: setting.vault.folder }, second: { path: copy } };
  writeFileSync(config, JSON.stringify({ vaults: paths }));
  const args = [setting.program, 'serve', '--config', config, '--data-dir', newFolder(setting, 'several-index')];
  const open = (): Promise<McpSession> => openMcpSession(args, setting.workFolder);
  await within(await open(), async (session) => {
    for (const vault of VAULTS) {
      const { data } = await session.call('reindex', { vault });
      await jobEnded(inVault(session, vault), (data as { job_id: string }).job_id, setting);
    }
  });
  return within(await open(), async (session) => {
    const [first = 0, second = 0] = [await memoryWith('first'), await memoryWith('second')];
    return { vault_first: first, vault_second: second - first };

    async function memoryWith(vault: string): Promise<number> {
      await session.call('search_text', { query: 'the harbour', vault });
      await session.call('get_hubs', { metric: 'pagerank', vault });
      return memoryOf(session.processId).now;
    }
  });
}

/** Its calls are about that vault. */
function inVault(session: McpSession, vault: string): McpSession {
  return { ...session, call: (tool, given) => session.call(tool, { ...given, vault }) };
}

async function within<Result>(session: McpSession, use: (session: McpSession) => Promise<Result>): Promise<Result> {
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}
