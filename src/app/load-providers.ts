// Opens the providers that a config names, or the index that the other store has left.
import { basename } from 'node:path';
import { quoted, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { NEVER } from '../base/until-aborted.ts';
import type { Config } from '../config/config.ts';
import { storeDriver } from '../config/provider-sections.ts';
import type { StoredIndex } from '../contracts/store.ts';
import { type LoadContext, load } from '../lifecycle/loader.ts';
import { providerCatalog } from '../providers/catalog.ts';
import { checkModel as checkStaticModel } from '../providers/model2vec/loaded-model.ts';
import { failuresOf } from '../providers/model2vec/model-failures.ts';
import { checkOnnxModel, TYPE as ONNX } from '../providers/onnx/loaded-model.ts';
import { filesOf, isCrossEncoder } from '../providers/onnx/model-settings.ts';

const MIB = 1024 * 1024;

/** Opens the providers of the config's sections; the caller closes them. */
export function loadProviders(
  config: Config,
  { log, serves, hooks }: Pick<LoadContext, 'log' | 'serves' | 'hooks'>,
): ReturnType<typeof load> {
  const {
    sections,
    vaultRoot,
    dataFolder,
    stateFolder,
    viewId,
    name: vaultName,
    retry,
    breaker,
    index,
    scopeId,
  } = config;
  const resilience = { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker };
  const { days, mib } = index.changes;
  const feed = { days, bytes: mib * MIB, scope: scopeId };
  return load(sections, {
    vaultRoot,
    dataFolder,
    stateFolder,
    viewId,
    vaultName,
    feed,
    log,
    serves,
    resilience,
    hooks,
  });
}

/**
 * The index that the other store has left on this machine, to be copied to the configured one. The caller closes it.
 * @param to the type that the configured store must have @throws CONFIG_INVALID also if there is none that can be copied; STORE_*
 */
export async function storedIndex(config: Config, to: string, log: Log): Promise<StoredIndex> {
  const { vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, sections } = config;
  const refusal = (what: string, key?: string) =>
    new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--store', what, ...(key && { key }) }] });
  const own = sections.find(({ provider }) => provider.capability === 'store')?.provider.type ?? '';
  if (to !== own) throw refusal(`the store of the config is ${quoted(own)}`, 'providers.store.type');
  const other = providerCatalog.find(({ capability, type }) => capability === 'store' && type !== own);
  const context = { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log };
  const stored = (await other?.stored?.(context, storeDriver(sections))) ?? 'there is no such store';
  if (typeof stored === 'object') return stored;
  throw refusal(`the index of ${quoted(other?.type ?? '')} cannot be copied: ${stored}`);
}

// What commands need of models without opening a vault.

export { measureFit } from '../indexing/embed/measure-fit.ts';
export { areNotesEnglish } from '../indexing/embed/notes-language.ts';
export { storeAsInt8 } from '../providers/model2vec/int8-table.ts';
export { LOCAL_MODEL_FILES } from '../providers/model2vec/loaded-model.ts';
export { onnxFiles } from '../providers/onnx/model-settings.ts';
export { RUNTIME, runtimeFault, runtimeFolder } from '../providers/onnx/runtime.ts';

/** Whether an ONNX model scores pairs of texts. @throws PROVIDER_UNAVAILABLE, PROVIDER_MODEL_* */
export const scoresPairs = (folder: string): Promise<boolean> =>
  isCrossEncoder(folder, failuresOf(basename(folder), ONNX), NEVER);

/** @returns the dimensions of its vectors @throws PROVIDER_MODEL_MISSING, PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function checkModel(folder: string, signal: AbortSignal): Promise<number> {
  const isOnnx = (await filesOf(folder, failuresOf(basename(folder), ONNX))) !== undefined;
  return isOnnx ? checkOnnxModel(folder, signal) : checkStaticModel(folder, signal);
}

/** The models installed at an endpoint, by capability; undefined if no server answers in time. */
export async function installedModels(
  endpoint: string,
  signal: AbortSignal,
): Promise<Readonly<Record<'embedding' | 'llm', readonly string[]>> | undefined> {
  const modelsFor = async (capability: 'embedding' | 'llm'): Promise<readonly string[]> => {
    const listing = providerCatalog.filter((one) => one.capability === capability && one.installed !== undefined);
    return (await Promise.all(listing.map((one) => one.installed?.(endpoint, signal) ?? []))).flat();
  };
  const [found] = await Promise.allSettled([Promise.all([modelsFor('embedding'), modelsFor('llm')])]);
  return found.status === 'fulfilled' ? { embedding: found.value[0], llm: found.value[1] } : undefined;
}
