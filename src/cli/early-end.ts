// Ends a command before it is done: at a signal, or when nobody reads what it prints any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from './exit-code.ts';
import { leave } from './hard-exit.ts';

/** As shells count an end by a signal. */
const SIGNALS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
/** For what was opened to close. */
const MAX_CLOSE_MS = 2_000;

const open = new Set<() => Promise<unknown>>();
/** `asked`: the command was told to end and does so by itself. `closing`: it is ended from here. */
let state: 'running' | 'asked' | 'closing' = 'running';

/** Has `close` called if the command ends early, until what is returned is called. */
export function closeAtEarlyEnd(close: () => Promise<unknown>): () => void {
  open.add(close);
  return () => open.delete(close);
}

/** Whether the command is being ended from here: what goes wrong in it from then on is only that. */
export const endsEarly = (): boolean => state === 'closing';

/** For commands that print. A reader that has seen enough, such as `head`, is no failure; nobody has to read stderr. */
export function watchEarlyEnd(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault;
    void end(EXIT.done);
  });
  process.stderr.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EPIPE') throw fault;
  });
  for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => void endAt(signal, code));
}

/** Where a job takes Ctrl-C for its own end, the command ends behind it and says how far it came; it gets its time for that. */
async function endAt(signal: string, code: number): Promise<void> {
  if (signal !== 'SIGINT' || state !== 'running' || process.listenerCount(signal) < 2) return end(code);
  state = 'asked';
  await sleep(MAX_CLOSE_MS, undefined, { ref: false });
  return end(code);
}

/** Whoever asks a second time waits for nothing. */
async function end(code: number): Promise<void> {
  if (state !== 'running') return leave(code);
  state = 'closing';
  process.exitCode = code;
  const closed = Promise.allSettled([...open].map(async (close) => close()));
  await Promise.race([closed, sleep(MAX_CLOSE_MS)]);
  return leave(code);
}
