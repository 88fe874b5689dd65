// `POST /v1/embeddings` of the fake OpenAI-compatible server.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, jsonAnswer } from '../http/exchange.ts';
import { readOf, textVector, wordsOf } from '../text-vector.ts';
import type { Flavour } from './flavours.ts';

/** What happens with a request whose text contains the word. */
export type OpenaiPoison = 'too long' | 'rejected' | 'nan';

export interface OpenaiSettings {
  /** The model name that it serves and lists. */
  readonly model: string;
  /** Other weights under the same name give other vectors. */
  readonly weights: string;
  readonly dims: number;
  /** A token is a word or a CJK character. */
  readonly contextTokens: number;
  /** Another tokenizer. */
  readonly countTokens: (text: string) => number;
  /** What an answer reports of the tokens it counted; undefined reports nothing. */
  readonly usage: (tokens: number) => number | undefined;
  /** The time for each text. */
  readonly textMs: number;
  /** Whether a request may ask for fewer dimensions. */
  readonly isMatryoshka: boolean;
  /** Whether results come in another order than the texts, identified only by `index`. */
  readonly shuffles: boolean;
  /** Vectors have unit length times this. */
  readonly scale: number;
  readonly poison: Readonly<Record<string, OpenaiPoison>>;
  /** The required API key; default: none. */
  readonly apiKey?: string;
}

export const USUAL_OPENAI: OpenaiSettings = {
  model: 'embeddinggemma',
  weights: '',
  dims: 64,
  contextTokens: 2_048,
  countTokens: (text) => wordsOf(text).length,
  usage: (tokens) => tokens,
  textMs: 0,
  isMatryoshka: true,
  shuffles: false,
  scale: 1,
  poison: {},
};

export async function answerEmbeddings(
  // biome-ignore lint/suspicious/noExplicitAny: a body as it came over the wire.
  body: any,
  now: OpenaiSettings,
  flavour: Flavour,
  closed: AbortSignal,
): Promise<Answer> {
  const texts = typeof body?.input === 'string' ? [body.input] : body?.input;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    return flavour.error(400, "'input' field must be a string or an array of strings");
  const refusal = refusalOf(texts, body, now, flavour);
  if (refusal !== undefined) return refusal;
  if (now.textMs > 0) await sleep(now.textMs * texts.length, undefined, { signal: closed });
  const data = texts.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: written(vectorOf(text, body.dimensions, now), body.encoding_format),
  }));
  const tokens = now.usage(texts.reduce((sum, text) => sum + now.countTokens(readOf(text, now)), 0));
  return jsonAnswer(200, {
    object: 'list',
    data: now.shuffles ? shuffled(data) : data,
    model: flavour.signedAs(String(body.model), now.model),
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
  });
}

function refusalOf(
  texts: readonly string[],
  body: { model?: unknown; dimensions?: unknown },
  now: OpenaiSettings,
  flavour: Flavour,
): Answer | undefined {
  if (texts.length > flavour.mostTexts)
    return flavour.error(422, `batch size ${texts.length} > maximum allowed batch size ${flavour.mostTexts}`);
  if (body.model !== now.model) {
    const unknown = flavour.unknownModel(String(body.model));
    if (unknown !== undefined) return unknown;
  }
  if (body.dimensions !== undefined && !now.isMatryoshka && flavour.refusesDimensions !== undefined)
    return flavour.refusesDimensions(now.model);
  return texts.map((text) => refusalOfText(text, now, flavour)).find((refusal) => refusal !== undefined);
}

function refusalOfText(text: string, now: OpenaiSettings, flavour: Flavour): Answer | undefined {
  const tokens = now.countTokens(text);
  if (tokens > now.contextTokens || poisonOf(text, now) === 'too long') {
    const refusal = flavour.tooLong(tokens, now.contextTokens);
    if (refusal !== undefined) return refusal;
  }
  // Parsers and tokenizers of most of these servers stop at an unpaired surrogate.
  if (!text.isWellFormed()) return flavour.error(400, 'invalid string: surrogate must be followed by another');
  return poisonOf(text, now) === 'rejected' ? flavour.error(400, 'cannot decode this input') : undefined;
}

const poisonOf = (text: string, { poison }: OpenaiSettings): OpenaiPoison | undefined =>
  Object.entries(poison).find(([word]) => text.includes(word))?.[1];

function vectorOf(text: string, dimensions: unknown, now: OpenaiSettings): number[] {
  const vector = [...textVector(readOf(text, now), now.dims, now.weights)].map((number) => number * now.scale);
  if (poisonOf(text, now) === 'nan') vector[0] = Number.NaN;
  return typeof dimensions === 'number' && now.isMatryoshka ? vector.slice(0, dimensions) : vector;
}

/** Unless a request asks for numbers, it gets the bytes of 32-bit floats. */
function written(vector: readonly number[], format: unknown): unknown {
  return format === 'float' ? vector : Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}

/** Never the original order, if there are two or more. */
const shuffled = <T>(items: readonly T[]): T[] => [...items.slice(1), ...items.slice(0, 1)].reverse();
