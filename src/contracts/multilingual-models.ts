// Recognizes embedding models for many languages by their names.

/** Parts of the names of widely used models that read some ten to a hundred languages. */
const MULTILINGUAL =
  /multilingual|distiluse|labse|bge-?m3|embedding-?gemma|qwen3?-embed|arctic-embed-?(?:.*v2|2)|nomic-embed-text-v2|jina-embeddings-v[34]|jina-clip-v2|granite-embedding:(?:107|278)m|text-embedding-(?:3|ada|004)|gemini-embed|embed-v4|voyage-[3-9]/i;

/** False also for a model whose name says nothing. */
export const isMultilingual = (model: string): boolean => MULTILINGUAL.test(model);
