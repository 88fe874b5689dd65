// Loads the driver of SQLite: better-sqlite3 with sqlite-vec, or node:sqlite.
import * as modules from 'node:module';
import type * as SqliteVec from 'sqlite-vec';
import { VaultgraphError } from '../../../base/errors.ts';
import type { StoreDriver } from '../../../contracts/store.ts';
import type { Connection, Engine } from './connection.ts';
import { NodeConnection } from './node-connection.ts';

export type Driver = Exclude<StoreDriver, 'auto'>;

/** An `import` would double the load time of every start. (The bundle already declares the name `createRequire`.) */
const requireModule = modules.createRequire(import.meta.url);

const NATIVE_MODULE = 'better-sqlite3';
const VECTOR_MODULE = 'sqlite-vec';

export const driverOf = (engine: Engine): Driver => (engine === NodeConnection ? 'node' : NATIVE_MODULE);

/**
 * @param driver `auto` takes node:sqlite if a native part does not load
 * @throws STORE_UNAVAILABLE, naming the module, if it is missing, its binary does not load, or this Node is too old
 */
export function loadEngine(driver: StoreDriver = 'auto'): Engine {
  if (driver === 'node') return loadNode();
  if (driver === NATIVE_MODULE) return loadNative();
  return whyNotNative() === undefined ? loadNative() : loadNode();
}

/** In this thread: what has loaded once is not tried again. */
let native: Engine | undefined;
let hasLoadedVectors = false;

/** Why `auto` cannot take the native parts: the name of the one that does not load, with the reason. Undefined if both load. */
export function whyNotNative(): VaultgraphError<'STORE_UNAVAILABLE'> | undefined {
  if (hasLoadedVectors) return undefined;
  try {
    const connection = new (loadNative())(':memory:');
    addVectorFunctions(connection);
    connection.close();
    hasLoadedVectors = true;
    return undefined;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown as VaultgraphError<'STORE_UNAVAILABLE'>;
    throw thrown;
  }
}

function loadNative(): Engine {
  if (native !== undefined) return native;
  try {
    const engine = requireModule(NATIVE_MODULE) as Engine;
    new engine(':memory:').close();
    native = engine;
    return engine;
  } catch (thrown) {
    throw moduleError(NATIVE_MODULE, thrown);
  }
}

function loadNode(): Engine {
  try {
    new NodeConnection(':memory:').close();
    return NodeConnection;
  } catch (thrown) {
    const reason = `Node ${process.versions.node} has no usable node:sqlite; Node 22.13 is the first that has it`;
    const advice = 'Start it with Node 22.13 or newer, or install it again so that better-sqlite3 loads.';
    throw new VaultgraphError(
      'STORE_UNAVAILABLE',
      { op: 'load', module: 'node:sqlite', reason, advice },
      { cause: thrown },
    );
  }
}

/** Adds the distance of two vectors to a connection. @throws STORE_UNAVAILABLE, naming the module, also if no binary is installed */
export function addVectorFunctions(connection: Connection): void {
  if (connection instanceof NodeConnection) {
    connection.function(DISTANCE, { deterministic: true, varargs: false }, distanceCosine);
    return;
  }
  try {
    const { load } = requireModule(VECTOR_MODULE) as typeof SqliteVec;
    load(connection as unknown as Parameters<typeof load>[0]);
  } catch (thrown) {
    throw moduleError(VECTOR_MODULE, thrown);
  }
}

function moduleError(module: string, cause: unknown): VaultgraphError<'STORE_UNAVAILABLE'> {
  const reason = `the module ${module} does not load`;
  return new VaultgraphError('STORE_UNAVAILABLE', { op: 'load', module, reason }, { cause });
}

// The distance of two stored vectors, for the driver without the extension.

/** The name of the function in SQL, as sqlite-vec has it. */
const DISTANCE = 'vec_distance_cosine';

/** 1 minus the cosine; null unless both are vectors of the same length. */
function distanceCosine(one: unknown, other: unknown): number | null {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array) || one.length !== other.length) return null;
  const [left, right] = [floatsIn(one), floatsIn(other)];
  let dot = 0;
  let ofLeft = 0;
  let ofRight = 0;
  for (let at = 0; at < left.length; at++) {
    const x = left[at] as number;
    const y = right[at] as number;
    dot += x * y;
    ofLeft += x * x;
    ofRight += y * y;
  }
  // The distance is as precise as the vectors: those of one direction are equally near.
  return 1 - Math.fround(dot / Math.sqrt(ofLeft * ofRight));
}

/** Copies them only if they do not begin at a multiple of four bytes. */
function floatsIn(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Float32Array(buffer, byteOffset, byteLength >> 2);
}
