// The contract of what runs heavy pure work off the main thread.

/** Rows of a graph as in `Graph`, without its paths. */
export interface ComputeRows {
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly counts: Int32Array;
}

/** For each job what it takes and what it gives; rows are copied to the thread, so they stay usable. */
export interface ComputeJobs {
  /** One score a node; they add up to 1. */
  pagerank: { input: ComputeRows; output: Float64Array };
  /** One score a node; `sampled` is the number of starts that stood for all, undefined when the scores are exact. */
  betweenness: {
    input: ComputeRows;
    output: { readonly scores: Float64Array; readonly sampled: number | undefined };
  };
  /** The community of each node, numbered from 0, the largest first, with the size of each. */
  communities: {
    input: ComputeRows;
    output: { readonly communityOf: Int32Array; readonly sizes: Int32Array; readonly modularity: number };
  };
}

export interface Compute {
  /** An abort ends the work itself, not only the wait, and rejects with the signal's reason. */
  run<J extends keyof ComputeJobs>(
    job: J,
    input: ComputeJobs[J]['input'],
    signal: AbortSignal,
  ): Promise<ComputeJobs[J]['output']>;
}
