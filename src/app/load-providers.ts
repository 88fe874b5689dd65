// Opens the providers that a config names, or the index that the other store has left.
import { basename } from 'node:path';
import { NEVER } from '../base/async/waits.ts';
import { quoted, VaultgraphError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { outcomeOf } from '../base/outcome.ts';
import type { Config } from '../config/config.ts';
import { storeDriver } from '../config/provider-sections.ts';
import type { StoredFeed } from '../contracts/feed.ts';
import type { Opened, ProviderContext } from '../contracts/provider.ts';
import type { Store, StoredIndex } from '../contracts/store.ts';
import { type LoadContext, load } from '../lifecycle/loader.ts';
import { providerCatalog } from '../providers/catalog.ts';
import { checkModel as checkStaticModel } from '../providers/model2vec/loaded-model.ts';
import { failuresOf } from '../providers/model2vec/model-failures.ts';
import { modelDigest } from '../providers/model2vec/model-files.ts';
import { checkOnnxModel, TYPE as ONNX } from '../providers/onnx/loaded-model.ts';
import { filesOf, isCrossEncoder } from '../providers/onnx/model-settings.ts';

const MIB = 1024 * 1024;

/** Opens the providers of the config's sections; the caller closes them. */
export function loadProviders(
  config: Config,
  { log, serves, hooks }: Pick<LoadContext, 'log' | 'serves' | 'hooks'>,
): ReturnType<typeof load> {
  const { sections, retry, breaker } = config;
  const resilience = { retry: { attempts: retry.attempts, jobAttempts: retry.job_attempts }, breaker };
  return load(sections, { ...contextOf(config, log), serves, resilience, hooks });
}

function contextOf(config: Config, log: Log): ProviderContext {
  const { vaultRoot, dataFolder, stateFolder, viewId, name: vaultName, index, scopeId } = config;
  const { days, mib } = index.changes;
  const feed = { days, bytes: mib * MIB, scope: scopeId };
  return { vaultRoot, dataFolder, stateFolder, viewId, vaultName, feed, log };
}

/** What the other store has left, to be moved to the configured one. */
export interface OtherStore {
  readonly index: StoredIndex;
  /** Absent if it is in a database, and no config names that. */
  readonly feed: StoredFeed | undefined;
  close(): Promise<void>;
}

/**
 * The index is the one on this machine.
 * @param to the type that the configured store must have
 * @param from a config with the other store, if there is one
 * @throws CONFIG_INVALID also if there is no index that can be copied; STORE_*
 */
export async function otherStore(config: Config, to: string, from: Config | undefined, log: Log): Promise<OtherStore> {
  const refusal = (what: string, key?: string) =>
    new VaultgraphError('CONFIG_INVALID', { faults: [{ file: '--store', what, ...(key && { key }) }] });
  const storeType = storeTypeOf(config);
  if (to !== storeType) throw refusal(`the store of the config is ${quoted(storeType)}`, 'providers.store.type');
  const other = providerCatalog.find(({ capability, type }) => capability === 'store' && type !== storeType);
  if (from !== undefined && storeTypeOf(from) !== other?.type)
    throw refusal(`the config of --from has no store ${quoted(other?.type ?? '')}`);
  if (from !== undefined && from.vaultRoot !== config.vaultRoot)
    throw refusal(`the config of --from is about another vault: ${quoted(from.vaultRoot)}`);
  const opened = from && (await openFrom(from, log));
  const context = contextOf(config, log);
  const driver = storeDriver(config.sections);
  const stored = (await other?.stored?.(context, driver)) ?? 'there is no such store';
  if (typeof stored === 'string') {
    await opened?.close();
    throw refusal(`the index of ${quoted(other?.type ?? '')} cannot be copied: ${stored}`);
  }
  return {
    index: stored,
    feed: opened?.feed ?? other?.storedFeed?.(context, driver),
    close: async () => {
      stored.close();
      await opened?.close();
    },
  };
}

const storeTypeOf = ({ sections }: Config): string =>
  sections.find(({ provider }) => provider.capability === 'store')?.provider.type ?? '';

/** With its copy on this machine as new as its feed. @throws STORE_*, after it was closed */
async function openFrom(config: Config, log: Log): Promise<Opened<Store>> {
  const [section] = config.sections.filter(({ provider }) => provider.capability === 'store');
  const opened = (await section?.provider.open(section.config, contextOf(config, log), NEVER)) as Opened<Store>;
  const counted = await outcomeOf(opened.capability.counts(NEVER));
  if ('value' in counted) return opened;
  await opened.close();
  throw counted.error;
}

// What commands need of models without opening a vault.

export { measureFit } from '../indexing/embed/measure-fit.ts';
export { areNotesEnglish } from '../indexing/embed/notes-language.ts';
export { storeAsInt8 } from '../providers/model2vec/int8-table.ts';
export { LOCAL_MODEL_FILES } from '../providers/model2vec/loaded-model.ts';
export {
  type InstalledFile,
  type ModelRecord,
  RECORD,
  readRecord,
  type StoredTable,
} from '../providers/model2vec/model-record.ts';
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

/** A hash of the files as they are now. @throws PROVIDER_UNAVAILABLE; the signal's reason */
export async function digestOfModel(folder: string, signal: AbortSignal): Promise<string> {
  const failures = failuresOf(basename(folder));
  return modelDigest(folder, failures, signal, await filesOf(folder, failures));
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
  const [outcome] = await Promise.allSettled([Promise.all([modelsFor('embedding'), modelsFor('llm')])]);
  return outcome.status === 'fulfilled' ? { embedding: outcome.value[0], llm: outcome.value[1] } : undefined;
}
