// Compares the process before and after a test file, since the files of a worker share it.
import { isDeepStrictEqual } from 'node:util';

interface ProcessState {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly listeners: Readonly<Record<string, number>>;
  readonly clock: string;
  readonly active: Readonly<Record<string, number>>;
}

const PROCESS_EVENTS = [
  'exit',
  'beforeExit',
  'warning',
  'uncaughtException',
  'unhandledRejection',
  'SIGINT',
  'SIGTERM',
];
/** Handles that close a moment after the test that opened them, and how long they may take. */
const MAX_CLOSING_MS = 30_000;
const CLOSING_STEP_MS = 20;

/** `fetch` keeps connections open for the next request. */
const POOLED = ['TCPSocketWrap'];

export function processState(): ProcessState {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo())
    if (!POOLED.includes(kind)) active[kind] = (active[kind] ?? 0) + 1;
  return {
    env: { ...process.env },
    folder: process.cwd(),
    listeners: Object.fromEntries(PROCESS_EVENTS.map((name) => [name, process.listenerCount(name)])),
    clock: `${Date} ${setTimeout} ${setInterval} ${setImmediate}`,
    active,
  };
}

/** What the file left behind, a sentence each. Handles get half a minute to close. */
export async function leaksSince(before: ProcessState): Promise<string[]> {
  let leaks = differences(before, processState());
  for (let waited = 0; leaks.length > 0 && waited < MAX_CLOSING_MS; waited += CLOSING_STEP_MS) {
    await new Promise((resolve) => setTimeout(resolve, CLOSING_STEP_MS));
    leaks = differences(before, processState());
  }
  return leaks;
}

function differences(before: ProcessState, now: ProcessState): string[] {
  const changed = (Object.keys(now) as (keyof ProcessState)[]).filter(
    (part) => part !== 'active' && !isDeepStrictEqual(now[part], before[part]),
  );
  const opened = Object.entries(now.active).filter(([kind, count]) => count > (before.active[kind] ?? 0));
  return [
    ...changed.map((part) => `the file left another ${part}: ${JSON.stringify(now[part])}`),
    ...opened.map(([kind, count]) => `the file left ${count} open handles of the kind ${kind}`),
  ];
}
