// Runs heavy pure work off the main thread.

/** The rows of a `Graph`, without its paths. */
export interface ComputeRows {
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly counts: Int32Array;
}

/** Input and output of each job. Rows are copied to the thread, so the caller may go on using them. */
export interface ComputeJobs {
  /** One score per node; they add up to 1. */
  pagerank: { input: ComputeRows; output: Float64Array };
  /** One score per node. `sampled` is the number of start nodes if the scores are estimated from a sample; undefined if they are exact. */
  betweenness: {
    input: ComputeRows;
    output: { readonly scores: Float64Array; readonly sampled: number | undefined };
  };
  /** The community of each node, numbered from 0 with the largest first, and the size of each community. */
  communities: {
    input: ComputeRows;
    output: { readonly communityOf: Int32Array; readonly sizes: Int32Array; readonly modularity: number };
  };
}

export interface Compute {
  /** An abort ends the work itself and rejects with the signal's reason. */
  run<J extends keyof ComputeJobs>(
    job: J,
    input: ComputeJobs[J]['input'],
    signal: AbortSignal,
  ): Promise<ComputeJobs[J]['output']>;
}
