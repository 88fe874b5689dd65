// Lists the doctor checks and runs each with its own providers, so that one fault does not hide another.

import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { foreignChanges, loggedChanges, refuseOtherVault, unfinishedChanges } from '../../app/closed-vault.ts';
import { loadProviders } from '../../app/load-providers.ts';
import { dialectOf, readConfigFrom } from '../../app/read-configs.ts';
import { NEVER } from '../../base/async/waits.ts';
import { commandLine } from '../../base/command-line.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { shownPath } from '../../base/local-path.ts';
import { createLog } from '../../base/log.ts';
import { currentDialect } from '../../base/note.ts';
import { errorOf } from '../../base/outcome.ts';
import { inDialect } from '../../base/threads/dialect.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Config } from '../../config/config.ts';
import { locateConfigFile } from '../../config/config-sources.ts';
import { indexFile } from '../../config/provider-sections.ts';
import { originOf } from '../../config/setting-rows.ts';
import type { Embedding } from '../../contracts/embedding.ts';
import { type LLMProvider, SAMPLE_REQUEST } from '../../contracts/llm.ts';
import { probeCall } from '../../contracts/provider-call.ts';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { Store } from '../../contracts/store.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { Writer } from '../../contracts/writer.ts';
import type { Loaded } from '../../lifecycle/loader.ts';
import { type CommonOptions, configFor } from '../common-options.ts';
import { thisMachine } from '../machine.ts';
import { localTime, report } from '../output.ts';
import { clientsFinding } from './clients.ts';
import { type Finding, failing, ok, SAMPLES, warning } from './finding.ts';
import { feedFinding, historyFinding } from './history.ts';
import { dataFolderFinding, nativeFinding, stateFolderFinding, watchesFinding } from './machine.ts';
import {
  embeddingFinding,
  modelFitFinding,
  noEmbedding,
  noRerank,
  providerFinding,
  rerankFinding,
  vectorsFinding,
  type Wording,
} from './models.ts';
import { foreignFinding, otherWritersFinding } from './other-writers.ts';
import { changesFinding, crashFinding, metricsFinding } from './record.ts';
import { unreadFinding } from './unread.ts';

export type Check = ReturnType<typeof doctorChecks>[number];

const TESTED_NODE = 24;
export function doctorChecks(options: CommonOptions) {
  const config = configFor(options);
  // Each check awaits the config; this keeps a rejection from counting as unhandled before the first check does.
  config.catch(() => undefined);
  const reading = (name: string, look: (config: Config) => Finding | Promise<Finding>) => ({
    name,
    run: async () => look(await config),
  });
  /** Opens only the named sections; the finding is `absent` if one of them is not in the config. */
  const opening = (name: string, sections: readonly (keyof Opened)[], look: Look, absent?: Finding) =>
    reading(name, (at) => withOpen(at, sections, look, absent));
  return [
    { name: 'node', run: async () => nodeFinding(process.versions.node) },
    { name: 'native modules', run: async () => nativeFinding() },
    reading('config', configFinding),
    reading('conflicts', (at) => conflictsFinding(at, options)),
    reading('data folder', (at) => dataFolderFinding(indexFolder(at))),
    reading('state folder', (at) => stateFolderFinding(at.stateFolder, isWritable(at))),
    opening('vault', ['vault'], ({ vault }, _, at) => vaultFinding(vault, at)),
    opening('other writers', ['writer'], async (_, loaded, at) => otherWritersFinding(loaded, at), NO_WRITER),
    reading('changes', async (at) => changesFinding(await unfinishedChanges(at), loggedChanges(at))),
    opening('changes of others', ['vault'], async ({ vault }, _, at) =>
      foreignFinding(at.vaultRoot, foreignChanges(at, await vault.list(NEVER))),
    ),
    opening('database server', ['store'], (_, loaded) => databaseServerFinding(loaded)),
    opening('store', ['store'], ({ store }) => storeFinding(store)),
    opening('index', ['vault', 'store'], (open, _, at) => indexFinding(open, at)),
    opening('feed', ['store'], (_, loaded) => feedFinding(loaded)),
    reading('history', historyFinding),
    opening('not read', ['vault'], ({ vault }) => unreadFinding(vault)),
    opening('watches', ['vault'], ({ vault }) => watchesFinding(vault)),
    reading('crashes', crashFinding),
    reading('metrics', metricsFinding),
    opening('properties', ['store'], ({ store }) => ignoredPropertiesFinding(store)),
    opening('quarantine', ['store'], ({ store }) => quarantineFinding(store)),
    opening('embedding', ['embedding'], (_, loaded) => embeddingFinding(loaded), noEmbedding),
    opening('vectors', ['store', 'embedding'], (open) => vectorsFinding(open.embedding, open.store), noEmbedding),
    opening('model fit', ['vault', 'store', 'embedding'], modelFitFinding, noEmbedding),
    opening('llm', ['llm'], (_, loaded) => llmFinding(loaded), noLLM),
    opening('rerank', ['rerank'], ({ rerank }, loaded) => rerankFinding(rerank, loaded), noRerank),
    { name: 'clients', run: async () => clientsFinding(thisMachine()) },
  ];
}

