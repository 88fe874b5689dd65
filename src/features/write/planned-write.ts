// What holds a write to what was shown or agreed: its plan by id, the arguments beside it, and somebody's consent. Writes nothing.
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { type KeptPlan, keptPlan } from './kept-plans.ts';
import { writeConflict } from './write-conflict.ts';
import { lineParts, planLines, type WritePlan } from './write-plan.ts';

/** The arguments by which every write is shown first, and carried out as shown. */
export const planShape = {
  dry_run: z.boolean().optional(),
  plan_id: z.string().optional().describe('of a dry run'),
};

/** For what takes text away or touches several files. */
export const consentShape = {
  if_match: z.string().optional().describe('etag as read'),
  confirm: z.boolean().optional(),
};

export interface WriteArguments {
  readonly dry_run?: boolean | undefined;
  readonly plan_id?: string | undefined;
  readonly confirm?: boolean | undefined;
  readonly if_match?: string | undefined;
}

export type WriteSources = Granted<'store' | 'vault' | 'indexer' | 'writer'>;

export interface WriteTool<Given extends WriteArguments> {
  readonly name: string;
  /** The names of its arguments. */
  readonly accepted: readonly string[];
  /** Those it cannot do without; a plan has them. */
  readonly needed: readonly (keyof Given & string)[];
  /** What it would write now. */
  plan(given: Given, granted: WriteSources, call: CallContext): Promise<WritePlan>;
}

/** Not the caller's word on what to write, but on how to go about it. */
const MANNERS: ReadonlySet<string> = new Set(['dry_run', 'plan_id', 'confirm']);
const MAX_AFFECTED = 20;

/** What a tool was asked to write, without how. */
export function ownArguments(given: WriteArguments): Readonly<Record<string, unknown>> {
  const own = Object.entries(given).filter(([name, value]) => !MANNERS.has(name) && value !== undefined);
  return Object.fromEntries(own);
}

/** The plan that the call names, if it names one. @throws CHANGE_NOT_FOUND; INVALID_INPUT for arguments that it was not made with */
export function namedPlan<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  { writer }: WriteSources,
): KeptPlan | undefined {
  if (given.plan_id === undefined) return undefined;
  const refuse = (path: string, rule: string) => inputRefusal(tool.name, tool.accepted, { path, rule });
  if (given.dry_run === true)
    throw refuse('dry_run', 'does not go with plan_id, which carries out what a dry run has shown');
  const plan = keptPlan(writer, tool.name, given.plan_id);
  const other = Object.entries(ownArguments(given)).find(([name, value]) => !isOfPlan(plan, name, value));
  if (other !== undefined) throw refuse(other[0], 'is not what the plan was made with; leave it out beside plan_id');
  return plan;
}

function isOfPlan({ given, was }: KeptPlan, name: string, value: unknown): boolean {
  return isDeepStrictEqual(given[name], value) || (name === 'if_match' && value === was);
}

/** The arguments to plan by: the plan's own ones, held to the note that it was made for. @throws INVALID_INPUT where one is missing */
export function askedArguments<Given extends WriteArguments>(
  tool: WriteTool<Given>,
  given: Given,
  plan: KeptPlan | undefined,
): Given {
  const { was } = plan ?? {};
  const asked =
    plan === undefined ? given : { ...given, ...plan.given, ...(was === undefined ? {} : { if_match: was }) };
  const missing = tool.needed.filter((name) => asked[name] === undefined);
  const issues = missing.map((path) => ({ path, rule: 'is needed, unless plan_id names a plan' }));
  if (issues.length > 0) throw inputRefusal(tool.name, tool.accepted, ...issues);
  return asked;
}

/** @throws CONFIRMATION_REQUIRED */
export function requireConsent(tool: string, plan: WritePlan, { if_match, confirm }: WriteArguments): void {
  const hasConsent = if_match !== undefined || confirm === true;
  if (!plan.needsConsent || hasConsent || plan.files.length === 0) return;
  const { affected } = plan;
  const more = affected.length - MAX_AFFECTED;
  const shown = more > 0 ? [...affected.slice(0, MAX_AFFECTED), `${more} more`] : affected;
  throw new VaultgraphError('CONFIRMATION_REQUIRED', { operation: tool, affected: shown, dry_run: true });
}

/** @throws WRITE_CONFLICT where the same arguments would write something else by now */
export async function requireSame(
  kept: KeptPlan,
  plan: WritePlan,
  { vault }: WriteSources,
  { signal }: CallContext,
): Promise<void> {
  const now = planLines(plan);
  const [was] = without(kept.lines, now);
  const [is] = without(now, kept.lines);
  if (was === undefined && is === undefined) return;
  const { path, before } = lineParts(was ?? is ?? '');
  throw await writeConflict(path, was === undefined ? undefined : before, vault, signal);
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}
