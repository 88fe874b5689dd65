// Installs a model and names it in the config. Contacts no host before the user agreed to it.
import { digestOfModel, type InstalledFile, type ModelRecord } from '../../app/load-providers.ts';
import { NEVER } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { onInterrupt } from '../../base/system/process.ts';
import { isThisMachine } from '../../base/this-machine.ts';
import type { Config } from '../../config/config.ts';
import { type CommonOptions, configsFor } from '../common-options.ts';
import type { Questions } from '../init/questions.ts';
import { report } from '../output.ts';
import { showProgress } from '../screen/show-progress.ts';
import { usageError } from '../usage.ts';
import { CATALOGUE, catalogueModel, DEFAULT_HUB, howToGet, isInt8, MODEL_NAMES } from './catalogue.ts';
import {
  copyModel,
  type DownloadPlan,
  download,
  planDownload,
  type Source,
  sourceFolder,
  storeTable,
} from './fetch-model.ts';
import { type HubPlace, hostOf } from './hub.ts';
import { checkEditable, configFile, useModel } from './model-config.ts';
import {
  checkStaged,
  folderOf,
  isModelName,
  modelsFolder,
  placeModel,
  recordOf,
  removeFolder,
  restoreModel,
  stagingFolder,
} from './model-folders.ts';
import { type Added, planText } from './models-text.ts';
import { installRuntime, isRuntimeInstalled, RUNTIME_QUESTION } from './runtime.ts';

export interface ModelsOptions extends CommonOptions {
  readonly revision?: string;
  readonly sha256?: string;
  readonly from?: string;
  /** A folder or a tarball with the library that runs a transformer. */
  readonly runtime?: string;
  readonly hub?: string;
  readonly yes?: boolean;
  readonly replace?: boolean;
}

/** Undefined if the user declined. @throws INVALID_INPUT, CONFIG_*, DOWNLOAD_*, MODEL_INVALID, FILE_WRITE_FAILED */
export async function addModel(
  name: string,
  options: ModelsOptions,
  person: Questions | undefined,
): Promise<Added | undefined> {
  checkOptions(name, options);
  const configs = await configsFor(options);
  const config = 'one' in configs ? configs.one : (configs.several[0]?.config as Config);
  const models = modelsFolder(options);
  const folder = folderOf(models, name);
  const file = configFile(options);
  await restoreModel(models, name);
  const before = reusable(await intact(recordOf(models, name), folder), options);
  const source = options.from === undefined ? undefined : await sourceFolder(name, options.from);
  const { key = 'embedding' } = source ?? before ?? {};
  checkEditable(key, file, folder, options.replace === true);
  if (before?.type === 'onnx' && !(await hasRuntime(models, options, person))) return undefined;
  const model = before ?? (await install(name, source, options, person, models));
  if (model === undefined) return undefined;
  const { backup = null } = await useModel(key, file, folder, model.type ?? 'model2vec', config);
  return { model, folder, was_installed: before !== undefined, config: file, backup };
}

const fail = (rule: string, accepted: readonly string[] = [], received?: string): VaultgraphError =>
  usageError({ command: 'models add', rule, accepted, ...(received !== undefined && { received }) });

const FLAGS = ['--revision', '--sha256', '--from', '--hub', '--runtime', '--yes', '--replace'];

/** Checks everything that can be checked without a network. @throws INVALID_INPUT */
function checkOptions(name: string, { from, hub, revision, sha256 }: ModelsOptions): void {
  const listed = CATALOGUE.find((model) => model.name === name);
  if (from === undefined && listed?.get !== undefined) throw fail(`not downloaded here; ${howToGet(listed)}`);
  if (from === undefined && !MODEL_NAMES.includes(name))
    throw fail(`no model named ${name} is known`, MODEL_NAMES, name);
  if (!isModelName(name)) throw fail('a model name has letters, digits, `.`, `_` and `-`');
  if (from !== undefined && (hub !== undefined || revision !== undefined))
    throw fail('--from uses no network, so --hub and --revision do not go with it', FLAGS);
  if (revision !== undefined && !/^\w[\w./-]{0,99}$/.test(revision))
    throw fail('--revision is a branch, a tag or a commit', FLAGS);
  if (sha256 !== undefined && !/^[\da-f]{64}$/.test(sha256))
    throw fail('--sha256 is 64 lower-case hexadecimal digits', FLAGS);
  if (!isHub(hubOf(hub))) throw fail('--hub is an https address, or http on this machine', FLAGS);
}

const hubOf = (hub: string | undefined): string =>
  (hub ?? (process.env.HF_ENDPOINT || DEFAULT_HUB)).replace(/\/+$/, '');

function isHub(hub: string): boolean {
  if (!URL.canParse(hub)) return false;
  const { protocol, username, password, search, hash } = new URL(hub);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isThisMachine(hub)));
}

/** Undefined if the files are not those that were installed, or cannot be read: they are installed again. */
async function intact(record: ModelRecord | undefined, folder: string): Promise<ModelRecord | undefined> {
  if (record?.digest === undefined) return record;
  const outcome = await outcomeOf(digestOfModel(folder, NEVER));
  return 'value' in outcome && outcome.value === record.digest ? record : undefined;
}

