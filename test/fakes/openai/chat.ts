// `POST /v1/chat/completions` of the fake OpenAI-compatible server. Streams on request.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, jsonAnswer } from '../http/exchange.ts';
import { cutTo, type Performance, perform, type Script, tokensIn } from '../scripted-model.ts';
import type { OpenaiSettings } from './embed.ts';
import type { Flavour } from './flavours.ts';

// biome-ignore lint/suspicious/noExplicitAny: a body as it came over the wire.
type Body = any;

export function answerChat(
  body: Body,
  now: OpenaiSettings,
  flavour: Flavour,
  script: Script,
  closed: AbortSignal,
): Answer {
  if (!Array.isArray(body?.messages) || body.messages.length === 0)
    return flavour.error(400, "'messages' field is required");
  const unknown = body.model === now.model ? undefined : flavour.unknownModel(String(body.model));
  if (unknown !== undefined) return unknown;
  const tokens = tokensIn(body.messages);
  const refusal = tokens > now.contextTokens ? flavour.tooLong(tokens, now.contextTokens) : undefined;
  if (refusal !== undefined) return refusal;
  const schema = body.response_format?.json_schema?.schema;
  const read = cutTo(now.contextTokens, body.messages);
  const written = perform(script, read, schema, body.max_tokens ?? Number.POSITIVE_INFINITY);
  const head = { id: 'chatcmpl-1', created: 1_763_000_000, model: flavour.signedAs(String(body.model), now.model) };
  return body.stream === true ? streamed(head, body, written, now, closed) : whole(head, written, now);
}

function usageOf({ promptTokens, pieces }: Performance, { usage }: OpenaiSettings) {
  const prompt_tokens = usage(promptTokens);
  if (prompt_tokens === undefined) return undefined;
  return { prompt_tokens, completion_tokens: pieces.length, total_tokens: prompt_tokens + pieces.length };
}

function whole(head: object, written: Performance, now: OpenaiSettings): Answer {
  const message = { role: 'assistant', content: written.pieces.join('') };
  const choices = [{ index: 0, message, finish_reason: written.end }];
  return jsonAnswer(200, { ...head, object: 'chat.completion', choices, usage: usageOf(written, now) });
}

function streamed(head: object, body: Body, written: Performance, now: OpenaiSettings, closed: AbortSignal): Answer {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = async function* () {
    yield chunk({ role: 'assistant', content: '' });
    if (written.thinking !== '') yield chunk({ reasoning_content: written.thinking });
    for (const content of written.pieces) {
      if (now.textMs > 0) await sleep(now.textMs, undefined, { signal: closed });
      yield chunk({ content });
    }
    yield chunk({}, written.end);
    if (body.stream_options?.include_usage === true)
      yield { ...head, object: 'chat.completion.chunk', choices: [], usage: usageOf(written, now) };
    yield '[DONE]';
  };
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: asEvents(events()) };
}

async function* asEvents(events: AsyncIterable<object | string>): AsyncGenerator<string> {
  for await (const event of events) yield eventText(event);
}

export const eventText = (event: object | string): string =>
  `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
