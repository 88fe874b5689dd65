// `POST /api/embed` of the fake Ollama, with the real checks in the real order.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, jsonAnswer } from '../http/exchange.ts';
import { readOf, textVector } from '../text-vector.ts';
import { fullNameOf, type Model, type ServerPoison } from './model.ts';

const refused = (status: number, error: string): Answer => jsonAnswer(status, { error });

export const missingModel = (name: string): Answer =>
  refused(404, `model ${JSON.stringify(name)} not found, try pulling it first`);

// biome-ignore lint/suspicious/noExplicitAny: a body as it came over the wire.
type Body = any;

export async function answerEmbed(
  body: Body,
  models: ReadonlyMap<string, Model>,
  closed: AbortSignal,
): Promise<Answer> {
  if (body === undefined) return refused(400, 'missing request body');
  if (typeof body !== 'object') return refused(400, "invalid character 'x' looking for beginning of value");
  const texts = textsIn(body.input);
  if (texts === undefined) return refused(400, 'invalid input type');
  const model = models.get(fullNameOf(String(body.model)));
  if (model === undefined) return missingModel(String(body.model));
  const began = performance.now();
  await model.load(body.options, closed);
  const loaded = performance.now();
  await model.compute(
    texts.reduce((sum, text) => sum + model.countTokens(text), 0),
    closed,
  );
  const answer = await embedTexts(texts, body, model, closed);
  if (body.keep_alive === 0) model.unload();
  if (typeof answer === 'string') return refused(400, answer);
  if (texts.length === 0) return jsonAnswer(200, { model: body.model, embeddings: [] });
  return jsonAnswer(200, {
    model: body.model,
    embeddings: answer,
    total_duration: nanoseconds(performance.now() - began),
    load_duration: nanoseconds(loaded - began),
    prompt_eval_count: model.usage(texts.reduce((sum, text) => sum + model.countTokens(readOf(text, model)), 0)),
  });
}

const nanoseconds = (milliseconds: number): number => Math.max(1, Math.round(milliseconds * 1e6));

/** An empty string is no input; an empty string in a list is one. */
function textsIn(input: unknown): readonly string[] | undefined {
  if (input === undefined || input === null || input === '') return [];
  if (typeof input === 'string') return [input];
  return Array.isArray(input) && input.every((item) => typeof item === 'string') ? input : undefined;
}

/** @returns the vectors, or the first rejection: by then every text has been computed */
async function embedTexts(
  texts: readonly string[],
  body: Body,
  model: Model,
  closed: AbortSignal,
): Promise<number[][] | string> {
  const answers: (number[] | string)[] = [];
  for (const text of texts) {
    if (model.textMs > 0) await sleep(model.textMs, undefined, { signal: closed });
    answers.push(embedText(text, body, model));
  }
  return answers.find((answer) => typeof answer === 'string') ?? (answers as number[][]);
}

const REFUSALS: Readonly<Record<ServerPoison, string>> = {
  'too long': 'the input length exceeds the context length',
  nan: 'embedding contains NaN or Inf values',
  crash: 'do embedding request: Post "http://127.0.0.1:39211/v1/embeddings": EOF',
  rejected: 'cannot decode this input',
};

function embedText(text: string, body: Body, model: Model): number[] | string {
  const poison = Object.entries(model.poison).find(([word]) => text.includes(word))?.[1];
  if (poison !== undefined) return REFUSALS[poison];
  const { dims, weights, contextTokens } = model;
  const isCut = model.countTokens(text) > contextTokens;
  if (isCut && body.truncate === false && !model.alwaysCuts) return REFUSALS['too long'];
  return resized(textVector(readOf(text, model), dims, weights), body.dimensions);
}

/** For any model, fewer dimensions are truncated and normalized; more are ignored. */
function resized(vector: Float32Array, dimensions: unknown): number[] {
  if (typeof dimensions !== 'number' || dimensions <= 0 || dimensions >= vector.length) return [...vector];
  const kept = [...vector.subarray(0, dimensions)];
  const length = Math.max(Math.hypot(...kept), 1e-12);
  return kept.map((number) => number / length);
}
