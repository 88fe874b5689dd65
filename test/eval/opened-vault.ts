// Opens a vault folder with the real core, indexed and embedded, and calls tools as a client does. Writes nothing into the folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GraphCore, openGraphCore } from '../../src/app/graph-core.ts';
import { readConfigFrom } from '../../src/app/read-configs.ts';
import { bringUpToDate, embeddingEnded } from '../../src/cli/bring-up-to-date.ts';
import type { Manner } from '../../src/cli/screen/show-progress.ts';

export interface OpenedVault {
  readonly core: GraphCore;
  /** Whether notes and queries are embedded. */
  readonly hasVectors: boolean;
  /** The data of a tool's answer; undefined if the query or the note was refused. @throws Error for any other failure */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as its client does, without types.
  readonly ask: (tool: string, input: object) => Promise<any>;
}

/** @param config a file with `providers.embedding`; without it nothing is embedded, whatever the user's own config says */
export async function withVault<T>(
  folder: string,
  config: string | undefined,
  manner: Manner,
  work: (vault: OpenedVault) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-eval-'));
  const core = await openGraphCore(await configFor(folder, config, home), () => undefined);
  try {
    await core.ready;
    await bringUpToDate(core.indexer, { kind: 'catch_up' }, manner);
    const embedded = await embeddingEnded(core.indexer, manner);
    if (embedded?.error !== undefined) throw embedded.error;
    return await work({
      core,
      hasVectors: core.exposed.tools.has('search'),
      ask: (...requested) => ask(core, ...requested),
    });
  } finally {
    await core.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Secrets in the file may come from the environment; variables that name configs and vaults are removed. */
function configFor(vault: string, config: string | undefined, home: string) {
  const named = /^(?:VAULTGRAPH_|OBSIDIAN_|XDG_|APPDATA$|LOCALAPPDATA$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !named.test(name)));
  const flags = { vault, dataDir: join(home, 'data'), ...(config === undefined ? {} : { config }) };
  return readConfigFrom({ flags, env, platform: process.platform, home, cwd: process.cwd() });
}

/** What a text can be refused for, beside every failure of the model. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_INPUT', 'INVALID_QUERY', 'INDEX_EMPTY']);

async function ask(core: GraphCore, tool: string, input: object): Promise<unknown> {
  const caller = { signal: new AbortController().signal, limitMs: Number.POSITIVE_INFINITY, client: 'evaluation' };
  const { structured } = await core.call(tool, input, caller);
  if (!structured.ok && (structured.error.category === 'provider' || REFUSALS.has(structured.error.code)))
    return undefined;
  if (!structured.ok) throw new Error(`${tool} ${JSON.stringify(input)}: ${JSON.stringify(structured)}`);
  return structured.data;
}
