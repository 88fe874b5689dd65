// Runs work in one vault within the limit of its call, or in each of several.
import { VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Caller, Outcome } from '../dispatch/run-tool.ts';
import type { OpenVault, VaultMember } from './member.ts';
import type { VaultFailure } from './merge-answers.ts';

export type Limited = Caller & { readonly limitMs: number };

/** Runs a tool with these arguments in the vault. */
export type RunIn = (member: VaultMember, args: object) => Promise<Outcome>;

export interface EachAnswer<T> {
  readonly answers: readonly { readonly name: string; readonly value: T }[];
  readonly missing: readonly VaultFailure[];
}

/**
 * @param onMissing called for each vault that did not answer, if another one did
 * @throws the first failure, if every vault failed
 */
export async function runEach<T>(
  members: readonly VaultMember[],
  work: (member: VaultMember) => Promise<T>,
  onMissing: (failure: VaultFailure) => void,
): Promise<EachAnswer<T>> {
  const outcomes = await Promise.all(
    members.map(async (member) => ({ name: member.name, ...(await outcomeOf(work(member))) })),
  );
  const answers = outcomes.flatMap((outcome) =>
    'error' in outcome ? [] : [{ name: outcome.name, value: outcome.value }],
  );
  const missing = outcomes.flatMap((outcome) =>
    'error' in outcome ? [{ name: outcome.name, error: outcome.error }] : [],
  );
  const [first] = missing;
  if (first !== undefined && answers.length === 0) throw first.error;
  for (const failure of missing) onMissing(failure);
  return { answers, missing };
}

/** Opening the vault is within the limit of the call. @throws DEADLINE_EXCEEDED */
export async function runWithin<T>(
  member: VaultMember,
  { signal, limitMs }: Limited,
  work: (limitMs: number, vault: OpenVault) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const opening = new AbortController();
  const details = { budget_ms: limitMs, phase: `opening the vault ${member.name}`, committed: 'none' as const };
  const lapse = (): void => opening.abort(new VaultgraphError('DEADLINE_EXCEEDED', details));
  const timer = Number.isFinite(limitMs) ? setTimeout(lapse, limitMs) : undefined;
  const forward = (): void => opening.abort(signal.reason);
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  const ended = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  };
  try {
    return await member.use(opening.signal, (vault) => {
      ended();
      return work(Math.max(1, limitMs - (performance.now() - began)), vault);
    });
  } finally {
    ended();
  }
}
