// Measures the heap of each thread of a server after calls of every kind.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type BenchSetting, newFolder } from './bench-setting.ts';
import type { McpSession } from './mcp-session.ts';
import { catchUp, withProduct } from './product-session.ts';
import { calling } from './query-measures.ts';
import type { ThreadHeap } from './report-heaps.ts';
import { storeCallNames } from './store-calls.ts';

const POLL_MS = 20;

/** By the name that the product gives each thread; several threads of one name are added up. */
const THREADS = { main: 'main', files: 'vaultgraph-files', store: 'vaultgraph-store', compute: 'vaultgraph' } as const;

type Thread = keyof typeof THREADS;
export type ThreadFigure = `${Thread}_heap` | `${Thread}_used`;

export const THREAD_FIGURES: readonly ThreadFigure[] = (Object.keys(THREADS) as Thread[]).flatMap(
  (thread) => [`${thread}_heap`, `${thread}_used`] as const,
);

/** In MiB; a thread that is not running has none. */
export async function threadHeaps(setting: BenchSetting, dataFolder: string): Promise<Record<ThreadFigure, number>> {
  const file = join(newFolder(setting, 'heaps'), 'heaps.json');
  const address = pathToFileURL(join(import.meta.dirname, 'report-heaps.ts'));
  address.searchParams.set('file', file);
  return withProduct({ ...setting, nodeOptions: ['--import', address.href] }, dataFolder, async (session) => {
    await catchUp(session, setting);
    for (const name of storeCallNames) await calling(setting, session, name);
    return figuresOf(await reportedHeaps(session, file, setting.endsAt));
  });
}

async function reportedHeaps({ processId }: McpSession, file: string, endsAt: number): Promise<readonly ThreadHeap[]> {
  process.kill(processId, 'SIGUSR2');
  while (!existsSync(file)) {
    assert.ok(performance.now() < endsAt, 'the server did not report its heaps');
    await setTimeout(POLL_MS);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as ThreadHeap[];
}

function figuresOf(heaps: readonly ThreadHeap[]): Record<ThreadFigure, number> {
  const figures = Object.entries(THREADS).flatMap(([thread, name]) => {
    const own = heaps.filter((heap) => heap.thread === name);
    const mebibytes = (key: 'used' | 'resident') => own.reduce((sum, heap) => sum + heap[key], 0) / 2 ** 20;
    return [
      [`${thread}_heap`, mebibytes('resident')],
      [`${thread}_used`, mebibytes('used')],
    ];
  });
  return Object.fromEntries(figures) as Record<ThreadFigure, number>;
}
