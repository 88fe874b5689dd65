// The watch of a vault as far as there is one: opened, found dead, and opened anew now and then.
import type { Log } from '../../base/log.ts';
import type { OpenWatch, Vault, VaultSign } from '../../contracts/vault.ts';
import { settled } from '../result.ts';
import { type Backoff, createBackoff } from './backoff.ts';

export interface HintSourceParts {
  readonly vault: Pick<Vault, 'watch'>;
  readonly log: Log;
  /** Milliseconds from the death of a watcher to the next try; doubled with each that fails. */
  readonly rewatch: number;
  readonly longestRewatch: number;
  readonly onHints: (sign: VaultSign & { kind: 'hints' }) => void;
  readonly onDeaf: () => void;
  readonly onLost: () => void;
  /** It is open no more. */
  readonly onEnded: () => void;
}

export interface HintSource {
  isOpen(): boolean;
  /** Why it is not. */
  reason(): string | undefined;
  /** When it is worth a try again. */
  openAgainAt(): number;
  /** What kept it from opening may be over. */
  openSoon(): void;
  /** Never rejects: what kept it from opening is the reason. */
  open(signal: AbortSignal): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

/** A watch that lived this long did not die of its own beginning. */
const LONG_ENOUGH_MS = 60_000;

export function createHintSource(parts: HintSourceParts): HintSource {
  const tries = createBackoff(parts.rewatch, parts.longestRewatch);
  let current: { watch?: OpenWatch; readonly since: number } | undefined;
  let reason: string | undefined;

  /** What a watch still says once it was given up on is not heard. */
  function hear(mine: object, sign: VaultSign): void {
    if (current !== mine) return;
    if (sign.kind === 'hints') parts.onHints(sign);
    else if (sign.kind === 'deaf') parts.onDeaf();
    else if (sign.kind === 'lost') {
      parts.log('info', 'watch_hints_lost', { reason: sign.reason });
      parts.onLost();
    } else ended(sign.reason);
  }

  function ended(why: string): void {
    const was = current;
    current = undefined;
    retreat(tries, was?.since);
    // A watch that cannot begin is tried again and again.
    if (why !== reason) parts.log('warn', 'watch_ended', { reason: why });
    reason = why;
    void was?.watch?.close();
    parts.onEnded();
  }

  async function open(signal: AbortSignal): Promise<void> {
    const mine: { watch?: OpenWatch; readonly since: number } = { since: performance.now() };
    current = mine;
    const opened = await settled(parts.vault.watch((sign) => hear(mine, sign), signal));
    if ('error' in opened) {
      const { details, code } = opened.error;
      if (current === mine && !signal.aborted) ended('errno' in details ? String(details.errno) : code);
    } else if (current !== mine || signal.aborted) await opened.value.close();
    else {
      mine.watch = opened.value;
      reason = undefined;
      parts.log('info', 'watch_began');
    }
  }

  return {
    isOpen: () => current?.watch !== undefined,
    reason: () => reason,
    openAgainAt: tries.againAt,
    openSoon: tries.succeeded,
    open,
    async close() {
      const was = current;
      current = undefined;
      await was?.watch?.close();
    },
  };
}

function retreat(tries: Backoff, since: number | undefined): void {
  const now = performance.now();
  if (since !== undefined && now - since > LONG_ENOUGH_MS) tries.succeeded();
  tries.failed(now);
}
