// What commands need of models without opening a vault.
import { providerCatalog } from '../providers/catalog.ts';

export { measureFit } from '../indexing/embed/measure-fit.ts';
export { checkModel, LOCAL_MODEL_FILES } from '../providers/model2vec/check-model.ts';
export { storeAsInt8 } from '../providers/model2vec/int8-table.ts';

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
