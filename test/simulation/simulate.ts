// `npm run simulate -- --schedules N --seed S`: runs schedules one after the other, prints a summary, and exits with 1 if a rule was broken.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareSimulation } from './prepare.ts';
import { runSchedule } from './schedule.ts';

const { values } = parseArgs({ options: { schedules: { type: 'string' }, seed: { type: 'string' } } });
const first = Number(values.seed ?? 1);
/** `VAULTGRAPH_SIMULATION=print` also prints what happened in each of them. */
const count = Number(values.schedules ?? 1_000);
const SHOWN_EVERY = 100;
/** In memory if possible: nothing of it has to last. */
const place = existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir());
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const now = performance.now.bind(performance);

const folder = mkdtempSync(join(place, 'vaultgraph-simulation-'));
const counts: Record<string, number> = {};
const failed: number[] = [];
const began = now();

async function runOne(seed: number, config: Awaited<ReturnType<typeof prepareSimulation>>): Promise<void> {
  const { faults, log, digest, counts: own } = await runSchedule(seed, folder, config);
  for (const [what, times] of Object.entries(own)) counts[what] = (counts[what] ?? 0) + times;
  if (log.length > 0) write(log.join('\n'));
  if (count === 1) write(digest);
  if (faults.length === 0) return;
  failed.push(seed);
  write(`seed ${seed}: ${faults.join('\n  ')}`);
}

try {
  const config = await prepareSimulation(folder);
  // The modules that are loaded when they are needed are loaded by now, so that each seed runs as it runs alone.
  await runSchedule(0, folder, config);
  for (let done = 1; done <= count; done += 1) {
    await runOne(first + done - 1, config);
    if (done % SHOWN_EVERY === 0) process.stderr.write(`${done} of ${count}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const perMinute = Math.round(count / ((now() - began) / 60_000));
const { user, system } = process.cpuUsage();
write(JSON.stringify({ schedules: count, perMinute, cpuSeconds: Math.round((user + system) / 1e6), failed, counts }));
process.exit(failed.length === 0 ? 0 : 1);
