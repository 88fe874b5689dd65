// `vaultgraph init`: finds the vault and local models, writes a first config and builds the index.
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { openGraphCore } from '../../app/graph-core.ts';
import { areNotesEnglish, installedModels } from '../../app/load-providers.ts';
import { NEVER } from '../../base/async/waits.ts';
import { removeLeftoversSync, replaceFile } from '../../base/atomic-write.ts';
import { programName, shellWord } from '../../base/command-line.ts';
import { plural, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { realPathOf } from '../../base/local-path.ts';
import { createLog } from '../../base/log.ts';
import { makeFolderDurably } from '../../base/make-folder.ts';
import { faultAt } from '../../base/system/presence.ts';
import { oneLine } from '../../base/visible-controls.ts';
import { RESERVED_NAMES } from '../../config/config.ts';
import { absolutePath, type ConfigFile, locateConfigFile } from '../../config/config-sources.ts';
import { type CommonOptions, configFor, configsFor } from '../common-options.ts';
import { exitCodeOf } from '../exit-code.ts';
import { indexAndEmbed } from '../index-command.ts';
import { CLIENTS, clientsHere } from '../install/clients.ts';
import { thisMachine, type Workplace } from '../machine.ts';
import { addModel } from '../models/add-model.ts';
import { catalogueModel, offeredModel } from '../models/catalogue.ts';
import { print, printJson, report, writeFailure } from '../output.ts';
import { outputPath } from '../output-place.ts';
import { failureJson, reportFailure } from '../perform.ts';
import { usageError } from '../usage.ts';
import { type Done, withCore } from '../with-core.ts';
import {
  type Chosen,
  type ChosenModel,
  chooseModels,
  configText,
  type Installed,
  type NamedVault,
  USUAL,
} from './first-config.ts';
import { obsidianVaults } from './obsidian-vaults.ts';
import { askPerson, type Questions } from './questions.ts';

export interface InitOptions extends CommonOptions {
  /** Skips the questions and picks the safe options. */
  readonly yes?: boolean;
  /** Serves every vault that Obsidian lists. */
  readonly all?: boolean;
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
  const { path: file, rawPath } = freeConfigFile(options);
  const isAsking = options.yes !== true && process.stdin.isTTY === true && options.json !== true;
  const person = isAsking ? askPerson(process.stdin) : undefined;
  try {
    const chosen = options.all === true ? allVaults(options) : await chooseVaults(options, person);
    const access = options.access ?? (await chooseAccess(person));
    await refuseInVaults(rawPath.startsWith('~') ? file : rawPath, chosen, access);
    const installed = await lookForModels(options);
    const models = await chooseModels(options, installed, person);
    const staticModel = installed === undefined ? await chooseStaticModel(chosen.vault, options, person) : undefined;
    return await writeConfig(file, { ...chosen, access, ...models }, options, installed, staticModel);
  } finally {
    person?.close();
  }
}

/** @throws INVALID_INPUT */
async function refuseInVaults(config: string, { vault, vaults }: ChosenVaults, access: Chosen['access']) {
  const folders = vaults?.map(({ path }) => path) ?? [vault];
  const places = await Promise.all(folders.map(async (path) => ({ root: await realPathOf(path), access })));
  await outputPath({ command: 'init', path: config, accepted: ['--config', '--access'] }, places);
}

function freeConfigFile({ config }: InitOptions): ConfigFile {
  const flags = config === undefined ? {} : { config };
  const located = locateConfigFile({ flags, ...thisMachine(), cwd: process.cwd() });
  const { path } = located;
  const errno = faultAt(path);
  if (errno === 'ENOENT') return located;
  if (errno !== undefined)
    throw new VaultgraphError('CONFIG_INVALID', {
      faults: [{ file: path, what: `it cannot be looked at (${errno})` }],
    });
  removeLeftoversSync(path);
  const faults = [{ file: path, what: 'a config already exists here; it was not changed' }];
  throw new VaultgraphError('CONFIG_INVALID', { faults, advice: 'Edit it, or pass --config FILE for a new one.' });
}

async function chooseVaults({ vault }: InitOptions, person: Questions | undefined): Promise<ChosenVaults> {
  const named = vault ?? process.env.OBSIDIAN_VAULT_PATH;
  if (named) return { vault: existing(named) };
  const folders = obsidianVaults(thisMachine()).map(({ path }) => path);
  const [only, second] = folders;
  if (only === undefined) return { vault: existing(await namedBy(person)) };
  if (second === undefined) return { vault: only };
  if (person === undefined) throw ambiguous(folders);
  const answer = await person.choose('Which vault?', [...folders, 'all of them']);
  return answer === folders.length ? namedVaults(folders) : { vault: folders[answer] ?? only };
}

type ChosenVaults = Pick<Chosen, 'vault' | 'vaults'>;

/** @throws CONFIG_MISSING if Obsidian lists none; INVALID_INPUT with `--vault`, which names one */
function allVaults({ vault }: InitOptions): ChosenVaults {
  if (vault !== undefined) {
    throw usageError({ command: 'init', rule: '--all and --vault do not go together', accepted: ['--all', '--vault'] });
  }
  const folders = obsidianVaults(thisMachine()).map(({ path }) => path);
  if (folders.length === 0) throw nothingNamed();
  return namedVaults(folders);
}

/** Each under the name of its folder, in letters that a name may have. */
function namedVaults(paths: readonly [string, ...string[]] | readonly string[]): ChosenVaults {
  const vaults: NamedVault[] = [];
  for (const path of paths) {
    const plain = basename(path)
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^[-0-9]+|-+$/g, '');
    const name = plain.length < 2 || RESERVED_NAMES.includes(plain) ? `${plain}vault` : plain.slice(0, MAX_NAME_LENGTH);
    const isTaken = (one: string): boolean => vaults.some((other) => other.name === one);
    let free = name;
    for (let number = 2; isTaken(free); number += 1) free = `${name}-${number}`;
    vaults.push({ name: free, path });
  }
  return { vault: paths[0] ?? '', ...(vaults.length > 1 && { vaults }) };
}

