// Gives memory that the C library keeps for later back to the system.
import * as modules from 'node:module';
import type * as Koffi from 'koffi';
import { ownRules } from './system-rules.ts';

/** (The bundle already declares the name `createRequire`.) */
const requireModule = modules.createRequire(import.meta.url);

/**
 * Of all threads. Freed memory between used parts stays with the process until glibc is asked for it; other systems need no call.
 * Takes some milliseconds, and ten more when a thread calls it first.
 */
export function trimHeap(): void {
  if (!ownRules().keepsFreedMemory) return;
  const koffi = requireModule('koffi') as typeof Koffi;
  koffi.load(null).func('int malloc_trim(size_t pad)')(0);
}
