// Knows the prefixes, context lengths and vector lengths of common embedding models.
import { VaultgraphError } from '../../base/errors.ts';
import type { EmbeddingInput, EmbeddingProvider, EmbeddingPurpose } from '../../contracts/embedding.ts';
import type { ModelServer } from './attempt.ts';

/** How the vectors of its tokens become one. */
export type Pooling = 'mean' | 'cls' | 'last';

interface Family {
  /** Matches the lower-case name without its registry, including its tag. */
  readonly named: RegExp;
  /** Absent where the name does not determine it. */
  readonly dims?: number;
  /** Tokens of a text that are certainly read: servers limit encoders to 2,048. */
  readonly context: number;
  /** The lengths below `dims` that it was trained to be truncated to: those listed, or all from a minimum. */
  readonly shorter?: readonly number[] | { readonly from: number };
  /** Needed where the model runs in this process, and its files do not say it. */
  readonly pooling?: Pooling;
  readonly query?: string;
  /** `{title}` is replaced by the note's title. */
  readonly document?: string;
}

const NOMIC = { query: 'search_query: ', document: 'search_document: ', dims: 768 };
const QWEN3 = {
  context: 4_096,
  shorter: { from: 32 },
  query: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
};
const E5 = { query: 'query: ', document: 'passage: ', context: 512, pooling: 'mean' } as const;
const GEMMA = {
  dims: 768,
  shorter: [512, 256, 128],
  query: 'task: search result | query: ',
  document: 'title: {title} | text: ',
};
const BGE_EN = {
  context: 512,
  pooling: 'cls',
  query: 'Represent this sentence for searching relevant passages: ',
} as const;
const MAX_QWEN3 = 4_096;

/** The first match applies. */
const FAMILIES: readonly Family[] = [
  // Not `embeddinggemma-270m`, which is no second version.
  { named: /embedding-?gemma[-_]?2(?![\da-z.])/, ...GEMMA, context: 8_192 },
  { named: /embedding-?gemma/, ...GEMMA, context: 2_048 },
  { named: /qwen3-embedding.*\b0\.6b/, dims: 1_024, ...QWEN3 },
  { named: /qwen3-embedding.*\b4b/, dims: 2_560, ...QWEN3 },
  { named: /qwen3-embedding.*\b8b/, dims: MAX_QWEN3, ...QWEN3 },
  { named: /qwen3-embedding/, ...QWEN3 },
  { named: /nomic-embed-text.*v2/, ...NOMIC, context: 512, shorter: [256] },
  { named: /nomic-embed-text/, ...NOMIC, context: 2_048, shorter: [512, 256, 128, 64] },
  {
    named: /mxbai-embed-large/,
    dims: 1_024,
    context: 512,
    shorter: [512],
    query: 'Represent this sentence for searching relevant passages: ',
  },
  { named: /\bbge-small-en/, dims: 384, ...BGE_EN },
  { named: /\bbge-base-en/, dims: 768, ...BGE_EN },
  { named: /\bbge-large-en/, dims: 1_024, ...BGE_EN },
  { named: /\bbge-m3/, dims: 1_024, context: 2_048 },
  { named: /snowflake-arctic-embed(?:2|-l-v2)/, dims: 1_024, context: 2_048, shorter: [256], query: 'query: ' },
  { named: /\ball-minilm/, dims: 384, context: 256, pooling: 'mean' },
  { named: /granite-embedding.*\b30m/, dims: 384, context: 512 },
  { named: /granite-embedding.*\b278m/, dims: 768, context: 512 },
  { named: /\be5-small(?!.*instruct)/, dims: 384, ...E5 },
  { named: /\be5-base(?!.*instruct)/, dims: 768, ...E5 },
  { named: /\be5-large(?!.*instruct)/, dims: 1_024, ...E5 },
];

/** The traits of its family; undefined for a name that says nothing. */
export function knownModel(name: string): Family | undefined {
  const family = familyOf(name);
  return family === UNKNOWN ? undefined : family;
}

/** Texts for an unknown model are short enough for the smallest known one. */
const UNKNOWN: Family = { named: /^/, context: 512 };

export interface ModelTraits {
  readonly queryPrefix: string;
  readonly documentPrefix: string;
  /** Tokens of one text that the model certainly reads. */
  readonly contextTokens: number;
  /** Absent where the length is not known before the first answer. */
  readonly dims?: number;
}

interface ConfiguredTraits {
  readonly model: string;
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
  readonly context?: number | undefined;
  readonly dimensions?: number | undefined;
}

/** From the config, with the model family's traits as defaults. */
export function traitsOf({ model, query_prefix, document_prefix, context, dimensions }: ConfiguredTraits): ModelTraits {
  const family = familyOf(model);
  const dims = dimensions ?? family.dims;
  return Object.freeze({
    queryPrefix: query_prefix ?? family.query ?? '',
    documentPrefix: document_prefix ?? family.document ?? '',
    contextTokens: context ?? family.context,
    ...(dims === undefined ? {} : { dims }),
  });
}

function familyOf(model: string): Family {
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return FAMILIES.find(({ named }) => named.test(name)) ?? UNKNOWN;
}

/** The vector lengths that the model supports, as text; undefined if `dimensions` is one of them, or they are unknown. */
export function allowedDimensions(model: string, dimensions: number): string | undefined {
  const { named, dims, shorter = [] } = familyOf(model);
  if (named === UNKNOWN.named) return undefined;
  if ('from' in shorter) {
    const max = dims ?? MAX_QWEN3;
    return dimensions >= shorter.from && dimensions <= max ? undefined : `${shorter.from} to ${max}`;
  }
  const sizes = dims === undefined ? shorter : [dims, ...shorter];
  return sizes.includes(dimensions) ? undefined : sizes.join(', ');
}

/** The text as it is sent, with its prefix. Replaces unpaired surrogates, for which some servers refuse the whole batch. */
export function prefixed(
  { text, title }: EmbeddingInput,
  purpose: EmbeddingPurpose,
  traits: Pick<ModelTraits, 'queryPrefix' | 'documentPrefix'>,
): string {
  const prefix = purpose === 'query' ? traits.queryPrefix : traits.documentPrefix;
  return (prefix.replace('{title}', () => title?.trim() || 'none') + text).toWellFormed();
}

/** An empty text must not be embedded: its vector would be close to all others. @throws INTERNAL */
export function checkTexts(inputs: readonly EmbeddingInput[]): void {
  if (inputs.some(({ text }) => text.trim() === ''))
    throw new VaultgraphError('INTERNAL', { kind: 'an empty text to embed' });
}

/**
 * A server may embed the texts of a request one by one: then a larger one is no faster, and only makes failures more expensive.
 * The characters are half the limit of the strictest server.
 */
const BATCH = Object.freeze({ items: 16, characters: 32_000, maxItems: 256 });

type EmbeddingFacts = Pick<
  EmbeddingProvider,
  'type' | 'model' | 'endpoint' | 'batch' | 'contextTokens' | 'reportsTokens'
>;

/** What a provider says about its model and its server. */
export function embeddingFacts({ provider, model, endpoint }: ModelServer, contextTokens: number): EmbeddingFacts {
  return { type: provider, model, endpoint, batch: BATCH, contextTokens, reportsTokens: true };
}
