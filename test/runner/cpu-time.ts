// Measures the CPU time of this process and of the processes it started that have ended.
import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/self/stat';
/** The times in that file are in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** In seconds. On systems that do not report child processes, only the time of this process. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (!existsSync(STAT)) return 0;
  // The fields after the name, which is in brackets; children's user and system time are fields 16 and 17 of the line.
  const fields = readFileSync(STAT, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
