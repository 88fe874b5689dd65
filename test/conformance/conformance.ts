// `npm run conformance`: runs every case through the built program and prints a table. The argument selects another set of cases.
import { availableParallelism } from 'node:os';
import { readCases } from './cases.ts';
import { type CaseResult, runCases } from './run-case.ts';

const results = await runCases(readCases(process.argv[2]), availableParallelism());
const failed = results.filter(({ passed }) => !passed);
const widest = Math.max(...results.map((result) => result.case.group.length));
process.stdout.write(`${results.map(row).join('\n')}\n\n${totals()}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function row({ case: { id, group, certainty, expected }, passed, got }: CaseResult): string {
  const line = `${id.padEnd(4)} ${group.padEnd(widest)} ${certainty.padEnd(10)} ${passed ? 'pass' : 'FAIL'}`;
  if (passed) return line;
  return `${line}\n     expected ${JSON.stringify(expected)}\n     got      ${JSON.stringify(got) ?? 'no such note'}`;
}

function totals(): string {
  const byCertainty = Map.groupBy(results, (result) => result.case.certainty);
  const parts = [...byCertainty].map(([certainty, all]) => {
    return `${certainty} ${all.filter(({ passed }) => passed).length}/${all.length}`;
  });
  return `${results.length - failed.length} of ${results.length} cases pass (${parts.join(', ')})`;
}
