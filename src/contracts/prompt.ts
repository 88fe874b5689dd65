// A prompt: a name, typed arguments, and a function from them to a text made of current tool results.
import type { ZodType } from 'zod';
import type { ErrorCode } from '../base/errors.ts';

/** What an argument is completed from; `note` also completes headings, after `Note#`. */
export type Completable = 'note' | 'topic' | 'folder' | 'tag' | 'day' | 'path' | 'vault';

export interface PromptArgument {
  readonly name: string;
  /** For people: what it is, and its format. */
  readonly description: string;
  readonly required: boolean;
  readonly completes?: Completable;
}

/** A failure as a tool returned it; it is logged already. */
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
  /** The whole answer, or the whole failure. */
  readonly text: string;
  /** Number of all results, if the answer lists only a part of them. */
  readonly total?: number;
  readonly error?: FailedAnswer;
}

export interface PromptCall {
  /** Whether a tool of this name is listed; a prompt mentions no other. */
  lists(tool: string): boolean;
  /** Calls the tool; a failure is returned, not thrown. */
  ask(tool: string, args: object): Promise<ToolAnswer>;
}

/** `refused`: an argument is wrong. */
export type Written = { readonly text: string } | { readonly refused: FailedAnswer };

/**
 * A prompt that a client lists.
 * @example
 * const catchUp: Prompt<{ topic: string }> = {
 *   name: 'catch_up',
 *   title: 'Catch up on a topic',
 *   description: 'What the vault says about a topic.',
 *   needs: ['search_text'],
 *   arguments: [{ name: 'topic', description: 'a word or a title', required: true, completes: 'topic' }],
 *   input: z.strictObject({ topic: z.string() }),
 *   write: async ({ topic }, call) => ({ text: (await call.ask('search_text', { query: topic })).text }),
 * };
 */
export interface Prompt<I> {
  readonly name: string;
  readonly title: string;
  /** For people, in one sentence. */
  readonly description: string;
  /** The tools that it calls. If one of them is not listed, the prompt is not listed either. */
  readonly needs: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** A strict object with the names of `arguments`, of texts and lists of texts. */
  readonly input: ZodType<I>;
  /** One message of the user. What could not be read is named with its error code. */
  write(input: I, call: PromptCall): Promise<Written>;
}

// biome-ignore lint/suspicious/noExplicitAny: the catalog holds prompts of different inputs side by side.
export type AnyPrompt = Prompt<any>;
