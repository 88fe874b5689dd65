// What a job is: a pure function of cloneable values, and how its values reach a thread.

export interface Job<Input, Output> {
  readonly run: (input: Input) => Output | Promise<Output>;
  /** Whether it takes at most some ten milliseconds, so that it may run on the caller's thread. */
  readonly isSmall: (input: Input) => boolean;
  /** The input to post, and the buffers of it that move instead of being copied: the caller finds them empty. */
  readonly handOver: (input: Input) => { readonly input: Input; readonly transfer: ArrayBuffer[] };
  /** The buffers of the output that move back instead of being copied. */
  readonly buffersOf: (output: Output) => ArrayBuffer[];
}

export const job = <Input, Output>(one: Job<Input, Output>): Job<Input, Output> => Object.freeze(one);

/** Hands over an input that the caller continues to use. */
export const copied = <Input>(input: Input) => ({ input, transfer: [] });
