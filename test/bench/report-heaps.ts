// Loaded into a measured server before its program: at SIGUSR2 it writes the heap of each thread, as JSON, to the file in the query of its address.
import { renameSync, writeFileSync } from 'node:fs';
import { getHeapStatistics, type HeapInfo } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/** In bytes. */
export interface ThreadHeap {
  readonly thread: string;
  readonly used: number;
  readonly resident: number;
}

const file = new URL(import.meta.url).searchParams.get('file');
const workers = new Set<Worker>();

if (file !== null) {
  process.on('worker', (worker) => {
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
  });
  process.on('SIGUSR2', async () => {
    const others = await Promise.all(
      [...workers].map(async (one) => heapOf(nameOf(one), await one.getHeapStatistics())),
    );
    const heaps: readonly ThreadHeap[] = [heapOf('main', getHeapStatistics()), ...others];
    writeFileSync(`${file}.part`, JSON.stringify(heaps));
    renameSync(`${file}.part`, file);
  });
}

function nameOf({ threadName }: Worker): string {
  return threadName ?? 'unnamed';
}

function heapOf(thread: string, statistics: HeapInfo): ThreadHeap {
  return { thread, used: statistics.used_heap_size, resident: statistics.total_physical_size };
}
