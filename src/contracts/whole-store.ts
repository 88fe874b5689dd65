// The store for a reader that takes the index for complete: it answers only from an index that is.
import { VaultgraphError } from '../base/errors.ts';
import type { Store, StoreProgress } from './store.ts';

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * Another process may empty the index at any time, before this one learns that it is not complete. Such an answer has too little, so
 * each method looks at the last scan before and after it reads. If another scan ended meanwhile, the index may have been emptied and
 * built again in between, and it reads once more.
 * @param signal of the reader. @returns a store whose methods fail with NOT_READY while the index is not complete
 */
export function wholeStore(store: Store, signal: AbortSignal): Store {
  let scan: string | undefined;
  let looking: Promise<string> | undefined;
  const progress = async (): Promise<StoreProgress & { readonly scannedAt: string }> => {
    const { scannedAt, ...rest } = await store.progress(signal);
    if (scannedAt === null) throw new VaultgraphError('NOT_READY', { phase: 'replaced' });
    return { ...rest, scannedAt };
  };
  const look = async (): Promise<string> => {
    // Methods that end meanwhile share the look that begins after them.
    await Promise.resolve();
    looking = undefined;
    return (await progress()).scannedAt;
  };
  const lastScan = (): Promise<string> => {
    looking ??= look();
    return looking;
  };
  const checked =
    (method: Method): Method =>
    async (...args) => {
      for (let before = scan ?? (await lastScan()); ; before = scan) {
        const answer = await method(...args);
        const after = await lastScan();
        scan = after;
        if (after === before) return answer;
      }
    };
  const methods = Object.entries(store).map(([name, method]) => [name, checked(method as Method)]);
  // It says itself when the last scan ended.
  return Object.freeze({ ...Object.fromEntries(methods), progress }) as Store;
}
