// Reads what a server that speaks OpenAI's wire streams of a chat, or answers whole. Judges no answer.
import * as z from 'zod';
import { type Attempt, endRequest } from '../model-server/attempt.ts';
import { bodyLines } from '../model-server/body-lines.ts';
import { streamedFailure } from '../model-server/failure-table.ts';
import { saidIn } from '../model-server/foreign-text.ts';
import { badResponse, inShape } from '../model-server/found-failures.ts';
import { parseJson } from '../model-server/send.ts';
import type { Written } from '../model-server/written-answer.ts';
import { mayBeSameModel } from './model-name.ts';

export const CHAT_PATH = '/chat/completions';

/** Far more than any answer that was asked for; beyond it, a server does not heed what it was told. */
const MAX_CHARACTERS = 1_000_000;
const LAST = '[DONE]';
/** `data:`, and what llama.cpp puts before a failure in the middle of a stream; without a value it is a field like others. */
const FIELD = /^(data|error): ?(?=\S)/;
/** Comments, by which servers keep a line open, and fields that no answer stands in. */
const OTHER_FIELD = /^(?::|data:|event:|id:|retry:)/;

/** What the model thinks stands beside its content, and is not read. */
const SAID = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const PIECE = z.object({
  model: z.string().nullish(),
  choices: z
    .array(z.object({ delta: SAID.nullish(), message: SAID.nullish(), finish_reason: z.string().nullish() }))
    .default([]),
  usage: z.object({ prompt_tokens: z.int().min(0).nullish(), completion_tokens: z.int().min(0).nullish() }).nullish(),
  error: z.unknown().optional(),
});
type Piece = z.infer<typeof PIECE>;

/**
 * A stream that ends without saying why the model did is an answer without an end.
 * @throws PROVIDER_*, the signal's reason
 */
export async function readChat(reply: Response, attempt: Attempt): Promise<Written> {
  const written = beginAnswer(attempt);
  for await (const data of payloads(reply, attempt)) {
    if (data === LAST) break;
    written.add(inShape(PIECE, parseJson(data, attempt, reply.headers.get('content-type')), attempt), data);
  }
  const answer = written.end();
  endRequest(attempt);
  return answer;
}

/** What stands behind the field names of a stream; of a server that does not stream, its whole answer. */
async function* payloads(reply: Response, attempt: Attempt): AsyncGenerator<string> {
  const others: string[] = [];
  for await (const line of bodyLines(reply, attempt)) {
    const field = FIELD.exec(line);
    if (field !== null) yield framed(field[1], line.slice(field[0].length).trim());
    else if (!OTHER_FIELD.test(line)) others.push(line);
  }
  if (others.length > 0) yield others.join('\n');
}

const framed = (field: string | undefined, data: string): string => (field === 'error' ? `{"error":${data}}` : data);

function beginAnswer(attempt: Attempt) {
  let text = '';
  let pieces = 0;
  let end: string | undefined;
  let usage: Piece['usage'];

  function add(piece: Piece, data: string): void {
    if (piece.error) throw failureIn(data, pieces, attempt);
    checkSignature(piece, attempt);
    pieces += 1;
    const [choice] = piece.choices;
    const said = choice?.delta ?? choice?.message;
    if (said?.refusal) throw badResponse('an answer', 'a refusal', attempt, 'item');
    text += said?.content ?? '';
    if (text.length > MAX_CHARACTERS) throw badResponse('an answer as short as asked', 'one without end', attempt);
    end = choice?.finish_reason ?? end;
    usage = piece.usage ?? usage;
  }

  return {
    add,
    end(): Written {
      if (pieces === 0) throw badResponse('a stream of pieces', 'an empty one', attempt);
      const counts = {
        promptTokens: usage?.prompt_tokens ?? undefined,
        answerTokens: usage?.completion_tokens ?? undefined,
      };
      return { text, end, ...counts };
    },
  };
}

/** In place of an answer it is no answer; behind the first piece it is a server that failed at its work. */
function failureIn(data: string, pieces: number, attempt: Attempt): unknown {
  if (pieces > 0) return streamedFailure(data, CHAT_PATH, attempt);
  return badResponse('an answer', `the error ${JSON.stringify(saidIn(data))}`, attempt);
}

/** Some servers answer with whatever they have in memory. Those that sign with nothing are believed. */
function checkSignature({ model: signed }: Piece, attempt: Attempt): void {
  if (!signed || mayBeSameModel(signed, attempt.model)) return;
  throw badResponse(`an answer of ${attempt.model}`, `one of ${signed}`, attempt);
}
