// The hits of a hybrid search as an answer shows them, and how they came about. Knows no provider and no store.
import { RRF_K } from '../../graph/fusion.ts';
import type { AskedVector } from './embed-query.ts';
import { type FusedHit, type Stretch, WEIGHTS } from './fused-page.ts';
import type { Lists } from './hybrid-lists.ts';
import type { Question } from './question.ts';
import type { Snippet } from './snippets.ts';

/** With the true rank and score in each list that found it. @param explain what each list gave to the score, too */
export function hitView(
  { path, title, score, named, text, vector }: FusedHit,
  snippet: Snippet | undefined,
  explain: boolean,
) {
  const share = (part: { readonly share: number }) => (explain ? { share: part.share } : {});
  const scores = {
    ...(text === undefined ? {} : { text: { rank: text.rank, bm25: text.bm25, ...share(text) } }),
    ...(vector === undefined ? {} : { vector: { rank: vector.rank, cosine: vector.cosine, ...share(vector) } }),
  };
  return { path, title, ...snippet, score, ...(named ? { named } : {}), scores };
}

/** How the question was read, which vectors it was compared with, and how two lists became one. @param ownMs without the provider */
export function explained(
  { query, meaning, ignored, binding }: Question,
  asked: AskedVector | undefined,
  { dropped, generation }: Lists,
  { depth }: Stretch,
  ownMs: number,
) {
  return {
    text: query ?? 'no word to look up: meaning alone decides',
    dropped: { without_letters: ignored, function_words: binding, in_most_notes: dropped },
    ...(asked === undefined ? {} : { vector: { meaning, generation: generation?.id, ...modelView(asked) } }),
    fusion: { method: 'reciprocal rank fusion', k: RRF_K, weights: WEIGHTS, depth },
    timing_ms: { provider: Math.round(asked?.providerMs ?? 0), own: Math.round(ownMs) },
  };
}

function modelView({ identity }: AskedVector) {
  const { provider, model, dims, queryPrefix, documentPrefix } = identity;
  return { provider, model, dims, prefixes: { query: queryPrefix, document: documentPrefix } };
}
