// `npm run eval -- [FOLDER…] [--embedding CONFIG.yaml] [--queries N] [--json]`: measures how well notes are found.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { evaluate, type Row } from './evaluate.ts';
import { detailsOf, setsOf, tableOf } from './table.ts';

const USAGE = 'npm run eval -- [FOLDER …] [--embedding CONFIG.yaml] [--queries N] [--json]';
const OURS = join(import.meta.dirname, '../../vault-fixtures/island');
/** Question sets of other people, beside the checkout; not part of the project. */
const PUBLIC_SETS = join(import.meta.dirname, '../../../shared/eval');

interface Requested {
  readonly folders: readonly string[];
  readonly embedding?: string;
  readonly mostQueries?: number;
  readonly json: boolean;
}

/** @throws Error for an unknown option, and for a folder or file that does not exist */
function requested(): Requested {
  const { values, positionals } = parseArgs({
    options: { embedding: { type: 'string' }, queries: { type: 'string' }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const embedding = values.embedding ?? process.env.VAULTGRAPH_EVAL_EMBEDDING;
  const folders = positionals.length === 0 ? [OURS, ...publicSets()] : positionals;
  for (const path of [...folders, ...(embedding ? [embedding] : [])]) {
    if (!existsSync(path)) throw new Error(`${path} does not exist`);
  }
  const mostQueries = values.queries === undefined ? undefined : Number(values.queries);
  if (mostQueries !== undefined && !(mostQueries >= 1)) throw new Error('--queries is a number from 1');
  return {
    folders,
    json: values.json,
    ...(embedding ? { embedding } : {}),
    ...(mostQueries === undefined ? {} : { mostQueries }),
  };
}

/** Empty where there are none beside the checkout. */
function publicSets(): readonly string[] {
  if (!existsSync(PUBLIC_SETS)) return [];
  const folders = readdirSync(PUBLIC_SETS)
    .toSorted()
    .map((name) => join(PUBLIC_SETS, name));
  return folders.filter((folder) => existsSync(join(folder, 'queries.json')));
}

async function run({ folders, json, ...setting }: Requested): Promise<void> {
  const rows: Row[] = [];
  for (const folder of folders) rows.push(...(await evaluate(folder, { ...setting, manner: {} })));
  process.stdout.write(
    `${json ? JSON.stringify(rows, null, 2) : [tableOf(rows), setsOf(rows), detailsOf(rows)].join('\n\n')}\n`,
  );
}

let given: Requested | undefined;
try {
  given = requested();
} catch (refused) {
  process.stderr.write(`${refused instanceof Error ? refused.message : refused}\n${USAGE}\n`);
  process.exitCode = 64;
}
if (given !== undefined) await run(given);
