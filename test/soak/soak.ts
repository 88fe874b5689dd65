// `npm run soak -- --seconds N --seed S --notes N --servers N --spare-first --postgresql`: runs one soak test, prints its summary, and exits with 1 if a rule was broken.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSoak } from './run.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    notes: { type: 'string' },
    servers: { type: 'string' },
    'spare-first': { type: 'boolean' },
    postgresql: { type: 'boolean' },
  },
});
const seed = Number(values.seed ?? 20_261_121);
const seconds = Number(values.seconds ?? 600);
const report = (line: string): void => void process.stdout.write(`${line}\n`);

report(`seed ${seed}, ${seconds} seconds`);
const program = join(import.meta.dirname, '../../dist/main.js');
const [notes, servers] = [Number(values.notes ?? 300), Number(values.servers ?? 3)];
const isFirstSpared = values['spare-first'] ?? false;
const isPostgresql = values.postgresql ?? false;
const summary = await runSoak({ seed, seconds, notes, servers, isFirstSpared, isPostgresql, program, report });
report(JSON.stringify(summary, null, 2));
process.exitCode = summary.faults.length === 0 ? 0 : 1;
