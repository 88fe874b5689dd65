// What ends a batch of questions to a provider before its last item: the time that is gone, or the provider that is. Knows no tool.
import type { RunEnds } from '../../base/batch.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { CAPABILITY_FAILS } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { closingOf } from '../search/provider-call.ts';

/** Of the call's time, what an item must have before it to be begun, beside what no provider is given of it. */
const LEAST_SHARE = 1 / 30;

/** @param phase what the call was doing, for whoever reads that its time was gone */
export function runEnds(phase: string, call: CallContext): RunEnds {
  const budget = call.msLeft();
  const least = budget * LEAST_SHARE + closingOf(budget);
  const late = () =>
    new VaultgraphError('DEADLINE_EXCEEDED', { budget_ms: Math.round(budget), phase, committed: 'none' });
  return {
    tooLate: () => (call.msLeft() < least ? late() : undefined),
    endsAll: isOfProvider,
  };
}

/** A failure of the provider itself: another input would meet the same. */
function isOfProvider({ code, details }: VaultgraphError): boolean {
  const { level } = details as { readonly level?: 'item' | 'call' };
  return CAPABILITY_FAILS.llm.includes(code) && level !== 'item';
}
