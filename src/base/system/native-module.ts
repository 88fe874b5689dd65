// Loads a module with a native part that the program can do without.
import * as modules from 'node:module';

/** (The bundle already declares the name `createRequire`.) */
const requireModule = modules.createRequire(import.meta.url);

/** Undefined if it is not installed or its binary does not load here, which each module says with an error of its own. */
export function nativeModule<T>(name: string): T | undefined {
  try {
    return requireModule(name) as T;
  } catch (thrown) {
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}
