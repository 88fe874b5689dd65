// `vaultgraph doctor`: runs every check and prints its finding and a hint.

import { setAsideChanges } from '../../app/closed-vault.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { createLog } from '../../base/log.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { oneLine } from '../../base/visible-controls.ts';
import { bringUpToDate, embeddingEnded } from '../bring-up-to-date.ts';
import { type CommonOptions, configFor } from '../common-options.ts';
import { print, printJson, report, styled } from '../output.ts';
import { hintForUser } from '../perform.ts';
import { severalNames, withCore } from '../with-core.ts';
import { type Check, doctorChecks } from './checks.ts';
import { type Finding, failing, hintWithinDoctor } from './finding.ts';
import { httpChecks } from './http.ts';

/** The exit code of the worst finding. */
const EXIT_CODES = Object.freeze({ ok: 0, warning: 1, failing: 2 });
const MARKS = Object.freeze({ ok: ['green', '✓'], warning: ['yellow', '!'], failing: ['red', '✗'] } as const);

interface DoctorOptions extends CommonOptions {
  readonly rebuildIndex?: boolean;
  readonly setAsideChanges?: boolean;
  /** Whether to check what `serve --http` needs, too. */
  readonly http?: boolean;
}

export async function runDoctor(options: DoctorOptions): Promise<number> {
  // A config that cannot be read is what its check reports.
  const several = await outcomeOf(severalNames(options));
  const names = 'error' in several ? undefined : several.value;
  if (options.rebuildIndex) {
    for (const vault of names ?? [options.vault])
      await rebuildIndex({ ...options, ...(vault !== undefined && { vault }) });
  }
  if (options.setAsideChanges) {
    for (const vault of names ?? [options.vault])
      await reportSetAside({ ...options, ...(vault !== undefined && { vault }) });
  }
  const checks = names === undefined ? doctorChecks(options) : checksOfVaults(names, options);
  const findings = await runChecks([...checks, ...(options.http ? httpChecks(options) : [])]);
  if (options.json) printJson({ checks: findings });
  else print(findingsText(findings));
  return exitCodeFor(findings);
}

/** Those of the machine once, then those of each vault under its name. */
function checksOfVaults(names: readonly string[], options: CommonOptions): readonly Check[] {
  const all = names.map((name) => ({ name, checks: doctorChecks({ ...options, vault: name }) }));
  const ofMachine = all[0]?.checks.filter(({ name }) => OF_MACHINE.includes(name)) ?? [];
  return [
    ...ofMachine,
    ...all.flatMap(({ name: vault, checks }) =>
      checks
        .filter(({ name }) => !OF_MACHINE.includes(name))
        .map((check) => ({ ...check, name: `${vault}: ${check.name}` })),
    ),
  ];
}

const OF_MACHINE: readonly string[] = ['node', 'native modules', 'clients'];

/** One finding per check, in order. A check that throws counts as failing. */
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
    // Each fault of a config is a line of the message; a finding is one line.
    const message = error.code === 'CONFIG_INVALID' ? error.message.replaceAll('\n', '; ') : error.message;
    return failing(`[${error.code}] ${message}`, hintWithinDoctor(error));
  }
}

export function exitCodeFor(findings: readonly Finding[]): number {
  return Math.max(EXIT_CODES.ok, ...findings.map((finding) => EXIT_CODES[finding.status]));
}

export type Found = Finding & { readonly check: string };

/** A fault that stops several checks, such as an unreadable config, is printed once. */
export function findingsText(findings: readonly Found[]): string {
  const alike = Map.groupBy(findings, ({ check, status, detail }) => (status === 'ok' ? check : detail));
  return [...alike.values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : [line(first), ...sameText(first, others)]))
    .join('');
}

function sameText({ status }: Found, others: readonly Found[]): string[] {
  return others.length === 0 ? [] : [`${markOf(status)} ${others.map(({ check }) => check).join(', ')}: the same\n`];
}

/** Coloured on a terminal. */
function markOf(status: Finding['status']): string {
  const [colour, mark] = MARKS[status];
  return styled(colour, mark, 'stdout');
}

function line({ check, status, detail, hint }: Found): string {
  const advice = status === 'ok' ? '' : `  → ${oneLine(hint)}\n`;
  return `${markOf(status)} ${check}: ${oneLine(detail)}\n${advice}`;
}

async function rebuildIndex(options: CommonOptions): Promise<void> {
  const { sections, vaultRoot, dataFolder, stateFolder, viewId, name: vaultName } = await configFor(options);
  const log = createLog('warn', report);
  for (const { provider, config } of sections) {
    const place = await provider.setAside?.(config, { vaultRoot, dataFolder, stateFolder, viewId, vaultName, log });
    if (place !== undefined) report(`the index before was moved to ${place}\n`);
  }
  await withCore(options, async ({ indexer }) => {
    await bringUpToDate(indexer, { kind: 'catch_up' }, options);
    const embedding = await embeddingEnded(indexer, options);
    if (embedding?.error) report(withoutVectors(embedding.error));
  });
}

async function reportSetAside(options: CommonOptions): Promise<void> {
  for (const { change, file, damaged, intact } of setAsideChanges(await configFor(options))) {
    const notes = [...damaged, ...intact];
    const about = notes.length === 0 ? 'which notes it was changing is unknown' : `in doubt: ${notes.join(', ')}`;
    report(`the change ${change} was set aside as ${file} in the change log; ${about}\n`);
  }
}

/** The index itself is complete again; later checks report what is wrong with the provider. */
function withoutVectors({ code, message, hint }: VaultgraphError): string {
  return `the vectors are not complete: [${code}] ${message}\nHint: ${hintForUser(hint)}\n`;
}
