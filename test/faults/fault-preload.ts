// Loaded with `--import`, also by each worker thread: wraps node:fs so that a test can count its calls, and fail any of them.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { appliesTo, CELL, type FaultKind, KINDS, OPERATIONS, SHARED, type Shared } from './fault-cells.ts';

type Call = (...given: unknown[]) => unknown;
type Calls = Record<string, Call>;
type Fault = 'none' | FaultKind;

const MAX_CALLS = 100_000;

/** The cells are one memory of all threads, so that the calls of all of them are one sequence. */
function sharedCells(): Shared {
  if (!isMainThread) return { ...(getEnvironmentData(SHARED) as unknown as Shared), done: [] };
  const words = new SharedArrayBuffer(4 * Object.keys(CELL).length);
  const made = { cells: new Int32Array(words), names: new Uint8Array(new SharedArrayBuffer(MAX_CALLS)) };
  setEnvironmentData(SHARED, made as never);
  return { ...made, done: [] };
}

const { cells, names, done } = sharedCells();
Object.assign(globalThis, { [Symbol.for(SHARED)]: { cells, names, done } });

/** Only what happens below it counts. */
const ROOT = process.env.VAULTGRAPH_FAULTS_ROOT ?? '/nowhere';
const DESCRIPTORS = '/proc/self/fd/';
/** The files that this thread has open below the root, and in which run they were opened. */
const open = new Map<number, { readonly path: string; readonly run: number }>();

function pathOf(value: unknown): string | undefined {
  if (typeof value === 'number') {
    const file = open.get(value);
    return file?.run === Atomics.load(cells, CELL.run) ? file.path : undefined;
  }
  const text = value instanceof URL ? value.pathname : String(value);
  if (!text.startsWith(DESCRIPTORS)) return text.startsWith(ROOT) ? text : undefined;
  const [descriptor = '', ...rest] = text.slice(DESCRIPTORS.length).split('/');
  const folder = pathOf(Number(descriptor));
  return folder === undefined ? undefined : join(folder, ...rest);
}

const NAMES = ['copyFile', 'link', 'rename'];

/** Counts a call, and says what is to become of it. */
function faultOf(operation: string, path: string | undefined, given: readonly unknown[]): Fault {
  if (path === undefined || Atomics.load(cells, CELL.armed) === 0) return 'none';
  const number = Atomics.add(cells, CELL.calls, 1);
  const isCreating = operation === 'open' && /[wax+]|^\d+$/.test(String(given[1] ?? 'r')) && !isReadOnly(given[1]);
  names[number] = OPERATIONS.indexOf(isCreating ? 'create' : operation);
  done.push({
    operation: isCreating ? 'create' : operation,
    path,
    to: NAMES.includes(operation) ? pathOf(given[1]) : undefined,
  });
  const [from, times, kind] = [CELL.from, CELL.times, CELL.kind].map((cell) => Atomics.load(cells, cell)) as [
    number,
    number,
    number,
  ];
  const name = KINDS[kind];
  if (number < from || number >= from + times || name === undefined) return 'none';
  if (!appliesTo(name, isCreating ? 'create' : operation)) return 'none';
  Atomics.add(cells, CELL.fired, 1);
  return name;
}

const isReadOnly = (flags: unknown): boolean => typeof flags === 'number' && (flags & 3) === 0;

function systemError(code: string, syscall: string, path: unknown): Error {
  const errno = -((constants.errno as Record<string, number>)[code] ?? 1);
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, errno, syscall, path: String(path) });
}

const half = (length: number): number => Math.max(1, Math.floor(length / 2));

/** The arguments of a call that reads or writes half as much. */
function halved(given: readonly unknown[]): unknown[] {
  const [file, bytes, ...rest] = given as [unknown, Uint8Array | string, ...unknown[]];
  if (typeof bytes === 'string') return [file, bytes.slice(0, half(bytes.length)), ...rest];
  if (!ArrayBuffer.isView(bytes)) return [...given];
  const [offset, length, ...others] = rest;
  if (typeof offset === 'object' && offset !== null) {
    const { length: asked = bytes.byteLength } = offset as { length?: number };
    return [file, bytes, { ...offset, length: half(asked) }, ...rest.slice(1)];
  }
  const at = typeof offset === 'number' ? offset : 0;
  const all = typeof length === 'number' ? length : bytes.byteLength - at;
  return [file, bytes, at, half(all), ...others];
}

/** Moves half of what is in the folder. */
function tearRename(from: string, to: string): void {
  if (!real.lstatSync(from).isDirectory()) return;
  real.mkdirSync(to, { recursive: true });
  const inside = real.readdirSync(from);
  for (const name of inside.slice(0, half(inside.length))) real.renameSync(join(from, name), join(to, name));
}

const real = { ...fs };
const realPromises = { ...fs.promises };

/** What a failing call has done before it fails. */
function doHalf(operation: string, given: readonly unknown[]): void {
  const [file, second] = given as [string, string | Uint8Array];
  if (operation === 'rename') tearRename(file, String(second));
  if (operation === 'copyFile')
    real.writeFileSync(String(second), real.readFileSync(file).subarray(0, half(real.statSync(file).size)));
  if (operation === 'writeFile' && (typeof second === 'string' || ArrayBuffer.isView(second)))
    real.writeFileSync(
      file,
      typeof second === 'string' ? second.slice(0, half(second.length)) : second.subarray(0, half(second.byteLength)),
      given[2] as never,
    );
}

const IS_PARTIAL = ['read', 'write'];

