// Keeps the memory of the process small: heaps of V8 that collect early, and freed memory given back to the system.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import type * as Koffi from 'koffi';
import { nativeModule } from './native-module.ts';
import { ownRules } from './system-rules.ts';

/** Options of mallopt(3). */
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD] = [-1, -3];
const LARGE_BYTES = 65_536;

/**
 * Makes glibc return freed blocks of more than 64 KiB, such as contents of files, to the system at once, for all threads. By default it
 * allocates more and more of such blocks among the small ones, where they leave gaps.
 */
export function returnLargeBlocks(): void {
  if (!ownRules().keepsFreedMemory) return;
  const setOption = libraryFunction('int mallopt(int option, int value)');
  setOption?.(M_MMAP_THRESHOLD, LARGE_BYTES);
  setOption?.(M_TRIM_THRESHOLD, 2 * LARGE_BYTES);
}

/**
 * Applies to all threads. Freed memory between used parts stays with the process until glibc is asked for it; other systems need no call.
 * Takes some milliseconds, and ten more when a thread calls it first.
 */
export function trimHeap(): void {
  if (ownRules().keepsFreedMemory) libraryFunction('int malloc_trim(size_t pad)')?.(0);
}

/** Without the module the process keeps more memory, and works as well. */
function libraryFunction(declaration: string) {
  return nativeModule<typeof Koffi>('koffi')?.load(null).func(declaration);
}

/**
 * From now on every thread collects garbage before it takes more memory from the system: a server that idles next to an editor should
 * be small. Not before it serves, because that would slow down loading the code.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--heap-growing-percent=25');
  if (youngHeap === undefined) limitYoungHeap();
}

/** A search makes some MiB of garbage: in a young heap of one, a fifth of its time goes into collecting it. */
const YOUNG_HEAP = 4 * 2 ** 20;

/** Sees each collection of the main thread. */
let youngHeap: PerformanceObserver | undefined;

/** The young heap of the main thread grows under load, also after all garbage was collected. Threads have limits of their own. */
function limitYoungHeap(): void {
  youngHeap = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    growYoungHeapsBy((young?.space_size ?? YOUNG_HEAP) < YOUNG_HEAP ? 2 : 1);
  });
  youngHeap.observe({ entryTypes: ['gc'] });
  growYoungHeapsBy(1);
}

const growYoungHeapsBy = (factor: number): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/**
 * Leaves the thread that calls it only what is reachable, and gives back the pages of its heap that V8 would keep for later, even after
 * the thread has ended. It takes some ten milliseconds. Node has no other function for it.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}

/** A heap of this size, with the buffers that it keeps outside, is worth the time that its garbage takes. */
const LARGE_HEAP = 32 * 2 ** 20;

/** For a thread besides the main one, between two steps of a large job and after it: a thread that waits collects nothing. */
export async function shrinkLargeHeap(): Promise<void> {
  const { total_heap_size, external_memory } = getHeapStatistics();
  if (total_heap_size + external_memory > LARGE_HEAP) await collectGarbage();
}
