// Reads the texts of PDFs in a thread of their own, which ends as soon as a file takes too long or too much memory.
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { ClosableCompute } from '../../compute/offload.ts';
import type { AttachmentContent } from '../../contracts/change-set.ts';

export interface PdfLimits {
  readonly maxPages: number;
  readonly maxLength: number;
  readonly maxMs: number;
  /** How much the memory of the process may grow while one file is read. */
  readonly maxBytes: number;
}

const MIB = 1024 * 1024;
const LIMITS: PdfLimits = { maxPages: 2_000, maxLength: 4_000_000, maxMs: 60_000, maxBytes: 768 * MIB };

/** The heap of the thread; what it decompresses is outside of that. */
export const PDF_HEAP_MIB = 512;
const MEMORY_CHECK_MS = 50;

export class PdfTexts {
  readonly #compute: ClosableCompute;
  readonly #limits: PdfLimits;

  /** @param compute runs nothing else, so that no other work ends with its thread */
  constructor(compute: ClosableCompute, limits: Partial<PdfLimits> = {}) {
    this.#compute = compute;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @param bytes are moved to the thread @throws the signal's reason; SHUTTING_DOWN */
  async read(bytes: Uint8Array, signal: AbortSignal): Promise<AttachmentContent> {
    const { maxPages, maxLength } = this.#limits;
    const watch = new LimitWatch(this.#limits);
    const ending = AbortSignal.any([signal, watch.signal]);
    const outcome = await outcomeOf(this.#compute.run(jobs.pdf, { bytes, maxPages, maxLength }, ending));
    watch.stop();
    if ('value' in outcome) return outcome.value;
    signal.throwIfAborted();
    if (outcome.error.code === 'SHUTTING_DOWN') throw outcome.error;
    return { text: '', fault: watch.fault ?? `it cannot be read: ${String(outcome.error.cause)}` };
  }

  close(): Promise<void> {
    return this.#compute.close();
  }
}

/** Aborts once a limit is passed. */
class LimitWatch {
  readonly #overrun = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #memoryTimer: NodeJS.Timeout;
  fault: string | undefined;

  constructor({ maxMs, maxBytes }: PdfLimits) {
    const before = process.memoryUsage.rss();
    this.#timer = setTimeout(() => this.#end(`reading it takes longer than ${maxMs / 1_000} seconds`), maxMs);
    this.#memoryTimer = setInterval(() => {
      if (process.memoryUsage.rss() - before > maxBytes)
        this.#end(`reading it takes more than ${maxBytes / MIB} MiB of memory`);
    }, MEMORY_CHECK_MS);
  }

  get signal(): AbortSignal {
    return this.#overrun.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#memoryTimer);
  }

  #end(fault: string): void {
    this.fault ??= fault;
    this.#overrun.abort();
  }
}
