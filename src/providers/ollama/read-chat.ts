// Reads what an Ollama server streams of a chat, up to its last record. Judges no answer.
import * as z from 'zod';
import { type Attempt, endRequest } from '../model-server/attempt.ts';
import { bodyLines } from '../model-server/body-lines.ts';
import { streamedFailure } from '../model-server/failure-table.ts';
import { badResponse, inShape } from '../model-server/found-failures.ts';
import { parseJson } from '../model-server/send.ts';
import type { Written } from '../model-server/written-answer.ts';

export const CHAT_PATH = '/api/chat';

/** Far more than any answer that was asked for; beyond it, a server does not heed what it was told. */
const MOST_CHARACTERS = 1_000_000;

/** What the model thinks stands beside its content, and is not read. */
const RECORD = z.object({
  message: z.object({ content: z.string().nullish() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.int().min(0).nullish(),
  eval_count: z.int().min(0).nullish(),
  error: z.unknown().optional(),
});

/**
 * A stream that ends without its last record is an answer without an end.
 * @throws PROVIDER_*, the signal's reason
 */
export async function readChat(reply: Response, attempt: Attempt): Promise<Written> {
  let text = '';
  let records = 0;
  for await (const line of bodyLines(reply, attempt)) {
    const record = inShape(RECORD, parseJson(line, attempt, reply.headers.get('content-type')), attempt);
    if (record.error) throw streamedFailure(line, CHAT_PATH, attempt);
    records += 1;
    text += record.message?.content ?? '';
    if (text.length > MOST_CHARACTERS) throw badResponse('an answer as short as asked', 'one without end', attempt);
    if (record.done !== true) continue;
    endRequest(attempt);
    return { text, end: record.done_reason ?? undefined, ...countsOf(record) };
  }
  if (records === 0) throw badResponse('a stream of records', 'an empty one', attempt);
  return { text, end: undefined };
}

const countsOf = ({ prompt_eval_count, eval_count }: z.infer<typeof RECORD>) => ({
  promptTokens: prompt_eval_count ?? undefined,
  answerTokens: eval_count ?? undefined,
});
