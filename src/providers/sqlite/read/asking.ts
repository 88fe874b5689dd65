// Puts questions to the reading connection, each against one state of the index, and bounds what one may read.
import { VaultgraphError } from '../../../base/errors.ts';
import type { Page } from '../../../contracts/note-filter.ts';
import type { Connection } from '../database/engine.ts';
import { retryWhileBusy } from '../database/retry-while-busy.ts';

/** No question reads more rows than this for one page. */
const MAX_ROWS = 100_000;

export type Ask = <T>(op: string, signal: AbortSignal, question: () => T) => Promise<T>;

/** Every question sees one state of the index from beginning to end. */
export function createAsking(connection: Connection, file: string): Ask {
  const inOneState = connection.transaction((question: () => unknown) => question());
  return <T>(op: string, signal: AbortSignal, question: () => T) => {
    const stop = () => {
      signal.throwIfAborted();
      if (!connection.open) throw new VaultgraphError('SHUTTING_DOWN', {});
    };
    return retryWhileBusy({ op, file, stop }, () => inOneState(question) as T);
  };
}

/** @throws LIMIT_EXCEEDED */
export function bounded(page: Page): Page {
  for (const [field, actual] of Object.entries(page)) {
    const whole = Number.isSafeInteger(actual) && actual >= 0;
    if (!whole || (field === 'limit' && actual > MAX_ROWS)) {
      throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit: MAX_ROWS, actual });
    }
  }
  return page;
}
