// Downloads a missing model as a visible job, if the config allows it.

import { withStallLimit } from '../../base/async/limits.ts';
import { type DetailsOf, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { IndexJob } from '../../contracts/indexer.ts';
import type { Opened } from '../../contracts/provider.ts';
import { newTrace } from '../../contracts/provider-call.ts';
import { type Layer, type ProviderName, timeoutError } from './layers.ts';
/** Fetches the model, telling its share from 0 to 1. */
export type Pull = NonNullable<Opened<unknown>['pull']>;
/** Runs a pull as a job that people can follow and cancel. */
export type StartPull = (pull: Pull, by: ProviderName) => IndexJob;

export interface AutoPullParts {
  /** Absent if the config does not allow it, or the provider cannot. */
  readonly pull?: Pull | undefined;
  /** Absent if no indexer runs the job. */
  readonly startPull?: StartPull | undefined;
  /** Without a sign of progress for so long, the pull has failed. */
  readonly stallMs: number;
  readonly onPulled: () => void;
}

type Missing = VaultgraphError<'PROVIDER_MODEL_MISSING'>;
type State =
  | { readonly is: 'not begun' }
  | { readonly is: 'pulling'; readonly job: string }
  | { readonly is: 'over' /** Absent if it was pulled. */; readonly failure?: string };

/** A process downloads a model at most once; after a failure the next try is the user's. */
export function createAutoPull(parts: AutoPullParts, name: ProviderName) {
  let state: State = { is: 'not begun' };
  let share = 0;

  async function run(pull: Pull, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
    const report = (newShare: number): void => {
      share = newShare;
      onProgress(newShare);
    };
    try {
      await pulling(pull, parts.stallMs, name, report, signal);
      state = { is: 'over' };
      parts.onPulled();
    } catch (thrown) {
      const { code, message } = toVaultgraphError(signal.aborted ? signal.reason : thrown);
      state = { is: 'over', failure: `[${code}] ${message}` };
      throw thrown;
    }
  }

  const isPulled = (): boolean => state.is === 'over' && state.failure === undefined;

  function failureFor(missing: Missing): VaultgraphError {
    const { pull, startPull } = parts;
    if (pull === undefined || startPull === undefined) return missing;
    if (state.is === 'not begun') {
      const { id } = startPull((onProgress, signal) => run(pull, onProgress, signal), name);
      state = { is: 'pulling', job: id };
    }
    if (state.is === 'over') {
      const { failure } = state;
      return again(missing, { auto_pull: 'failed', ...(failure !== undefined && { pull_failure: failure }) });
    }
    return pullingError(missing, state.job, share);
  }

  const layer: Layer = async (request, call, signal) => {
    const before = state;
    try {
      return await request(call, signal);
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown;
      // The model has arrived while its absence was on the way.
      if (before !== state && isPulled()) return request(call, signal);
      throw failureFor(thrown);
    }
  };

  const note = (): string | undefined => {
    if (state.is === 'pulling') return `the model is being pulled, ${percent(share)} %`;
    if (state.is === 'not begun') return undefined;
    return `the model was missing; ${state.failure === undefined ? 'it was pulled' : `pulling it failed: ${state.failure}`}`;
  };
  return Object.freeze({ layer, note });
}

const isMissing = (thrown: unknown): thrown is Missing =>
  thrown instanceof VaultgraphError && thrown.code === 'PROVIDER_MODEL_MISSING';

const percent = (share: number): number => Math.floor(Math.min(1, Math.max(0, share)) * 100);

function again(missing: Missing, changed: Partial<DetailsOf<'PROVIDER_MODEL_MISSING'>>): VaultgraphError {
  return new VaultgraphError('PROVIDER_MODEL_MISSING', { ...missing.details, ...changed }, { cause: missing });
}

function pullingError(missing: Missing, job_id: string, share: number): VaultgraphError {
  const { installed: _installed, auto_pull: _mode, ...shared } = missing.details;
  return new VaultgraphError(
    'PROVIDER_MODEL_PULLING',
    { ...shared, job_id, percent: percent(share) },
    { cause: missing },
  );
}

/** A download may take long, but must make progress. */
function pulling(
  pull: Pull,
  stallMs: number,
  name: ProviderName,
  report: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const trace = newTrace();
  const stalled = timeoutError(name, trace, { limitMs: stallMs, clipped: false });
  Object.assign(trace, { phase: 'body', attempts: 1 });
  return withStallLimit(stallMs, stalled, signal, (beat, stop) =>
    pull((share) => {
      beat();
      report(share);
    }, stop),
  );
}