function remember(descriptor: unknown, path: string | undefined): void {
  if (typeof descriptor === 'number' && path !== undefined)
    open.set(descriptor, { path, run: Atomics.load(cells, CELL.run) });
}

function wrapSync(operation: string, call: Call): Call {
  return function (this: unknown, ...given) {
    const path = pathOf(given[0]);
    const fault = faultOf(operation, path, given);
    if (operation === 'close') open.delete(given[0] as number);
    if (fault === 'none') return remembered(call.apply(this, given));
    if (operation === 'exists') return false;
    if (fault === 'HALF' && IS_PARTIAL.includes(operation)) return call.apply(this, halved(given));
    if (fault === 'HALF') doHalf(operation, given);
    // The descriptor is gone, whatever the call returns.
    if (fault === 'LATE' || operation === 'close') undo(operation, call.apply(this, given));
    throw systemError(fault.startsWith('E') ? fault : 'EIO', operation, path);

    function remembered(result: unknown): unknown {
      if (operation === 'open') remember(result, path);
      return result;
    }
  };
}

function undo(operation: string, result: unknown): void {
  if (operation === 'open') real.closeSync(result as number);
}

function wrapCallback(operation: string, call: Call): Call {
  return function (this: unknown, ...given) {
    const done = given.at(-1);
    const path = pathOf(given[0]);
    const fault = typeof done === 'function' ? faultOf(operation, path, given) : 'none';
    if (operation === 'close') open.delete(given[0] as number);
    if (operation === 'open' && fault === 'none' && typeof done === 'function') {
      const opened = (error: unknown, descriptor: unknown): void => {
        remember(descriptor, path);
        (done as Call)(error, descriptor);
      };
      return call.apply(this, [...given.slice(0, -1), opened]);
    }
    if (fault === 'none') return call.apply(this, given);
    if (fault === 'HALF' && IS_PARTIAL.includes(operation)) return call.apply(this, halved(given));
    const error = systemError(fault.startsWith('E') ? fault : 'EIO', operation, path);
    if (operation !== 'close') return void setImmediate(done as Call, error);
    return call.apply(this, [...given.slice(0, -1), () => (done as Call)(error)]);
  };
}

/** Node opens and flushes the file itself then, past the wrapped calls. */
const isFlushed = (operation: string, given: readonly unknown[]): boolean =>
  operation === 'writeFile' && Object(given[2]).flush === true;

function wrapPromise(operation: string, call: Call): Call {
  return async function (this: unknown, ...given) {
    const path = pathOf(given[0]);
    const fault = faultOf(operation, path, given);
    if (fault === 'none') {
      const result = await call.apply(this, given);
      if (operation === 'open') remember((result as { fd: number }).fd, path);
      const flushing = isFlushed(operation, given) ? faultOf('fsync', path, given) : 'none';
      if (flushing !== 'none') throw systemError(flushing.startsWith('E') ? flushing : 'EIO', 'fsync', path);
      return result;
    }
    if (fault === 'HALF') doHalf(operation, given);
    if (fault === 'LATE' && operation !== 'open') await call.apply(this, given);
    throw systemError(fault.startsWith('E') ? fault : 'EIO', operation, path);
  };
}

/** The methods of a file handle: their first argument is not the file. */
function wrapMethod(operation: string, call: Call): Call {
  return async function (this: { fd: number }, ...given) {
    const descriptor = this.fd;
    const path = pathOf(descriptor);
    const fault = faultOf(operation, path, [descriptor, ...given]);
    if (operation === 'close') open.delete(descriptor);
    if (fault === 'none') return call.apply(this, given);
    if (fault === 'HALF' && IS_PARTIAL.includes(operation))
      return call.apply(this, halved([descriptor, ...given]).slice(1));
    const [bytes] = given;
    if (fault === 'HALF' && ArrayBuffer.isView(bytes))
      await call.call(this, (bytes as Uint8Array).subarray(0, half(bytes.byteLength)));
    if (fault === 'LATE' || operation === 'close') await call.apply(this, given);
    throw systemError(fault.startsWith('E') ? fault : 'EIO', operation, path);
  };
}

const METHODS: Readonly<Record<string, string>> = {
  sync: 'fsync',
  datasync: 'fdatasync',
  stat: 'fstat',
  chmod: 'fchmod',
  chown: 'fchown',
  truncate: 'ftruncate',
};

function wrapAll(): void {
  const [calls, promises] = [fs as unknown as Calls, fs.promises as unknown as Calls];
  for (const operation of OPERATIONS) {
    const [sync, callback, promise] = [calls[`${operation}Sync`], calls[operation], promises[operation]];
    if (sync !== undefined)
      calls[`${operation}Sync`] = Object.assign(wrapSync(operation, sync), nativeOf(operation, sync));
    if (callback !== undefined && operation !== 'exists')
      calls[operation] = Object.assign(wrapCallback(operation, callback), {
        native: (callback as { native?: unknown }).native,
      });
    if (promise !== undefined) promises[operation] = wrapPromise(operation, promise);
  }
  syncBuiltinESMExports();
}

const nativeOf = (operation: string, call: Call): object => {
  const { native } = call as { native?: Call };
  return native === undefined ? {} : { native: wrapSync(operation, native) };
};

/** The class of file handles has no name of its own. */
async function wrapHandles(): Promise<void> {
  const handle = await realPromises.open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as Calls;
  await handle.close();
  for (const method of ['read', 'write', 'writeFile', 'readFile', 'close', ...Object.keys(METHODS)]) {
    const call = prototype[method];
    if (call !== undefined) prototype[method] = wrapMethod(METHODS[method] ?? method, call) as Call;
  }
}

await wrapHandles();
wrapAll();
