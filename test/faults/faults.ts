// Arms the faults of `fault-preload.ts` in this process, chooses some of all faults by a seed, and collects what does not hold.
import { appliesTo, CELL, type FaultKind, KINDS, OPERATIONS, SHARED, type Shared } from './fault-cells.ts';

export interface Fault {
  readonly kind: FaultKind;
  /** The number of the first call that fails. */
  readonly from: number;
  /** Whether only this call fails, or all from then on. */
  readonly isOnce: boolean;
}

const { cells, names, done } = (globalThis as never as Record<symbol, Shared>)[Symbol.for(SHARED)] as Shared;
const ALWAYS = 2 ** 30;

const set = (cell: keyof typeof CELL, value: number): void => void Atomics.store(cells, CELL[cell], value);

/** Files that are open already are not counted from now on. */
export const beginRun = (): void => void Atomics.add(cells, CELL.run, 1);

/** Runs `work` with the fault; without one, only counts. @returns how it ended, and the operations that it made */
export async function withFault<T>(fault: Fault | undefined, work: () => Promise<T>) {
  set('kind', fault === undefined ? -1 : KINDS.indexOf(fault.kind));
  set('from', fault?.from ?? 0);
  set('times', fault?.isOnce === true ? 1 : ALWAYS);
  for (const cell of ['calls', 'fired'] as const) set(cell, 0);
  done.length = 0;
  set('armed', 1);
  const [outcome] = await Promise.allSettled([work()]);
  set('armed', 0);
  const operations = [...names.subarray(0, Atomics.load(cells, CELL.calls))].map((at) => OPERATIONS[at] as string);
  return { outcome, operations, done: [...done], hasFired: Atomics.load(cells, CELL.fired) > 0 };
}

/** The errno that an answer has to name. */
export const errnoOf = ({ kind }: Fault): string => (kind === 'HALF' || kind === 'LATE' ? 'EIO' : kind);

const [share = '1', seed = '1', only = ''] = process.argv.slice(2);
let state = Number(seed);

/** The same numbers for the same seed. */
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return state / 2 ** 32;
}

/** A share of all faults of all calls. */
function* chosenFaults(operations: readonly string[], part: number): Iterable<Fault> {
  for (const [from, operation] of operations.entries())
    for (const kind of KINDS)
      for (const isOnce of [true, false])
        if (appliesTo(kind, operation) && random() < part * Number(share)) yield { kind, from, isOnce };
}

/** Whether it is among those that are asked for. */
export const isWanted = (title: string): boolean => title.startsWith(only);

const failures: string[] = [];
let runs = 0;

/**
 * Tries faults at the calls that the work makes without one.
 * @param check throws if something does not hold @returns whether the fault was met
 */
export async function tryFaults(
  title: string,
  operations: readonly string[],
  check: (fault: Fault) => Promise<boolean>,
  part = 1,
): Promise<void> {
  for (const fault of chosenFaults(operations, part)) {
    const [outcome] = await Promise.allSettled([check(fault)]);
    if (outcome.status === 'fulfilled') runs += outcome.value ? 1 : 0;
    else {
      const times = fault.isOnce ? 'once' : 'from then on';
      failures.push(
        `${title}: ${fault.kind} ${times} at call ${fault.from}, ${operations[fault.from]}: ${outcome.reason.stack}`,
      );
    }
  }
}

export function printReport(): void {
  process.stdout.write(`${JSON.stringify({ runs, failures })}\n`);
  // A command that reports its failure has set it; what failed here is in the report.
  process.exitCode = 0;
}