/** Leaves room for a number. */
const MAX_NAME_LENGTH = 28;

/** Asks again after a wrong path; an empty line gives up. */
async function namedBy(person: Questions | undefined): Promise<string> {
  let question = 'No Obsidian vault was found. Which folder has your notes?';
  for (;;) {
    const path = (await person?.text(question)) ?? '';
    if (path === '') throw nothingNamed();
    const fault = folderFault(absolutePath(path, process.cwd(), homedir()));
    if (fault === undefined) return path;
    question = `${path} ${NO_FOLDER.includes(fault) ? 'is not a folder' : `cannot be looked at (${fault})`}. Which folder has your notes?`;
  }
}

function nothingNamed(): VaultgraphError {
  return new VaultgraphError('CONFIG_MISSING', {
    key: 'vault.path',
    looked_in: ['--vault', '$OBSIDIAN_VAULT_PATH', "Obsidian's list of vaults"],
    is_init: true,
  });
}

const NO_FOLDER: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** Why notes cannot be in it; undefined for a folder. */
const folderFault = (path: string): string | undefined =>
  faultAt(path) ?? (statSync(path).isDirectory() ? undefined : 'ENOTDIR');

/** @throws VAULT_NOT_FOUND; VAULT_UNAVAILABLE if the system does not let us look */
function existing(named: string): string {
  const path = absolutePath(named, process.cwd(), homedir());
  const errno = folderFault(path);
  if (errno === undefined) return path;
  if (!NO_FOLDER.includes(errno)) throw new VaultgraphError('VAULT_UNAVAILABLE', { errno });
  throw new VaultgraphError('VAULT_NOT_FOUND', { path: named });
}

