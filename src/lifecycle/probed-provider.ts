// An open provider as a person looks at it: where it stands in the config, what it is, and whether it answers.
import { toVaultgraphError } from '../base/errors.ts';
import type { Opened, Probe } from '../contracts/provider.ts';
import type { Section } from './config/provider-sections.ts';
import { type Guarded, lapseError, withLimit } from './guard.ts';
import { guardedName } from './opened-sections.ts';

/** The endpoint is the first one. */
export interface LoadedProvider extends Guarded {
  readonly section: Section;
  /** What its opt-ins do now. */
  notes(): readonly string[];
  /**
   * Never throws but for the signal's reason: a provider that fails or hangs is a probe with `ok: false`.
   * @param limitMs the one for a person who waits, where it is not given
   */
  probe(signal: AbortSignal, limitMs?: number): Promise<Probe>;
}

export function probedProvider(
  section: Section,
  opened: Opened<object>,
  usualLimitMs: number,
  notes: () => readonly string[] = () => [],
): LoadedProvider {
  const name = guardedName(section, opened);
  return Object.freeze({
    ...name,
    ...{ section, notes },
    probe: async (signal: AbortSignal, limitMs = usualLimitMs): Promise<Probe> => {
      const lapse = (elapsedMs: number) => lapseError(name, 'probe', limitMs, elapsedMs);
      try {
        return await withLimit(limitMs, lapse, signal, async (stop) => opened.probe(stop));
      } catch (thrown) {
        signal.throwIfAborted();
        const failure = toVaultgraphError(thrown);
        return { ok: false, detail: failure.message, failure };
      }
    },
  });
}
