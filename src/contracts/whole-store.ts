// The store for a reader that takes the index for complete: it answers only from an index that is.
import { VaultgraphError } from '../base/errors.ts';
import type { Store } from './store.ts';

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
  const look = async (): Promise<string> => {
    // Methods that end meanwhile share the look that begins after them.
    await Promise.resolve();
    looking = undefined;
    const { scannedAt } = await store.progress(signal);
    if (scannedAt === null) throw new VaultgraphError('NOT_READY', { phase: 'replaced' });
    return scannedAt;
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
  return Object.freeze(Object.fromEntries(methods)) as Store;
}
