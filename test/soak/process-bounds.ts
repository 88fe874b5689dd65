// What a server process holds while it runs: memory, descriptors and threads, as Linux counts them.
import { readdirSync, readFileSync } from 'node:fs';

export interface Held {
  readonly mib: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** A leader with every thread at work holds 290 to 390 MiB from its second minute on; more than this is a leak. */
const MOST: Held = { mib: 450, descriptors: 200, threads: 40 };

/** @returns undefined if the process has ended, or on a system without `/proc` */
export function heldBy(pid: number): Held | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const numberOf = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return { mib: Math.round(numberOf('VmRSS') / 1024), descriptors, threads: numberOf('Threads') };
  } catch {
    return undefined;
  }
}

/** The most of each. */
export function mostOf(left: Held, right: Held): Held {
  return {
    mib: Math.max(left.mib, right.mib),
    descriptors: Math.max(left.descriptors, right.descriptors),
    threads: Math.max(left.threads, right.threads),
  };
}

/** @returns what is more than a server may hold */
export function excess(held: Held): readonly string[] {
  const keys = Object.keys(MOST) as readonly (keyof Held)[];
  return keys.filter((key) => held[key] > MOST[key]).map((key) => `${held[key]} ${key}, more than ${MOST[key]}`);
}
