// Starts one of the child scripts in this folder and reads its output.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line it writes; rejects when it ends without one. */
  line(): Promise<string>;
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
}

/** @param before a command to run it under, such as `unshare` with its flags */
export function startChild(script: string, args: readonly string[], before: readonly string[] = []): Child {
  const [command = process.execPath, ...rest] = [
    ...before,
    process.execPath,
    join(import.meta.dirname, script),
    ...args,
  ];
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  return {
    process: child,
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${script} ended without a word`);
      return next.value;
    },
    ended: async () => {
      const [code, signal] = await exit;
      return code ?? signal;
    },
  };
}
