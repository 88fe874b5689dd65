// Says when the watch scans the whole vault next.
import type { IndexJob } from '../../contracts/indexer.ts';

/** In milliseconds, except the factors. */
export interface ScanTimes {
  /** From the first watcher to the scan that finds what happened before it. */
  readonly firstScan: number;
  /** Between two scans while there are no events. */
  readonly poll: number;
  /** Between two scans beside events. */
  readonly sweep: number;
  /** From events to a scan: a watcher may lose one event while it delivers others. */
  readonly rescan: number;
  /** The pause is at least this many times the length of a scan, so that scanning costs little; `pollFactor` for `rescan`, too. */
  readonly pollFactor: number;
  readonly sweepFactor: number;
}

const MAX_PAUSE_MS = 3_600_000;

export class ScanSchedule {
  readonly #times: ScanTimes;
  #nextAt = Number.NEGATIVE_INFINITY;
  #fastestScanMs = Number.POSITIVE_INFINITY;
  #lastScanAt: string | undefined;

  constructor(times: ScanTimes) {
    this.#times = times;
  }

  get nextAt(): number {
    return this.#nextAt;
  }

  /** ISO time of the end of the last scan. */
  get lastScanAt(): string | undefined {
    return this.#lastScanAt;
  }

  /** Whether nothing is scheduled yet. */
  get isNew(): boolean {
    return this.#nextAt === Number.NEGATIVE_INFINITY;
  }

  started(now: number): void {
    this.#nextAt = now + this.#times.firstScan;
  }

  scanNow(now: number): void {
    this.#nextAt = Math.min(this.#nextAt, now);
  }

  changesIndexed(now: number): void {
    const { rescan, pollFactor } = this.#times;
    this.#nextAt = Math.min(this.#nextAt, now + Math.max(rescan, this.#fastestScanMs * pollFactor));
  }

  /**
   * @param began as `now`; the times of the job are of the system clock, which may have been set meanwhile
   * @param hasEvents whether a watcher delivers events now
   */
  scanned({ startedAt, endedAt = startedAt }: IndexJob, began: number, hasEvents: boolean, now: number): void {
    const { poll, sweep, pollFactor, sweepFactor } = this.#times;
    // The fastest scan found little or nothing new, so it measures scanning alone.
    this.#fastestScanMs = Math.min(this.#fastestScanMs, now - began);
    const pauseMs = hasEvents
      ? Math.max(sweep, this.#fastestScanMs * sweepFactor)
      : Math.max(poll, this.#fastestScanMs * pollFactor);
    this.#lastScanAt = endedAt;
    this.#nextAt = now + Math.min(pauseMs, MAX_PAUSE_MS);
  }
}
