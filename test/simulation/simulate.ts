// `npm run simulate -- --schedules N --seed S`: runs schedules one after the other, prints a summary, and exits with 1 if a rule was broken.
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareSimulation } from './prepare.ts';
import { type Configs, runSchedule } from './schedule.ts';

const { values } = parseArgs({ options: { schedules: { type: 'string' }, seed: { type: 'string' } } });
/** Several, with commas between them, are all that run. From 1,000,000,000 on there are all kinds of actions. */
const [first = 1_000_000_000, ...others] = (values.seed ?? '1000000000').split(',').map(Number);
const numbers = Array.from({ length: Number(values.schedules ?? 1_000) }, (_, number) => first + number);
const seeds = others.length > 0 ? [first, ...others] : numbers;
const SHOWN_EVERY = 100;
/** So many run again at the end, and must give the same: a failed seed tells nothing if it depends on those before it. */
const MAX_AGAIN = 10;
/** In memory if possible: nothing of it has to last. */
const place = existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir());
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const now = performance.now.bind(performance);

const folder = mkdtempSync(join(place, 'vaultgraph-simulation-'));
const counts: Record<string, number> = {};
const failed: number[] = [];
const digests = new Map<number, string>();
const began = now();

async function runOne(seed: number, configs: Configs): Promise<void> {
  const { faults, log, digest, counts: own } = await runSchedule(seed, folder, configs);
  for (const [what, times] of Object.entries(own)) counts[what] = (counts[what] ?? 0) + times;
  if (log.length > 0) write(log.join('\n'));
  if (seeds.length === 1) write(digest);
  const before = digests.get(seed) ?? digest;
  digests.set(seed, digest);
  const all = before === digest ? faults : [...faults, `ran as ${before}, and again as ${digest}`];
  if (all.length === 0) return;
  failed.push(seed);
  write(`seed ${seed}: ${all.join('\n  ')}`);
}

try {
  const configs = await prepareSimulation(folder);
  // The modules that are loaded when they are needed are loaded by now, so that each seed runs as it runs alone.
  await runSchedule(0, folder, configs);
  const again = seeds.slice(0, Math.min(MAX_AGAIN, seeds.length / 10));
  for (const [at, seed] of [...seeds, ...again].entries()) {
    await runOne(seed, configs);
    if ((at + 1) % SHOWN_EVERY === 0) process.stderr.write(`${at + 1} of ${seeds.length}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const schedules = seeds.length;
const perMinute = Math.round(schedules / ((now() - began) / 60_000));
const { user, system } = process.cpuUsage();
write(JSON.stringify({ schedules, perMinute, cpuSeconds: Math.round((user + system) / 1e6), failed, counts }));
process.exit(failed.length === 0 ? 0 : 1);
