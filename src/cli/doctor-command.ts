// `vaultgraph doctor`: every check with its finding and a hint; heals nothing unless told to. Knows checks, not their inside.
import { toVaultgraphError } from '../base/errors.ts';
import type { CommonOptions } from './common-options.ts';
import { type Check, doctorChecks } from './doctor-checks.ts';
import type { Finding } from './finding.ts';
import { rebuildIndex } from './rebuild-index.ts';

/** By the worst finding. */
const EXIT_CODES = Object.freeze({ ok: 0, warning: 1, failing: 2 });
const MARKS = Object.freeze({ ok: '✓', warning: '!', failing: '✗' });

export async function runDoctor(options: CommonOptions & { readonly rebuildIndex?: boolean }): Promise<number> {
  if (options.rebuildIndex) await rebuildIndex(options);
  const findings = await runChecks(doctorChecks(options));
  process.stdout.write(options.json ? `${JSON.stringify({ checks: findings })}\n` : findings.map(line).join(''));
  return exitCodeFor(findings);
}

/** One finding a check, in order. A check that throws is failing, with what it threw. */
export async function runChecks(checks: readonly Check[]): Promise<(Finding & { readonly check: string })[]> {
  const findings = [];
  for (const check of checks) findings.push({ check: check.name, ...(await findingOf(check)) });
  return findings;
}

async function findingOf(check: Check): Promise<Finding> {
  try {
    return await check.run();
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    return { status: 'failing', detail: `[${error.code}] ${error.message}`, hint: error.hint };
  }
}

export function exitCodeFor(findings: readonly Finding[]): number {
  return Math.max(EXIT_CODES.ok, ...findings.map((finding) => EXIT_CODES[finding.status]));
}

function line({ check, status, detail, hint }: Finding & { readonly check: string }): string {
  const advice = status === 'ok' ? '' : `  → ${hint}\n`;
  return `${MARKS[status]} ${check}: ${detail}\n${advice}`;
}