const NO_WRITER: Finding = ok('this server does not write to the vault');

function nodeFinding(version: string): Finding {
  if (Number(version.split('.')[0]) >= TESTED_NODE) return ok(version);
  return warning(`${version}; the tests run on Node ${TESTED_NODE}`, `Node ${TESTED_NODE} is the safest choice`);
}

function configFinding({ file, settings }: Config): Finding {
  return ok(
    `${file === null ? 'no file; flags, environment and defaults' : shownPath(file)}, ${settings.length} settings`,
  );
}

/** The folder of the index file: the vault's data folder, unless the config sets another path. */
function indexFolder({ dataFolder, sections }: Config): string {
  const path = indexFile(sections);
  return path === undefined ? dataFolder : dirname(path);
}

async function vaultFinding(vault: Vault, config: Config): Promise<Finding> {
  const { files, skipped, unreadableFolders } = await vault.list(NEVER);
  const { dialect, because } = await dialectOf(config);
  const { length: notes } = files.filter(({ kind }) => kind !== 'attachment');
  const { length: others } = files.filter(({ kind }) => kind === 'canvas' || kind === 'base');
  const kinds = others === 0 ? '' : ` (${others} of them canvases and bases)`;
  const summary = `${notes} notes${kinds}, ${files.length - notes} attachments, ${skipped.length} entries skipped`;
  const [unreadable] = unreadableFolders;
  if (unreadable !== undefined) {
    const which = `${unreadableFolders.length} folders cannot be listed, such as ${unreadable.path} (${unreadable.errno})`;
    return warning(
      `${summary}; ${which}`,
      `grant read permission on them, or exclude them with ${config.vaultKey}.exclude`,
    );
  }
  if (notes === 0 && vault.view === undefined)
    return warning('the folder has no notes', `check ${config.vaultKey}.path: is this the folder you mean?`);
  const [glob] = (await vault.view?.unmatched(NEVER)) ?? [];
  if (glob !== undefined)
    return warning(
      `${summary}; \`${glob.glob}\` in ${glob.key} matches no file`,
      glob.did_you_mean === undefined ? 'correct the glob, or remove it' : `did you mean \`${glob.did_you_mean}\`?`,
    );
  const [writeAccess] = await Promise.allSettled([access(config.vaultRoot, constants.W_OK)]);
  if (isWritable(config) && writeAccess.status === 'rejected')
    return failing(
      `${summary}; ${config.vaultKey}.access is read-write, but the folder is not writable`,
      `grant write permission on the folder, or set ${config.vaultKey}.access to read-only`,
    );
  const system = dialect === 'obsidian' ? '' : `; read as ${dialect}, by ${because}`;
  return ok(`${summary}, ${isWritable(config) ? 'read-write' : 'read-only'}${system}`);
}

const isWritable = (config: Config): boolean => config.vault.access === 'read-write';

async function storeFinding(store: Store): Promise<Finding> {
  const faults = await store.integrity(NEVER);
  if (faults.length === 0) return ok('the index file is sound');
  const hint = `\`${commandLine('doctor --rebuild-index')}\` moves it aside and builds a new one; the notes are not touched`;
  return failing(faults.slice(0, SAMPLES).join('; '), hint);
}

