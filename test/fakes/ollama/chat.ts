// `POST /api/chat` of the fake Ollama, with the real checks in the real order. Streams by default.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, jsonAnswer } from '../http/exchange.ts';
import { cutTo, type Performance, perform, type Script, tokensIn } from '../scripted-model.ts';
import { fullNameOf, type Model } from './model.ts';

const refused = (status: number, error: string): Answer => jsonAnswer(status, { error });

// biome-ignore lint/suspicious/noExplicitAny: a body as it came over the wire.
type Body = any;

const USUAL_CONTEXT = 4_096;

export async function answerChat(
  body: Body,
  models: ReadonlyMap<string, Model>,
  script: Script,
  closed: AbortSignal,
): Promise<Answer> {
  if (body === undefined) return refused(400, 'missing request body');
  if (typeof body !== 'object') return refused(400, "invalid character 'x' looking for beginning of value");
  const model = models.get(fullNameOf(String(body.model)));
  if (model === undefined) return refused(404, `model '${body.model}' not found`);
  const refusal = unable(body, model);
  if (refusal !== undefined) return refused(400, refusal);
  await model.load(body.options, closed);
  const messages = body.messages ?? [];
  if (messages.length === 0) return jsonAnswer(200, { ...recordOf(body, '', true), done_reason: 'load' });
  const context = Math.min(body.options?.num_ctx ?? USUAL_CONTEXT, model.contextTokens);
  if (tokensIn(messages) > context && body.truncate === false && !model.alwaysCuts)
    return refused(400, 'the input length exceeds the context length');
  const read = cutTo(context, fitting(messages, context));
  const written = perform(script, read, body.format, body.options?.num_predict ?? Infinity);
  const counted = { ...written, promptTokens: model.usage(written.promptTokens) };
  return body.stream === false ? whole(body, counted) : streamed(body, counted, model, closed);
}

function unable({ model, think }: Body, { capabilities }: Model): string | undefined {
  if (!capabilities.includes('completion')) return `"${model}" does not support chat`;
  return think === true && !capabilities.includes('thinking') ? `"${model}" does not support thinking` : undefined;
}

/** Drops the oldest messages silently until the rest fits; keeps the system's and the last. */
function fitting(messages: Body[], context: number): Body[] {
  const at = messages.findIndex(({ role }) => role !== 'system');
  if (tokensIn(messages) <= context || at < 0 || at === messages.length - 1) return messages;
  return fitting(messages.toSpliced(at, 1), context);
}

const recordOf = ({ model }: Body, content: string, done: boolean) => ({
  model,
  created_at: '2026-11-20T10:00:00.123456789Z',
  message: { role: 'assistant', content },
  done,
});

const NANOSECONDS = 1_000_000;

/** What was written, with the count that is reported. */
type Counted = Omit<Performance, 'promptTokens'> & { readonly promptTokens: number | undefined };

const lastOf = (body: Body, content: string, { end, promptTokens, pieces }: Counted) => ({
  ...recordOf(body, content, true),
  done_reason: end,
  total_duration: 3 * NANOSECONDS,
  load_duration: NANOSECONDS,
  prompt_eval_count: promptTokens,
  prompt_eval_duration: NANOSECONDS,
  eval_count: pieces.length,
  eval_duration: NANOSECONDS,
});

function whole(body: Body, written: Counted): Answer {
  return jsonAnswer(200, lastOf(body, written.pieces.join(''), written));
}

function streamed(body: Body, written: Counted, { tokenMs }: Model, closed: AbortSignal): Answer {
  const records = async function* () {
    if (written.thinking !== '')
      yield { ...recordOf(body, '', false), message: { role: 'assistant', content: '', thinking: written.thinking } };
    for (const piece of written.pieces) {
      if (tokenMs > 0) await sleep(tokenMs, undefined, { signal: closed });
      yield recordOf(body, piece, false);
    }
    yield lastOf(body, '', written);
  };
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: asLines(records()) };
}

async function* asLines(records: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}
