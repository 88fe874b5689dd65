// `npm run bench`: generates a vault, measures baselines and the product, and prints them with the goals. The exit code does not depend on the figures.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareStores } from './compare-stores.ts';
import {
  createLedger,
  type Figures,
  FLOORS,
  type Ledger,
  MEASURES,
  VECTOR_FLOORS,
  VECTOR_MEASURES,
} from './figures.ts';
import { takeFloors } from './floors.ts';
import { type GeneratedVault, generateVault } from './generate-vault.ts';
import { VECTOR_SIZES } from './goals.ts';
import { takeMeasures } from './measures.ts';
import { takePackedStarts } from './packed-start.ts';
import { reportAsJson, reportAsText, type VectorResult, vectorReportAsJson, vectorReportAsText } from './report.ts';
import { STORE_FIGURES } from './store-figures.ts';
import { takeTokens, tokensAsText } from './token-report.ts';
import { takeVectorMeasures } from './vector-measures.ts';
import { takeWholeSearches } from './whole-search-measures.ts';

const BUDGET_MS = 900_000;
/** Up to this size the time budget is constant; above it the budget grows with the vault. */
const MIDDLING_VAULT = 10_000;

const USAGE = `usage: bench [--notes 10000] [--program dist/main.js] [--vectors] [--store postgresql] [--json]
  --notes    size of the generated vault, from 10; a vault a tenth the size is measured beside it
  --program  what to measure
  --vectors  only the store's search by vectors, in collections of its own
  --store    postgresql: only the stores, SQLite and PostgreSQL side by side; PostgreSQL alone above 100,000 notes
  --json     the figures as one JSON object
`;

const requested = readArguments();
if (requested === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 64;
} else {
  const workFolder = mkdtempSync(join(tmpdir(), 'vaultgraph-bench-'));
  const remove = (): void => rmSync(workFolder, { recursive: true, force: true });
  process.once('exit', remove);
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  if (requested.store !== undefined) await benchStores(requested, workFolder);
  else await (requested.vectors ? benchVectors : bench)(requested, workFolder);
}

interface Requested {
  readonly notes: number;
  readonly program: string;
  readonly vectors: boolean;
  readonly store: 'postgresql' | undefined;
  readonly json: boolean;
}

function readArguments(): Requested | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const text = { type: 'string' } as const;
    const options = { notes: text, program: text, vectors: flag, store: text, json: flag } as const;
    const { values } = parseArgs({ options });
    const notes = Number(values.notes ?? 10_000);
    const program = resolve(values.program ?? join(import.meta.dirname, '../../dist/main.js'));
    const { vectors, json, store } = values;
    const isStore = store === undefined || store === 'postgresql';
    if (Number.isInteger(notes) && notes >= 10 && existsSync(program) && isStore)
      return { notes, program, vectors, store, json };
    if (!isStore) process.stderr.write(`--store ${store} is not postgresql\n`);
    else
      process.stderr.write(
        existsSync(program) ? `--notes ${values.notes} is no size\n` : `${program} does not exist\n`,
      );
  } catch (refused) {
    process.stderr.write(`${refused instanceof Error ? refused.message : refused}\n`);
  }
  return undefined;
}

async function bench({ notes, program, json }: Requested, workFolder: string): Promise<void> {
  const start = performance.now();
  const endsAt = start + BUDGET_MS * Math.max(1, notes / MIDDLING_VAULT);
  const shared = { program, workFolder, endsAt };
  const smallNotes = Math.round(notes / 10);
  const setting = { ...shared, vault: await generated(join(workFolder, 'vault'), notes) };
  const floors = printingLedger(FLOORS, 'floor', endsAt);
  await takeFloors(setting, floors);
  const small = printingLedger(MEASURES, `${smallNotes} notes`, endsAt);
  await takeMeasures({ ...shared, vault: await generated(join(workFolder, 'small-vault'), smallNotes) }, small);
  const measures = printingLedger(MEASURES, `${notes} notes`, endsAt);
  await takePackedStarts(setting, measures);
  await takeMeasures(setting, measures);
  const { noteBytes } = setting.vault;
  const result = {
    notes,
    noteBytes,
    program,
    floors,
    measures,
    small,
    smallNotes,
    elapsedMs: performance.now() - start,
  };
  process.stdout.write(`${json ? reportAsJson(result) : reportAsText(result)}\n`);
  // Token counts are not timings: `node test/bench/tokens.ts --json` prints them as JSON.
  if (!json) process.stdout.write(`\n${tokensAsText(await takeTokens(shared))}\n`);
}

async function benchStores({ notes, program, json }: Requested, workFolder: string): Promise<void> {
  const endsAt = Number.POSITIVE_INFINITY;
  const setting = { program, workFolder, endsAt, vault: await generated(join(workFolder, 'vault'), notes) };
  await compareStores(setting, (about) => printingLedger(STORE_FIGURES, about, endsAt), json);
}

async function benchVectors({ json, program }: Requested, workFolder: string): Promise<void> {
  const results: VectorResult[] = [];
  for (const size of VECTOR_SIZES) {
    const about = `${size.chunks} × ${size.dims}`;
    const floors = printingLedger(VECTOR_FLOORS, about, Number.POSITIVE_INFINITY);
    const measures = printingLedger(VECTOR_MEASURES, about, Number.POSITIVE_INFINITY);
    await takeVectorMeasures(size, join(workFolder, about), floors, measures);
    await takeWholeSearches(size, join(workFolder, about), program, floors, measures);
    results.push({ ...size, floors, measures });
  }
  process.stdout.write(`${json ? vectorReportAsJson(results) : vectorReportAsText(results)}\n`);
}

function generated(folder: string, notes: number): Promise<GeneratedVault> {
  process.stderr.write(`generating ${notes} notes\n`);
  return generateVault(folder, notes);
}

/** Prints on stderr what has been measured, as progress of a long run. */
function printingLedger<Table extends Figures>(
  figures: Table,
  about: string,
  endsAt: number,
): Ledger<keyof Table & string> {
  const ledger = createLedger<keyof Table & string>(endsAt, (taken) => {
    for (const name of taken) {
      const shown = ledger.value(name)?.toFixed(2) ?? `not taken: ${ledger.reason(name)}`;
      process.stderr.write(`${about}: ${figures[name]?.name}: ${shown}\n`);
    }
  });
  return ledger;
}