function ambiguous(folders: readonly string[]): VaultgraphError {
  const items = folders.slice(0, 10).map((path) => ({ value: path }));
  return new VaultgraphError(
    'VAULT_AMBIGUOUS',
    { count: folders.length },
    {
      choices: { items, total: folders.length, retryWith: '--vault' },
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

interface WantedModel {
  readonly name: string;
  /** Answers the questions about its download. */
  readonly person: Questions;
}

/** Offered where no server answers. The hub is named, and agreed to, before it is contacted. @returns undefined if none is wanted */
async function chooseStaticModel(
  vault: string,
  { embedding }: InitOptions,
  person: Questions | undefined,
): Promise<WantedModel | undefined> {
  if (person === undefined || embedding !== undefined) return undefined;
  const english = areNotesEnglish(vault) ?? true;
  const name = offeredModel(english, process.availableMemory() / MIB);
  const { disk, memory, languages } = catalogueModel(name);
  const cost = `it is downloaded (${disk}${memory === undefined ? '' : `; ${memory} of memory`}) and needs no server`;
  const why = english ? '' : 'Your notes are not all in English. ';
  const question = `Ollama does not answer. ${why}Install ${name} (${languages}) for search by meaning? It fits the notes and the free memory; ${cost}.`;
  return (await person.agree(question, false)) ? { name, person } : undefined;
}

const MIB = 1024 * 1024;

/** Undefined if the user declined or it failed, which is reported: the config is of use without it. */
async function installStaticModel(options: CommonOptions, { name, person }: WantedModel): Promise<string | undefined> {
  try {
    return (await addModel(name, options, person))?.model.name;
  } catch (thrown) {
    reportFailure(toVaultgraphError(thrown), false);
    return undefined;
  }
}

/**
 * Deletes the new config again if the server cannot start with it.
 * @param model undefined if no static model is
 */
async function writeConfig(
  file: string,
  chosen: Chosen,
  options: InitOptions,
  installed: Installed | undefined,
  model: WantedModel | undefined,
) {
  await writeNew(file, configText(chosen, installed));
  const { vault: _vault, ...others } = options;
  const answer = { ...others, config: file };
  const staticModel = model && (await installStaticModel(answer, model));
  const enabled = await enabledIn(answer, chosen).catch(async (thrown: unknown) => {
    // The reason why the server cannot start says more than that the disk keeps the config.
    await Promise.allSettled([rm(file)]);
    throw thrown;
  });
  const isNamed = options.config !== undefined;
  if (!options.json) print(writtenText({ file, chosen, ...enabled, installed, isNamed, staticModel }));
  const { exit, json, text } = await firstIndexes(answer, chosen);
  if (options.json) printJson({ config: resolve(file), ...chosen, ...enabled, index: json });
  else print(`${text}${nextStepsText({ file, isNamed })}`);
  return exit;
}

/** @throws FILE_WRITE_FAILED */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await makeFolderDurably(dirname(resolve(file)));
    await replaceFile(file, text, { mode: OWNER_ONLY, flush: true, isNew: true });
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

async function firstIndexes(options: CommonOptions, { vaults }: Chosen): Promise<Done> {
  if (vaults === undefined) return firstIndex(options);
  const all: Done[] = [];
  for (const { name } of vaults) {
    const done = await firstIndex({ ...options, vault: name });
    all.push({ ...done, json: { vault: name, ...done.json }, text: `${name}: ${done.text}` });
  }
  const exit = Math.max(...all.map((done) => done.exit));
  return { exit, json: all.map(({ json }) => json), text: all.map(({ text }) => text).join('') };
}

/** The config is of use without an index, so a failure to build one is reported and does not end the command. */
async function firstIndex(options: CommonOptions): Promise<Done> {
  try {
    return await withCore(options, (core) => indexAndEmbed(core, options));
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    reportFailure(error, false);
    return { exit: exitCodeOf(error), json: failureJson(error), text: '' };
  }
}

/** Counts all the vaults together. */
async function enabledIn(options: CommonOptions, { vaults }: Chosen) {
  if (vaults === undefined) return enabledBy(options);
  // Also whether they go together: two of them may overlap.
  await configsFor(options);
  const tools = new Set<string>();
  let notes = 0;
  for (const { name } of vaults) {
    const enabled = await enabledBy({ ...options, vault: name });
    for (const tool of enabled.tools) tools.add(tool);
    notes += enabled.notes;
  }
  return { tools: [...tools], notes };
}

/**
 * The tools and notes of a server with this config, found by opening it once.
 * `notes`: number of notes, canvases and bases in the folder.
 */
async function enabledBy(options: CommonOptions) {
  const log = createLog('error', report);
  const core = await openGraphCore(await configFor(options), log);
  try {
    const { files } = await core.vault.list(NEVER);
    return { tools: [...core.exposed.tools.keys()], notes: files.filter(({ kind }) => kind !== 'attachment').length };
  } finally {
    await core.close();
  }
}

interface Written {
  readonly file: string;
  readonly chosen: Chosen;
  readonly tools: readonly string[];
  readonly notes: number;
  /** Undefined if no model server answers. */
  readonly installed: Installed | undefined;
  /** Whether the user named the config file, so that commands must name it too. */
  readonly isNamed: boolean;
  /** The model that `init` installed. */
  readonly staticModel?: string | undefined;
}

export function writtenText(config: Written): string {
  const { file, chosen, tools, notes } = config;
  const { vault, vaults = [], access } = chosen;
  return [
    `Wrote ${file}`,
    ...(vaults.length === 0
      ? [`  vault      ${vault} (${access}), ${plural(notes, 'note')}`]
      : [
          ...vaults.map(({ name, path }, at) => `  ${at === 0 ? 'vaults' : '      '}     ${name}: ${path} (${access})`),
          `  notes      ${notes}`,
        ]),
    `  embedding  ${modelText('embedding', config)}`,
    `  llm        ${modelText('llm', config)}`,
    `  tools      ${tools.join(', ')}`,
    ...(notes === 0 ? [`The folder has no notes: is it the right one? It is vault.path in ${file}.`] : []),
    '',
  ]
    .map(oneLine)
    .join('\n');
}

const instead = (): string => `; \`${programName()} models\` lists models that need no server`;

function modelText(capability: keyof Installed, { file, chosen, installed, staticModel }: Written): string {
  if (capability === 'embedding' && staticModel !== undefined) return `${staticModel}, inside vaultgraph`;
  const model: ChosenModel | undefined = chosen[capability];
  if (model !== undefined) return `${model.model} at ${model.endpoint}`;
  if (installed === undefined) return `off (Ollama does not answer${capability === 'embedding' ? instead() : ''})`;
  const models = installed[capability];
  if (models.length === 0) return `off (\`ollama pull ${USUAL[capability]}\` gets a model for it)`;
  return `off (installed: ${models.join(', ')}; to use one, uncomment providers.${capability} in ${file})`;
}

/** One command per installed client, ready to paste. */
export function nextStepsText(
  { file, isNamed }: Pick<Written, 'file' | 'isNamed'>,
  machine: Workplace = thisMachine(),
): string {
  const called = programName();
  const config = isNamed ? ` --config ${shellWord(file)}` : '';
  const install = (client: string): string => `  ${called} install --client ${client}${config}`;
  const here = clientsHere(machine);
  const others = CLIENTS.map(({ name }) => name).join(', ');
  return [
    here.length === 0 ? `Next, for your client (${others}):` : 'Next, for each client that should use it:',
    ...(here.length === 0 ? [install('NAME')] : here.map(({ name }) => install(name))),
    `If something does not work: ${called} doctor${config}`,
    '',
  ].join('\n');
}
