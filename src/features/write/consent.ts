// Asks the user to approve a plan, and makes the error of a plan that is not confirmed.
import { type DetailsOf, plural, VaultgraphError } from '../../base/errors.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext, Consent } from '../../contracts/tool.ts';
import { differenceOf, type WritePlan } from './write-plan.ts';

const MAX_AFFECTED = 20;
/** A form is read at a glance; a dry run shows all. */
const MAX_DIFF_LENGTH = 2_000;

export function confirmationRequired(
  tool: string,
  { affected }: WritePlan,
  more: Partial<DetailsOf<'CONFIRMATION_REQUIRED'>>,
): VaultgraphError<'CONFIRMATION_REQUIRED'> {
  const options = more.answer === 'declined' || more.answer === 'cancelled' ? { retry: 'U' as const } : {};
  return new VaultgraphError(
    'CONFIRMATION_REQUIRED',
    { operation: tool, affected: firstOf(affected), ...more },
    options,
  );
}

/**
 * Waits without the lock of the writes, so the plan has to be checked again afterwards. A plan that the user refused is dropped.
 * @throws CONFIRMATION_REQUIRED unless the user approves it in time
 */
export async function requireApproval(tool: string, plan: WritePlan, planId: string, call: CallContext): Promise<void> {
  const question = await questionAbout(tool, plan, call);
  call.progress(0, 1, 'waiting for the answer of the user');
  const answer: Consent = (await call.consent?.(question)) ?? 'no_answer';
  if (answer === 'approved') return;
  if (answer === 'no_answer') throw confirmationRequired(tool, plan, { answer, plan_id: planId });
  call.writes.dropPlan(planId);
  throw confirmationRequired(tool, plan, { answer });
}

async function questionAbout(tool: string, plan: WritePlan, call: CallContext): Promise<string> {
  const differences = { files: plan.files.map(differenceOf), longest: MAX_DIFF_LENGTH };
  const { diff, cut } = await call.compute.run(jobs.diff, differences, call.signal);
  const rest = cut === 0 ? '' : `\n(${plural(cut, 'file')} cut or left out)`;
  const head = `${tool} changes ${plural(plan.files.length, 'file')}:`;
  return [head, ...firstOf(plan.affected).map((one) => `- ${one}`), '', `${diff.trimEnd()}${rest}`].join('\n');
}

function firstOf(affected: readonly string[]): readonly string[] {
  const more = affected.length - MAX_AFFECTED;
  return more > 0 ? [...affected.slice(0, MAX_AFFECTED), `${more} more`] : affected;
}
