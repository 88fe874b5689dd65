// Starts a program, waits for its first line, and reads what the system reports about a running process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const LIMIT_MS = 180_000;
const CLOCK_TICK_MS = 10;

export interface FirstLine {
  /** From spawn to the complete first line. */
  readonly ms: number;
  readonly text: string;
}

/** Runs Node with these arguments until it has printed a line, and waits for its exit. Throws if the program fails. */
export async function runToFirstLine(args: readonly string[]): Promise<FirstLine> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS });
  const ended = once(child, 'exit');
  let line: FirstLine | undefined;
  createInterface({ input: child.stdout }).once('line', (text) => {
    line = { ms: performance.now() - start, text };
  });
  const [code] = await ended;
  assert.equal(code, 0, `node ${args[0]} ended with ${code}`);
  assert.ok(line, `node ${args[0]} printed nothing`);
  return line;
}

export interface Memory {
  /** The whole process with all its threads, in MiB. */
  readonly now: number;
  readonly peak: number;
}

/** Resident memory as Linux counts it; on systems without that file it throws an error that says so. */
export function memoryOf(processId: number | 'self'): Memory {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  const mebibytes = (key: string): number => {
    const found = status.match(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm'))?.[1];
    assert.ok(found, `/proc/${processId}/status has no ${key}`);
    return Number(found) / 1024;
  };
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

/** Bytes written through write calls since the process started, whether or not they have reached a disk. */
export function writtenBytesOf(processId: number): number {
  const found = readFileSync(`/proc/${processId}/io`, 'utf8').match(/^wchar: (\d+)/m)?.[1];
  assert.ok(found, `/proc/${processId}/io has no wchar`);
  return Number(found);
}

/** CPU time in milliseconds of all threads since the process started. */
export const processorMsOf = (processId: number): number => ticksOf(processId, 11) * CLOCK_TICK_MS;

/** CPU time in milliseconds of all processes that this one started and that have ended. */
export const processorMsOfChildren = (): number => ticksOf('self', 13) * CLOCK_TICK_MS;

/** @param from the place of those in user mode, after the name; those in the system follow */
function ticksOf(processId: number | 'self', from: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = fields.slice(from);
  assert.ok(user && system, `/proc/${processId}/stat is cut short`);
  return Number(user) + Number(system);
}
