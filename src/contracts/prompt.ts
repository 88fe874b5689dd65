// What a prompt is: a name, typed arguments, and one function from them to a text made of what tools answer now.
import type { ZodType } from 'zod';
import type { ErrorCode } from '../base/errors.ts';

/** What a value of an argument can be completed from; `note` also completes headings, behind `Note#`. */
export type Completable = 'note' | 'topic' | 'folder' | 'tag' | 'day' | 'path';

export interface PromptArgument {
  readonly name: string;
  /** For people: what it is and how it is written. */
  readonly description: string;
  readonly required: boolean;
  readonly completes?: Completable;
}

/** A failure as a tool answered it; its record is in the log already. */
export interface FailedAnswer {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly choices?: readonly { readonly value: string }[];
  readonly fix_by: 'caller' | 'user' | 'nobody';
  readonly error_id: string;
  readonly details: { readonly [key: string]: unknown };
}

export interface ToolAnswer {
  /** With every fact of the answer, or of the failure. */
  readonly text: string;
  /** How many there are in all, where the answer lists a part of them. */
  readonly total?: number;
  readonly error?: FailedAnswer;
}

export interface PromptCall {
  /** Whether a tool of this name is listed: a text names no other. */
  lists(tool: string): boolean;
  /** What the tool answers now; a failure is an answer, too. */
  ask(tool: string, given: object): Promise<ToolAnswer>;
}

/** `refused`: an argument is wrong, so that there is nothing to write about. */
export type Written = { readonly text: string } | { readonly refused: FailedAnswer };

export interface Prompt<I> {
  readonly name: string;
  readonly title: string;
  /** For people, in one sentence. */
  readonly description: string;
  /** The gate: the tools it is made of. Where one of them is not listed, the prompt does not exist. */
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** A strict object of texts, with the names of `arguments`. */
  readonly input: ZodType<I>;
  /** One message in the user's name. What could not be read is said with its code and never made up. */
  write(input: I, call: PromptCall): Promise<Written>;
}

// biome-ignore lint/suspicious/noExplicitAny: the catalog holds prompts of different inputs side by side.
export type AnyPrompt = Prompt<any>;

/** Gives a prompt its inferred types and freezes it. */
export function definePrompt<I>(prompt: Prompt<I>): Prompt<I> {
  return Object.freeze(prompt);
}
