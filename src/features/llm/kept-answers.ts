// A model's answer that was given before to the very same prompt, or a new one that is kept. Knows no prompt.
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError } from '../../base/errors.ts';
import type { AnswerCache } from '../../contracts/answer-cache.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { AskedModel } from './llm-session.ts';
import type { Task } from './prompts/task.ts';

export interface Answered<T> {
  readonly value: T;
  /** Whether it was given earlier. */
  readonly cached: boolean;
}

/**
 * Kept by everything the answer depends on: the task and its version, the prompt with the note's text in it, and the model by its
 * digest, or by its name where the server tells none.
 * @param refresh asks anew, and keeps that answer
 */
export async function keptOrAsked<T>(
  task: Task<T>,
  prompt: string,
  model: AskedModel,
  { answers, refresh }: { readonly answers: AnswerCache; readonly refresh: boolean },
  call: CallContext,
): Promise<Answered<T>> {
  const { provider, model: name, digest } = await model.identity();
  const made = [task.name, task.version, provider, name, digest, task.instructions, prompt];
  const key = contentHash(Buffer.from(JSON.stringify(made)));
  const kept = refresh ? undefined : await answers.keptAnswer(key, call.signal);
  const known = kept === undefined ? undefined : task.schema.safeParse(JSON.parse(kept)).data;
  if (known !== undefined) return { value: known, cached: true };
  const value = await model.ask(task, prompt);
  await keep(answers, key, value, call);
  return { value, cached: false };
}

/** An answer that cannot be kept is still an answer. */
async function keep(answers: AnswerCache, key: string, value: unknown, call: CallContext): Promise<void> {
  const [kept] = await Promise.allSettled([answers.keepAnswer(key, JSON.stringify(value), call.signal)]);
  call.signal.throwIfAborted();
  if (kept.status === 'fulfilled') return;
  const { code } = toVaultgraphError(kept.reason);
  call.warn({ code: 'EXTRA_MISSING', message: `an answer of the model could not be kept for the next time: ${code}` });
}
