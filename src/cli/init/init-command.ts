// `vaultgraph init`: finds the vault and local models and writes a first config.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { VaultgraphError } from '../../base/errors.ts';
import { createLog } from '../../base/log.ts';
import { installedModels, openGraphCore } from '../../graph-core.ts';
import { absolutePath, locateConfigFile } from '../../lifecycle/config/config-sources.ts';
import { type CommonOptions, configFor } from '../common-options.ts';
import { EXIT } from '../exit-code.ts';
import { thisMachine } from '../machine.ts';
import { chooseModels, type Installed } from './choose-models.ts';
import { type Chosen, configText } from './config-text.ts';
import { initText } from './init-text.ts';
import { obsidianVaults } from './obsidian-vaults.ts';
import { askPerson, type Questions } from './questions.ts';

export interface InitOptions extends CommonOptions {
  /** Skips the questions and picks the safe options. */
  readonly yes?: boolean;
  readonly access?: 'read-only' | 'read-write';
  /** A model name, or `none`. */
  readonly embedding?: string;
  readonly llm?: string;
  /** Address of the server whose models are listed. */
  readonly endpoint: string;
}

/** A running server lists its models from memory, so a longer wait is pointless. */
const LOOK_MS = 2_000;
const OWNER_ONLY = 0o600;

/** @throws CONFIG_INVALID if a config exists; CONFIG_MISSING, VAULT_AMBIGUOUS if no single vault is found and questions are off */
export async function runInit(options: InitOptions): Promise<number> {
  const file = freeConfigFile(options);
  const isAsking = options.yes !== true && process.stdin.isTTY === true && options.json !== true;
  const person = isAsking ? askPerson(process.stdin, process.stderr) : undefined;
  try {
    const vault = await chooseVault(options, person);
    const access = options.access ?? (await chooseAccess(person));
    const installed = await lookForModels(options);
    const models = await chooseModels(options, installed, person);
    return await writeConfig(file, { vault, access, ...models }, options, installed);
  } finally {
    person?.close();
  }
}

function freeConfigFile({ config }: InitOptions): string {
  const flags = config === undefined ? {} : { config };
  const { path } = locateConfigFile({ flags, ...thisMachine(), cwd: process.cwd() });
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return path;
  const what = 'a config already exists here; it was not changed. Edit it, or pass --config FILE for a new one';
  throw new VaultgraphError('CONFIG_INVALID', { faults: [{ file: path, what }] });
}

async function chooseVault({ vault }: InitOptions, person: Questions | undefined): Promise<string> {
  const named = vault ?? process.env.OBSIDIAN_VAULT_PATH;
  if (named) return existing(named);
  const found = obsidianVaults(thisMachine()).map(({ path }) => path);
  const [only, second] = found;
  if (only === undefined) return existing(await namedBy(person));
  if (second === undefined) return only;
  if (person === undefined) throw ambiguous(found);
  return found[await person.choose('Which vault?', found)] ?? only;
}

/** Asks again after a wrong path; an empty line gives up. */
async function namedBy(person: Questions | undefined): Promise<string> {
  let question = 'No Obsidian vault was found. Which folder has your notes?';
  for (;;) {
    const path = (await person?.text(question)) ?? '';
    if (path === '') throw nothingNamed();
    if (isFolder(path)) return path;
    question = `${path} is not a folder. Which folder has your notes?`;
  }
}

function nothingNamed(): VaultgraphError {
  return new VaultgraphError('CONFIG_MISSING', {
    key: 'vault.path',
    looked_in: ['--vault', '$OBSIDIAN_VAULT_PATH', "Obsidian's list of vaults"],
  });
}

const isFolder = (named: string): boolean =>
  statSync(absolutePath(named, process.cwd(), homedir()), { throwIfNoEntry: false })?.isDirectory() === true;

/** @throws VAULT_NOT_FOUND */
function existing(named: string): string {
  const path = absolutePath(named, process.cwd(), homedir());
  if (isFolder(path)) return path;
  throw new VaultgraphError('VAULT_NOT_FOUND', { path: named });
}

function ambiguous(found: readonly string[]): VaultgraphError {
  const items = found.slice(0, 10).map((path) => ({ value: path }));
  return new VaultgraphError(
    'VAULT_AMBIGUOUS',
    { count: found.length },
    {
      choices: { items, total: found.length, retryWith: '--vault' },
    },
  );
}

async function chooseAccess(person: Questions | undefined): Promise<Chosen['access']> {
  const isWritable = await person?.agree('May the assistant edit notes? Each change can be undone.', false);
  return isWritable === true ? 'read-write' : 'read-only';
}

/** Undefined if no server answers. */
async function lookForModels({ endpoint, embedding, llm }: InitOptions): Promise<Installed | undefined> {
  if (embedding === 'none' && llm === 'none') return undefined;
  return installedModels(endpoint, AbortSignal.timeout(LOOK_MS));
}

/** Deletes the new config again if the server cannot start with it. */
async function writeConfig(
  file: string,
  chosen: Chosen,
  options: InitOptions,
  installed: Installed | undefined,
): Promise<number> {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, configText(chosen), { flag: 'wx', mode: OWNER_ONLY });
  const enabled = await enabledBy({ ...options, config: file }).catch((thrown: unknown) => {
    rmSync(file);
    throw thrown;
  });
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ config: resolve(file), ...chosen, ...enabled })}\n`
      : initText({ file, chosen, ...enabled, installed, isNamed: options.config !== undefined }),
  );
  return EXIT.done;
}

interface Enabled {
  readonly tools: readonly string[];
  /** Number of notes in the folder. */
  readonly notes: number;
}

/** The tools and notes of a server with this config, found by opening it once. */
async function enabledBy({ config, dataDir }: CommonOptions): Promise<Enabled> {
  const flags = { ...(config === undefined ? {} : { config }), ...(dataDir === undefined ? {} : { dataDir }) };
  const log = createLog('error', (line) => process.stderr.write(line));
  const core = await openGraphCore(await configFor(flags), log);
  try {
    const { files } = await core.vault.list(new AbortController().signal);
    return { tools: [...core.exposed.tools.keys()], notes: files.filter(({ kind }) => kind === 'note').length };
  } finally {
    await core.close();
  }
}