async function indexFinding({ vault, store }: Opened, config: Config): Promise<Finding> {
  const { notes, pending, scannedAt, links, unresolved } = await store.counts(NEVER);
  if (scannedAt === null)
    return warning('no index yet', `run \`${commandLine('index')}\`, or start the server, which builds it`);
  const refusal = await errorOf(refuseOtherVault(config, vault, store));
  if (refusal !== undefined) return failing(`[${refusal.code}] ${refusal.message}`, refusal.hint);
  const { total } = await store.listNotes({ excluded: 'only' }, 'name', 'asc', { limit: 0, offset: 0 }, NEVER);
  const excluded = total === 0 ? '' : `, ${total} excluded in Obsidian's settings`;
  const summary = `${notes} notes${excluded}, ${links} links, ${unresolved} unresolved, last scan ${localTime(scannedAt)}`;
  return pending === 0
    ? ok(summary)
    : warning(`${summary}; ${pending} notes are waiting`, `run \`${commandLine('index')}\``);
}

async function quarantineFinding(store: Store): Promise<Finding> {
  const { quarantined } = await store.counts(NEVER);
  if (quarantined === 0) return ok('all files were read completely');
  const rows = await store.quarantine({ limit: SAMPLES, offset: 0 }, NEVER);
  const samples = rows.map(({ path, code, reason }) => `${path} [${code}] ${reason}`).join('; ');
  return warning(
    `${quarantined} files were not read completely: ${samples}`,
    `fix what the reasons name; \`${commandLine('status')}\` lists them`,
  );
}

interface Opened {
  readonly vault: Vault;
  readonly writer: Writer;
  readonly store: Store;
  readonly embedding: Embedding;
  readonly llm: LLMProvider;
  readonly rerank: RerankProvider;
}

type Look = (open: Opened, loaded: Loaded, config: Config) => Finding | Promise<Finding>;

async function withOpen(
  config: Config,
  names: readonly (keyof Opened)[],
  look: Look,
  absent = failing(`no ${names.join(' and ')} in the config`, 'add the section to the config'),
): Promise<Finding> {
  const { dialect } = await dialectOf(config);
  return inDialect(dialect, async () => {
    const sections = config.sections.filter(({ provider }) => names.some((name) => name === provider.capability));
    if (sections.length < names.length) return absent;
    const log = createLog('error', report);
    // A check starts no job, so there is no hook that pulls a model.
    const hooks = { count: () => undefined, onAnswered: () => undefined, storedIdentity: async () => undefined };
    const loaded = await loadProviders({ ...config, sections }, { log, hooks });
    try {
      return await look(loaded.capabilities as unknown as Opened, loaded, config);
    } finally {
      await loaded.close();
    }
  });
}

const WORDING: Wording = {
  met: {
    reachable: 'reachable',
    model: 'model present and able to chat',
    answers: 'answers follow the JSON schema',
  },
  unmet: {
    reachable: 'not reachable',
    model: 'the model is missing or cannot chat',
    answers: 'answers do not follow the JSON schema',
  },
};

const noLLM: Finding = ok('not configured; providers.llm adds summarize_notes, ask_vault and others');

async function llmFinding({ capabilities, providers: [row] }: Loaded): Promise<Finding> {
  const { llm } = capabilities as { llm: LLMProvider };
  if (row === undefined) return noLLM;
  const configured = llm.contextTokens;
  const finding = await providerFinding(row, WORDING, async () => {
    await llm.warmUp(NEVER);
    await llm.generate(SAMPLE_REQUEST, probeCall(), NEVER);
  });
  if (finding.status !== 'ok' || llm.contextTokens >= configured) return finding;
  const hint = `load the model with a context of ${configured} tokens, or set providers.llm.context to ${llm.contextTokens}`;
  return warning(finding.detail, hint);
}

const INSPECT_LIMIT_MS = 20_000;
/** From the best to the worst. */
const ORDER = ['ok', 'warning', 'failing'] as const;

async function databaseServerFinding({ providers: [row] }: Loaded): Promise<Finding> {
  if (row?.inspect === undefined) return ok('not used: the index is a file');
  const inspected = await row.inspect(NEVER, INSPECT_LIMIT_MS);
  const detail = inspected.map((each) => each.detail).join('; ');
  const status = ORDER[Math.max(...inspected.map((each) => ORDER.indexOf(each.status)))] ?? 'ok';
  if (status === 'ok') return ok(detail);
  return { status, detail, hint: inspected.flatMap(({ hint }) => (hint === '' ? [] : [hint])).join('; ') };
}

