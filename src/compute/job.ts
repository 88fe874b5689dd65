// Makes a job of a pure function, and hands over inputs that stay with the caller.
import type { Job } from '../contracts/compute.ts';

export const job = <Input, Output>(one: Job<Input, Output>): Job<Input, Output> => Object.freeze(one);

/** Hands over an input that the caller continues to use. */
export const copied = <Input>(input: Input) => ({ input, transfer: [] });
