// The two protocols for reranking: their requests, and the scores in their answers.
import * as z from 'zod';
import type { Attempt } from '../model-server/attempt.ts';
import { badResponse, inShape } from '../model-server/failures.ts';
import { mayBeSameModel } from '../model-server/model-name.ts';

/** `cohere`: Cohere, Jina, llama.cpp, vLLM; `tei`: Text Embeddings Inference. */
export const WIRES = ['cohere', 'tei'] as const;
export type Wire = (typeof WIRES)[number];

interface Score {
  readonly index: number;
  readonly score: number | null;
}

interface WireForm {
  body(query: string, documents: readonly string[], model: string): object;
  /** @throws PROVIDER_BAD_RESPONSE */
  scores(answer: unknown, attempt: Attempt): readonly Score[];
}

const INDEX = z.int().min(0);
/** Servers write null where a number is not finite. */
const SCORE = z.number().nullable();
const COHERE = z.object({
  model: z.string().nullish().catch(undefined),
  results: z.array(z.object({ index: INDEX, relevance_score: SCORE })),
});
const TEI = z.array(z.object({ index: INDEX, score: SCORE }));

export const WIRE_FORMS: Readonly<Record<Wire, WireForm>> = Object.freeze({
  cohere: {
    body: (query, documents, model) => ({ model, query, documents, top_n: documents.length }),
    scores: (answer, attempt) => {
      const { model, results } = inShape(COHERE, answer, attempt);
      // Some servers answer with whatever model they have loaded.
      if (model && !mayBeSameModel(model, attempt.model))
        throw badResponse(`an answer of ${attempt.model}`, `one of ${model}`, attempt);
      return results.map(({ index, relevance_score: score }) => ({ index, score }));
    },
  },
  tei: {
    body: (query, texts) => ({ query, texts }),
    scores: (answer, attempt) => inShape(TEI, answer, attempt),
  },
});

/** The scores in the order of the documents. @throws PROVIDER_BAD_RESPONSE unless each document has one finite score */
export function inOrder(scores: readonly Score[], count: number, attempt: Attempt): readonly number[] {
  if (scores.length !== count) throw badResponse(`${count} scores`, `${scores.length}`, attempt);
  const byIndex = new Map(scores.map(({ index, score }) => [index, score]));
  return Array.from({ length: count }, (_, at) => {
    const score = byIndex.get(at);
    if (score === undefined) throw badResponse(`each index from 0 to ${count - 1} once`, 'others', attempt);
    if (score === null || !Number.isFinite(score))
      throw badResponse('finite scores', 'a score that is not finite', attempt);
    return score;
  });
}
