// Runs heavy pure work off the main thread.

/** A pure function of cloneable values, and how its values reach a thread; the jobs are in `compute/jobs.ts`. */
export interface Job<Input, Output> {
  readonly run: (input: Input) => Output | Promise<Output>;
  /** Whether it takes at most some ten milliseconds, so that it may run on the caller's thread. */
  readonly isSmall: (input: Input) => boolean;
  /** The input to post, and the buffers of it that move instead of being copied: the caller finds them empty. */
  readonly handOver: (input: Input) => { readonly input: Input; readonly transfer: ArrayBuffer[] };
  /** The buffers of the output that move back instead of being copied. */
  readonly buffersOf: (output: Output) => ArrayBuffer[];
}

/**
 * Runs jobs off the main thread.
 * @example
 * const patch = await compute.run(jobs.diff, { before, after }, signal);
 */
export interface Compute {
  /**
   * Does small jobs at once on the caller's thread, others in turn on a thread of their own. An abort ends the work itself and rejects
   * with the signal's reason.
   * @throws a `VaultgraphError` of the job; INTERNAL when it throws anything else or its thread ends; SHUTTING_DOWN at the end
   */
  run<Input, Output>(job: Job<Input, Output>, input: NoInfer<Input>, signal: AbortSignal): Promise<Output>;
}
