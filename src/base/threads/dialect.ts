// The rules by which notes are read: those of the vault that a call is about, and of the one vault that a worker thread works for.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isMainThread, workerData } from 'node:worker_threads';
import { currentDialect, type Dialect, setDialectSource } from '../note.ts';

const ofCall = new AsyncLocalStorage<Dialect>();

const ofThread: Dialect = isMainThread ? 'obsidian' : (Object(workerData).dialect ?? 'obsidian');

setDialectSource(() => ofCall.getStore() ?? ofThread);

/** The function with the dialect of its maker, for callers that know none, such as a native library. */
export function keepingDialect<Arguments extends unknown[], T>(
  work: (...args: Arguments) => T,
): (...args: Arguments) => T {
  const dialect = currentDialect();
  return dialect === 'obsidian' ? work : (...args) => inDialect(dialect, () => work(...args));
}

/** The extra field of the `workerData` of a thread that works for the vault at hand. */
export const dialectForThread = (): { readonly dialect?: Dialect } => {
  const dialect = currentDialect();
  return dialect === 'obsidian' ? {} : { dialect };
};

/** Runs what works for a vault, and everything that it starts. */
export function inDialect<T>(dialect: Dialect, work: () => T): T {
  return dialect === currentDialect() ? work() : ofCall.run(dialect, work);
}
