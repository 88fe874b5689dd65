// Has the C library give memory back to the system instead of keeping it for later.
import * as modules from 'node:module';
import type * as Koffi from 'koffi';
import { ownRules } from './system-rules.ts';

/** (The bundle already declares the name `createRequire`.) */
const requireModule = modules.createRequire(import.meta.url);

/** Options of mallopt(3). */
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD] = [-1, -3];
const LARGE_BYTES = 65_536;

/**
 * From now on, of all threads, what is freed of blocks of more than 64 KiB, as contents of files are, goes back at once. By itself glibc
 * keeps such blocks more and more often among the small ones, where they leave gaps.
 */
export function returnLargeBlocks(): void {
  if (!ownRules().keepsFreedMemory) return;
  const setOption = libraryFunction('int mallopt(int option, int value)');
  setOption(M_MMAP_THRESHOLD, LARGE_BYTES);
  setOption(M_TRIM_THRESHOLD, 2 * LARGE_BYTES);
}

/**
 * Applies to all threads. Freed memory between used parts stays with the process until glibc is asked for it; other systems need no call.
 * Takes some milliseconds, and ten more when a thread calls it first.
 */
export function trimHeap(): void {
  if (ownRules().keepsFreedMemory) libraryFunction('int malloc_trim(size_t pad)')(0);
}

function libraryFunction(declaration: string) {
  const koffi = requireModule('koffi') as typeof Koffi;
  return koffi.load(null).func(declaration);
}
