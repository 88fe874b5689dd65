// Guards stdout, and detects when the process should end.
import { type Readable, Writable } from 'node:stream';
import { onEndSignal } from '../../base/system/process.ts';
import { visibleText } from '../../base/visible-controls.ts';

export type EndReason = 'stdin_closed' | 'stdout_closed' | 'signal' | 'parent_gone';

/** A parent that dies usually closes stdin; if another process keeps the pipe open, this check detects it. */
const PARENT_LOOK_MS = 250;

/** Begins to watch; the watches hold nothing open. Faults of the streams count as their end. @returns the first reason */
export function watchProcessEnd(stdin: Readable, stdout: Writable): Promise<EndReason> {
  const { promise, resolve } = Promise.withResolvers<EndReason>();
  for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve('stdin_closed'));
  // An error event without a listener would be an uncaught exception, so these stay for good.
  for (const stream of [stdout, process.stdout]) stream.on('error', () => resolve('stdout_closed'));
  onEndSignal(() => resolve('signal'));
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid !== parent) resolve('parent_gone');
  }, PARENT_LOOK_MS);
  look.unref();
  return promise;
}

/**
 * A client that closes stderr loses the log there and nothing else: `log.file` and the calls continue.
 * @param onLoss called once
 */
export function surviveStderr(onLoss: () => void): void {
  process.stderr.once('error', onLoss);
  // An error event without a listener would be an uncaught exception, so this one stays for good.
  process.stderr.on('error', () => undefined);
}

/**
 * From now on `process.stdout.write`, and with it every `console` method and `pipe`, writes to stderr.
 * Work of this process only: a child that inherits descriptor 1 or a write to the descriptor itself is not seen.
 * @param onViolation called for each such write
 * @returns the real stdout, for the transport only
 */
export function guardStdout(onViolation: () => void): Writable {
  const write = process.stdout.write.bind(process.stdout);
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, (fault) => done(fault ?? null)),
  });
  const redirect = (chunk: string | Uint8Array, ...further: readonly unknown[]): boolean => {
    onViolation();
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const [done] = further.filter((each) => typeof each === 'function');
    return process.stderr.write(visibleText(text), done as () => void);
  };
  process.stdout.write = redirect as typeof process.stdout.write;
  return stdout;
}