const NOTES_AT_ONCE = 200;

async function ignoredPropertiesFinding(store: Store): Promise<Finding> {
  const paths = (await store.names(NEVER)).map(({ path }) => path);
  const rows: { path: string; notice: string }[] = [];
  for (let at = 0; at < paths.length; at += NOTES_AT_ONCE) {
    const records = await store.notes(paths.slice(at, at + NOTES_AT_ONCE), NEVER);
    for (const { path, notices } of records) if (notices[0] !== undefined) rows.push({ path, notice: notices[0] });
    await letOthersRun();
  }
  const isOfObsidian = currentDialect() === 'obsidian';
  if (rows.length === 0)
    return ok(
      isOfObsidian
        ? 'Obsidian reads the tags, aliases and CSS classes of all indexed notes'
        : 'the tags and aliases of all indexed notes are read',
    );
  const samples = rows.slice(0, SAMPLES).map(({ path, notice }) => `${path} (${notice.replace(/\.$/, '')})`);
  const more = rows.length > SAMPLES ? `; and ${rows.length - SAMPLES} more` : '';
  const shown = `${samples.join('; ')}${more}`;
  if (!isOfObsidian)
    return ok(
      `${rows.length} notes have tags or aliases that are read as text only, where searches find them: ${shown}`,
    );
  return warning(
    `${rows.length} notes have properties that Obsidian ignores: ${shown}`,
    'correct them in Obsidian, or let an assistant do it with set_properties; read_notes shows the notice of each note',
  );
}

// Doctor check for environment variables that contradict the config file.

type Environment = Readonly<Record<string, string | undefined>>;

/** Desktop clients are not started from a shell: if a variable decides, they use another value than the command line. */
export async function conflictsFinding(
  config: Config,
  { config: file }: CommonOptions,
  env: Environment = process.env,
): Promise<Finding> {
  if (originOf(config, 'config') === '$VAULTGRAPH_CONFIG') return twoFiles(config, env);
  if (originOf(config, 'vault.path') === '$OBSIDIAN_VAULT_PATH') return twoVaults(config, file, env);
  return ok('no environment variable overrides the config file');
}

function twoFiles({ file }: Config, env: Environment): Finding {
  const usual = locateConfigFile({ ...sources(env, 'VAULTGRAPH_CONFIG'), flags: {} }).path;
  if (!existsSync(usual)) return ok('$VAULTGRAPH_CONFIG names the one config file there is');
  return warning(
    `$VAULTGRAPH_CONFIG names ${file}, and ${usual} is there too: a client that does not have the variable takes that one`,
    `\`${commandLine('install --client NAME')}\` writes the file that is meant into the settings; or remove the other`,
  );
}

async function twoVaults(config: Config, file: string | undefined, env: Environment): Promise<Finding> {
  const flags = file === undefined ? {} : { config: file };
  const [without] = await Promise.allSettled([readConfigFrom({ ...sources(env, 'OBSIDIAN_VAULT_PATH'), flags })]);
  if (without.status === 'fulfilled' && without.value.vaultRoot !== config.vaultRoot)
    return warning(
      `$OBSIDIAN_VAULT_PATH leads to ${config.vaultRoot}, the config file to ${without.value.vaultRoot}: a client that does not have the variable takes that one`,
      'unset the variable, or name the same folder in both',
    );
  const isSilent = without.status === 'fulfilled' || isMissing(without.reason);
  return isSilent ? ok('$OBSIDIAN_VAULT_PATH names the vault') : unreadable(without.reason);
}

const isMissing = (reason: unknown): boolean => reason instanceof VaultgraphError && reason.code === 'CONFIG_MISSING';

function unreadable(reason: unknown): Finding {
  const said = reason instanceof VaultgraphError ? reason.message : 'it cannot be read';
  return warning(
    `without $OBSIDIAN_VAULT_PATH the config would not do: ${said}`,
    'correct vault.path in the config file',
  );
}

/** The sources of a process without that variable. */
function sources(env: Environment, without: string) {
  const { [without]: _gone, ...rest } = env;
  return { env: rest, platform: process.platform, home: homedir(), cwd: process.cwd() };
}
