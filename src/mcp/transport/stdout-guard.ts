// Keeps stdout for JSON-RPC alone: what anybody else prints goes to stderr and is counted.
import { Writable } from 'node:stream';

export interface StdoutGuard {
  /** The real stdout, for the transport only. */
  readonly stdout: Writable;
}

/**
 * From now on `process.stdout.write`, and with it every `console` method and `pipe`, writes to stderr.
 * Work of this process only: a child that inherits descriptor 1 or a write to the descriptor itself is not seen.
 * @param onViolation called for each such write
 */
export function guardStdout(onViolation: () => void): StdoutGuard {
  const write = process.stdout.write.bind(process.stdout);
  const stdout = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, (fault) => done(fault ?? null)),
  });
  const redirect = (...given: Parameters<typeof process.stdout.write>): boolean => {
    onViolation();
    return process.stderr.write(...given);
  };
  process.stdout.write = redirect as typeof process.stdout.write;
  return Object.freeze({ stdout });
}
