// Refuses requests immediately after repeated failures, until a cool-down is over.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Layer, ProviderName } from './layers.ts';
import type { Clock } from './retry.ts';

/** The start of the note of an open breaker. */
export const BREAKER_OPEN = 'breaker open';

export interface BreakerSettings {
  readonly enabled: boolean;
  /** In a row. */
  readonly failures: number;
  /** Milliseconds. */
  readonly cooldown: number;
}

interface Opened {
  readonly at: number;
  readonly time: string;
  readonly last: VaultgraphError;
}

/**
 * After the cool-down one request is let through: its success closes the breaker, its failure starts another cool-down.
 * `layer` takes whether a success shows that the provider works; one that only describes itself may still fail.
 */
export function createBreaker(settings: BreakerSettings, name: ProviderName, clock: Clock) {
  let inARow = 0;
  let open: Opened | undefined;
  let isTrying = false;

  function close(): void {
    inARow = 0;
    open = undefined;
  }

  function learn(failure: VaultgraphError): void {
    if (isAnswer(failure)) close();
    if (!isFailure(failure)) return;
    inARow += 1;
    if (inARow < settings.failures) return;
    open = { at: clock.now(), time: new Date().toISOString(), last: failure };
  }

  const layer =
    (proves: boolean): Layer =>
    async (request, call, signal) => {
      if (open !== undefined) {
        const restMs = open.at + settings.cooldown - clock.now();
        if (restMs > 0 || isTrying) throw circuitOpen(name, open, restMs);
      }
      const isTrial = proves && open !== undefined;
      isTrying ||= isTrial;
      try {
        const value = await request(call, signal);
        if (proves) close();
        return value;
      } catch (thrown) {
        learn(toVaultgraphError(signal.aborted ? signal.reason : thrown));
        throw thrown;
      } finally {
        if (isTrial) isTrying = false;
      }
    };

  const passing: Layer = (request, call, signal) => request(call, signal);
  /** What it does now, if it does something. */
  const note = (): string | undefined =>
    open && `${BREAKER_OPEN} since ${open.time}, last [${open.last.code}] ${open.last.message}`;
  return { layer: settings.enabled ? layer : () => passing, note };
}

/** How soon a call is worth another try while another one is trying. */
const WHILE_TRYING_MS = 1_000;

function circuitOpen(name: ProviderName, { last, time }: Opened, restMs: number): VaultgraphError {
  return new VaultgraphError(
    'PROVIDER_CIRCUIT_OPEN',
    {
      ...name,
      attempts: 0,
      elapsed_ms: 0,
      level: 'call',
      last_code: last.code,
      last_cause: last.message,
      opened_at: time,
    },
    { retryAfterMs: Math.max(WHILE_TRYING_MS, Math.ceil(restMs)), cause: last },
  );
}

/** One input was refused: the provider is well. */
const isAnswer = ({ details }: VaultgraphError): boolean => 'level' in details && details.level === 'item';

/** A call without time for an answer, or one that never left the queue, says nothing about the provider. */
function isFailure(failure: VaultgraphError): boolean {
  const { code, details } = failure;
  if (!code.startsWith('PROVIDER_') || isAnswer(failure)) return false;
  const { clipped = false, phase } = details as { readonly clipped?: boolean; readonly phase?: string };
  return !clipped && phase !== 'queue';
}
