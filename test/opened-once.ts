// Opens what several tests of a file read and none changes: before the first of them, and closes it after the last.
import { after, before } from 'node:test';

/**
 * @param open opens it, calls `use`, and closes it when `use` has ended
 * @returns what was opened
 */
export function openedOnce<T>(open: (use: (opened: T) => Promise<void>) => Promise<void>): () => Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const over = Promise.withResolvers<void>();
  let closed: Promise<void> | undefined;
  before(async () => {
    closed = open((opened) => {
      resolve(opened);
      return over.promise;
    });
    closed.catch(reject);
    await promise;
  });
  after(async () => {
    over.resolve();
    await closed;
  });
  return () => promise;
}