/** The installed model, unless other files are asked for. @throws INVALID_INPUT if those need `--replace` */
function reusable(record: ModelRecord | undefined, { from, revision, sha256, replace }: ModelsOptions) {
  if (record === undefined) return undefined;
  const isOther =
    from !== undefined ||
    (revision !== undefined && revision !== record.revision) ||
    (sha256 !== undefined && record.files.every((file) => file.sha256 !== sha256));
  if (!isOther) return record;
  if (replace === true) return undefined;
  throw fail(
    `${record.name} is installed already (revision ${record.revision ?? 'unknown'}); pass --replace to install other files`,
    FLAGS,
  );
}

async function install(
  name: string,
  source: Source | undefined,
  options: ModelsOptions,
  person: Questions | undefined,
  models: string,
) {
  if (source !== undefined) return installFrom(name, source, options, person, models);
  const model = catalogueModel(name);
  const { repository } = model;
  const place = { hub: hubOf(options.hub), repository, revision: options.revision ?? 'main' };
  if (person === undefined && options.yes !== true)
    throw fail(
      `this contacts ${hostOf(place.hub)} and downloads a model; pass --yes to agree to it without a terminal`,
      FLAGS,
    );
  const ask = `Ask ${hostOf(place.hub)} for the size and the hashes of ${repository} (licence ${model.licence})?`;
  if (person !== undefined && !(await person.agree(ask, false))) return undefined;
  return withInterrupt(async (signal) => {
    const plan = await planDownload(place, options.sha256, signal);
    if (person !== undefined || options.quiet !== true)
      report(planText(model, plan, folderOf(models, name), isInt8(name)));
    if (person !== undefined && !(await person.agree('Download it?', false))) return undefined;
    return installPlan(name, plan, options, models, signal);
  });
}

async function installPlan(
  name: string,
  plan: DownloadPlan,
  options: ModelsOptions,
  models: string,
  signal: AbortSignal,
) {
  const { place } = plan;
  const staged = await stagingFolder(models, name, place.revision);
  const progress = showProgress(`${name} kB`, options);
  const servers = new Set(plan.files.flatMap(({ servedBy }) => servedBy ?? []));
  const onHost = (host: string): void => {
    if (!servers.has(host)) report(`${hostOf(place.hub)} redirects to ${host}\n`);
    servers.add(host);
  };
  const files = await download(plan, staged, progress, onHost, signal).finally(() => progress.end());
  return finish({ name, staged, models, files, place, source: null }, signal);
}

async function installFrom(
  name: string,
  source: Source,
  options: ModelsOptions,
  person: Questions | undefined,
  models: string,
): Promise<ModelRecord | undefined> {
  if (source.type === 'onnx' && !(await hasRuntime(models, options, person))) return undefined;
  const { sha256 } = options;
  return withInterrupt(async (signal) => {
    const staged = await stagingFolder(models, name, `from ${source.folder}`);
    const copied = copyModel(source, staged, sha256);
    const files = await copied.catch(async (thrown: unknown) => {
      await removeFolder(staged);
      throw thrown;
    });
    const { folder, type, key } = source;
    return finish({ name, staged, models, files, place: undefined, source: folder, type, key }, signal);
  });
}

/** Installs the library that runs a transformer, if it is not there. @returns false if the person declined */
async function hasRuntime(models: string, options: ModelsOptions, person: Questions | undefined): Promise<boolean> {
  const { runtime } = options;
  if (runtime === undefined && (await isRuntimeInstalled(models))) return true;
  if (runtime === undefined && person === undefined && options.yes !== true)
    throw fail(
      'this model needs a library that npm gets from its registry; pass --yes to agree to it without a terminal, or --runtime PATH',
      FLAGS,
    );
  if (runtime === undefined && person !== undefined && !(await person.agree(RUNTIME_QUESTION, false))) return false;
  await withInterrupt((signal) => installRuntime(models, runtime, signal));
  return true;
}

interface Collected {
  readonly name: string;
  readonly staged: string;
  readonly models: string;
  readonly files: readonly InstalledFile[];
  readonly place: HubPlace | undefined;
  readonly source: string | null;
  readonly type?: 'onnx' | undefined;
  readonly key?: 'rerank' | undefined;
}

async function finish(
  { name, staged, models, files, place, source, type, key }: Collected,
  signal: AbortSignal,
): Promise<ModelRecord> {
  const dimensions = await checkStaged(staged, name, signal);
  const stored = isInt8(name) ? await storeTable(staged, signal) : null;
  const digest = await digestOfModel(staged, signal);
  const { repository = null, hub = null, revision = null } = place ?? {};
  const installed_at = new Date().toISOString();
  const record = {
    name,
    ...(type && { type }),
    ...(key && { key }),
    repository,
    hub,
    revision,
    source,
    installed_at,
    dimensions,
    files,
    digest,
    stored,
  };
  await placeModel(staged, models, record);
  return record;
}

/** Ctrl-C ends the work; what arrived is kept. */
async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new VaultgraphError('CANCELLED', { committed: 'none' }));
  const unregister = onInterrupt(interrupt);
  try {
    return await work(stop.signal);
  } finally {
    unregister();
  }
}
