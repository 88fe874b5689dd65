// Lets the other threads of the process run first.
import { constants, setPriority } from 'node:os';
import { ownRules } from './system-rules.ts';

/** Lowers the priority of the calling thread, for good. @returns false if the system has no priorities of threads, or does not allow it */
export function lowerPriority(): boolean {
  if (!ownRules().hasThreadPriorities) return false;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    return true;
  } catch {
    return false;
  }
}
