// Errors of OpenAI-compatible servers, and responses with bad vectors.
import { type Answer, type Fault, jsonAnswer } from '../http/exchange.ts';
import { changed, instead } from '../http/faults.ts';
import { vectorFaults } from '../http/vector-faults.ts';
import { FLAVOURS, type FlavourName } from './flavours.ts';

/** An error in the flavour's own format; `retryAfter` is sent as the header without change. */
export function says(flavour: FlavourName, status: number, message: string, retryAfter?: string): Fault {
  return instead(withRetryAfter(FLAVOURS[flavour].error(status, message), retryAfter));
}

const withRetryAfter = (answer: Answer, retryAfter?: string): Answer =>
  retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };

/** llama.cpp while it loads. */
export const loadingModel = (): Fault =>
  instead(jsonAnswer(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }));
/** llama.cpp started for chat only. */
export const withoutEmbeddings = (): Fault =>
  instead(
    jsonAnswer(501, {
      error: {
        code: 501,
        message: 'This server does not support embeddings. Start it with `--embeddings`',
        type: 'not_supported_error',
      },
    }),
  );
/** LM Studio, if it does not have the model. */
export const noModelLoaded = (): Fault =>
  says('lm-studio', 404, "No models loaded. Please load a model in the developer page or use the 'lms load' command.");
/** LM Studio, if the model does not load. */
export const cannotLoad = (name = 'embeddinggemma'): Fault =>
  instead(
    jsonAnswer(400, {
      error: {
        message: `Failed to load model "${name}". Error: Model is not embedding.`,
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    }),
  );
export const errorInside = (error: unknown = 'The model has crashed'): Fault => instead(jsonAnswer(200, { error }));
/** The real vectors, with the name of another model. */
export const signedBy = (model: string): Fault => changed((body) => ({ ...body, model }));
export const unsigned = (): Fault => changed(({ model, ...body }) => body);
export const withIndexes = (indexOf: (at: number) => unknown): Fault =>
  changed((body) => ({
    ...body,
    data: body.data.map((item: object, at: number) => ({ ...item, index: indexOf(at) })),
  }));

interface Item {
  embedding: (number | null | string)[];
}

export const vectors = vectorFaults((body: { data: Item[] }, change) => ({
  ...body,
  data: change(body.data.map(({ embedding }) => embedding)).map((embedding, index) => ({
    object: 'embedding',
    index,
    embedding,
  })),
}));
