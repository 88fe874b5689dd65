// The differences between OpenAI-compatible servers: error formats, truncation, refusals and model names.
import { type Answer, jsonAnswer, textAnswer } from '../http/exchange.ts';

export type FlavourName = 'llama.cpp' | 'tei' | 'vllm' | 'lm-studio' | 'ollama';

export interface Flavour {
  error(status: number, message: string): Answer;
  /** The error for a text of `tokens`; undefined if the flavour truncates silently. */
  tooLong(tokens: number, limit: number): Answer | undefined;
  /** Maximum texts in one request; Infinity if there is no known limit. */
  readonly mostTexts: number;
  /** The error for an unknown model name; undefined if any name is accepted. */
  unknownModel(name: string): Answer | undefined;
  /** The model name in the response. */
  signedAs(requested: string, served: string): string;
  readonly listsModels: boolean;
  readonly chats: boolean;
  unknownPath(method: string, path: string): Answer;
  /** Default: the parameter is applied. */
  refusesDimensions?(model: string): Answer;
}

const nested = (type: string) => (status: number, message: string) =>
  jsonAnswer(status, { error: { code: status, message, type } });

const llamaCpp: Flavour = {
  error: nested('server_error'),
  tooLong: (tokens, limit) =>
    nested('server_error')(
      500,
      `input (${tokens} tokens) is too large to process. increase the physical batch size (current batch size: ${limit})`,
    ),
  mostTexts: Number.POSITIVE_INFINITY,
  unknownModel: () => undefined,
  signedAs: (requested) => requested,
  listsModels: true,
  chats: true,
  unknownPath: () => nested('not_found_error')(404, 'File Not Found'),
};

const teiError = (status: number, message: string, type = 'Validation'): Answer =>
  jsonAnswer(status, { message, code: status, type });

const tei: Flavour = {
  error: (status, message) => teiError(status, message, status === 429 ? 'Overloaded' : 'Backend'),
  tooLong: () => undefined,
  mostTexts: 32,
  unknownModel: () => undefined,
  signedAs: (_requested, served) => served,
  listsModels: false,
  chats: false,
  unknownPath: () => ({ status: 404, body: '' }),
};

const vllmError = (status: number, message: string, type = 'BadRequestError'): Answer =>
  jsonAnswer(status, { error: { message, type, param: null, code: status } });

const vllm: Flavour = {
  error: vllmError,
  tooLong: (tokens, limit) =>
    vllmError(
      400,
      `This model's maximum context length is ${limit} tokens. However, you requested ${tokens} tokens in the input for embedding generation. Please reduce the length of the input.`,
    ),
  mostTexts: Number.POSITIVE_INFINITY,
  unknownModel: (name) => vllmError(404, `The model \`${name}\` does not exist.`, 'NotFoundError'),
  signedAs: (requested) => requested,
  listsModels: true,
  chats: true,
  unknownPath: () => jsonAnswer(404, { detail: 'Not Found' }),
  refusesDimensions: (model) =>
    vllmError(
      400,
      `Model "${model}" does not support matryoshka representation, changing output dimensions will lead to poor results.`,
    ),
};

const lmStudio: Flavour = {
  error: (status, error) => jsonAnswer(status, { error }),
  tooLong: () => undefined,
  mostTexts: Number.POSITIVE_INFINITY,
  unknownModel: () => undefined,
  signedAs: (_requested, served) => served,
  listsModels: true,
  chats: true,
  unknownPath: (method, path) =>
    jsonAnswer(200, { error: `Unexpected endpoint or method. (${method} ${path}). Returning 200 anyway` }),
};

const ollamaError = (status: number, message: string, type = 'api_error'): Answer =>
  jsonAnswer(status, { error: { message, type, param: null, code: null } });

/** Ollama's second wire, which has no option against truncation. */
const ollama: Flavour = {
  error: ollamaError,
  tooLong: () => undefined,
  mostTexts: Number.POSITIVE_INFINITY,
  unknownModel: (name) => ollamaError(404, `model "${name}" not found, try pulling it first`, 'not_found_error'),
  signedAs: (requested) => requested,
  listsModels: true,
  chats: true,
  unknownPath: () => textAnswer(404, '404 page not found'),
};

export const FLAVOURS: Readonly<Record<FlavourName, Flavour>> = Object.freeze({
  'llama.cpp': llamaCpp,
  tei,
  vllm,
  'lm-studio': lmStudio,
  ollama,
});

/** The error format of older vLLM, without a wrapper object. */
export const flatVllmError = (status: number, message: string): Answer =>
  jsonAnswer(status, { object: 'error', message, type: 'BadRequestError', param: null, code: status });

export const plainNotFound = (): Answer => textAnswer(404, 'Not Found');
