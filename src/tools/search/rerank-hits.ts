// Reorders the first hits of a search by their own scores and those of a rerank model.
import * as z from 'zod';
import type { RerankProvider } from '../../contracts/rerank.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { fittingEnd, sizeOf } from '../../markdown/chunk/text-size.ts';
import { excerptAround } from '../../markdown/excerpt/excerpt.ts';
import { interactiveCalls, reportProvider } from './provider-call.ts';
import { type HighlightTerm, readSnippets, type SnippetRequest } from './snippets.ts';

/** An argument of the tools that rerank, if the config names a rerank provider. */
export const rerankShape = { rerank: z.boolean().default(true).describe('order hits by the rerank model') };

/** Characters of a passage that the model reads at most. */
const MAX_PASSAGE = 1_200;
/** The query may take so much of what the model reads; the rest is for the document. */
const QUERY_SHARE = 0.5;
/** Marks of the model around and between query and document. */
const FRAME_TOKENS = 8;

/** What the model gave a hit; `before` is its rank in the list before, from 1. */
interface Scored {
  readonly rerank?: { readonly score: number; readonly before: number };
}

export type Reranked<Hit> = Hit & Scored;

/** A hit with its score in the list before. */
type Listed = Scored & { readonly score: number };

export interface HitsToRerank<Hit extends Listed> {
  /** The question in words, as written. */
  readonly query: string;
  readonly hits: readonly Hit[];
  readonly terms: readonly HighlightTerm[];
  passageOf(hit: Hit): SnippetRequest;
  /** Hits of a lower group come first, whatever their scores. */
  groupOf(hit: Hit): number;
}

/**
 * The first `top` hits by group and both scores, then the others as they are. One request, with the title and the best passage of each hit;
 * of a note that cannot be read only the title.
 * @throws PROVIDER_*, EGRESS_BLOCKED
 */
export async function rerankHits<Hit extends Listed>(
  { query, hits, terms, passageOf, groupOf }: HitsToRerank<Hit>,
  provider: RerankProvider,
  vault: Vault,
  call: CallContext,
): Promise<readonly Hit[]> {
  const first = hits.slice(0, provider.top);
  if (first.length === 0) return hits;
  const question = fittingQuery(query, provider, call);
  const documents = await documentsOf(first.map(passageOf), terms, question, provider, vault, call);
  const request = interactiveCalls(call)();
  const scores = await provider.rerank(question, documents, request, call.signal);
  reportProvider('rerank', provider, [request.trace], call);
  // Those that the model had no time for stay where they are.
  const { weight = weightOfScores(scores) } = provider;
  const [byModel, byList] = [relative(scores), relative(first.slice(0, scores.length).map(({ score }) => score))];
  const scored = scores.map((score, at) => ({
    hit: { ...(first[at] as Hit), rerank: { score, before: at + 1 } },
    group: groupOf(first[at] as Hit),
    sum: weight * (byModel[at] ?? 0) + (1 - weight) * (byList[at] ?? 0),
  }));
  const ordered = scored.sort((one, two) => one.group - two.group || two.sum - one.sum);
  return [...ordered.map(({ hit }) => hit), ...hits.slice(scored.length)];
}

/** The most that the scores of a model decide where the config does not say it; this and the next two are measured, see test/eval/README.md. */
const MAX_WEIGHT = 0.5;
/** With fewer scores, what is chance and what is not can be seen less. */
const ENOUGH_SCORES = 30;
/** The best of so many scores rises so many standard deviations above their mean by chance: the square root of this times the logarithm of their number. */
const CHANCE = 1.8;

/**
 * How much the scores of a model decide, from 0 to `MAX_WEIGHT`: the further the best of them stands out of the others, the more. Those
 * of a model that does not know the language of the notes are like chance.
 */
export function weightOfScores(scores: readonly number[]): number {
  const share = Math.min(shareOfScores(scores), shareOfScores(unbent(scores)));
  return MAX_WEIGHT * share * Math.min(1, Math.sqrt(scores.length / ENOUGH_SCORES));
}

const TINY = 1e-9;

/** Probabilities as a logistic function made them, and other positive scores by their logarithms: the best of bent scores stands out by chance, too. */
function unbent(scores: readonly number[]): readonly number[] {
  if (Math.min(...scores) < 0) return scores;
  const areProbabilities = Math.max(...scores) <= 1;
  return scores.map(
    (score) => Math.log(Math.max(TINY, score)) - (areProbabilities ? Math.log(Math.max(TINY, 1 - score)) : 0),
  );
}

/** From 0 to 1. */
function shareOfScores(scores: readonly number[]): number {
  const count = scores.length;
  const mean = scores.reduce((sum, score) => sum + score, 0) / count;
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / count);
  // One that differs from all others, which are equal, rises by `possible`.
  const [chance, possible] = [Math.sqrt(CHANCE * Math.log(count)), Math.sqrt(count - 1)];
  if (!(spread > 0) || possible <= chance) return 0;
  const rise = (Math.max(...scores) - mean) / spread;
  return Math.min(1, Math.max(0, (rise - chance) / (possible - chance)));
}

/** From 0 to 1. */
function relative(scores: readonly number[]): number[] {
  const least = Math.min(...scores);
  const range = Math.max(...scores) - least || 1;
  return scores.map((score) => (score - least) / range);
}

/** How many of the hits were reordered, as a field to spread. */
export function rerankedView(hits: readonly Scored[] | undefined): { reranked?: number } {
  const reranked = hits?.filter(({ rerank }) => rerank !== undefined).length ?? 0;
  return reranked === 0 ? {} : { reranked };
}

/** Servers refuse or cut what is too long, so a long query is cut here, and the answer says so. */
function fittingQuery(query: string, { contextTokens }: RerankProvider, call: CallContext): string {
  const question = cutTo(query, contextTokens * QUERY_SHARE);
  const message = `the rerank model reads ${contextTokens} tokens: only the beginning of the query counted for the order`;
  if (question.length < query.length) call.warn({ code: 'TRUNCATED', message });
  return question;
}

async function documentsOf(
  passages: readonly SnippetRequest[],
  terms: readonly HighlightTerm[],
  question: string,
  { contextTokens }: RerankProvider,
  vault: Vault,
  call: CallContext,
): Promise<string[]> {
  const snippets = await readSnippets(passages, terms, MAX_PASSAGE, vault, call);
  const left = contextTokens - FRAME_TOKENS - sizeOf(question).tokens;
  const positive = terms.filter(({ negated }) => !negated);
  return passages.map(({ path, title }) => {
    const head = `${title}\n`;
    const passage = fittingPassage(snippets.get(path)?.snippet ?? '', positive, left - sizeOf(head).tokens);
    return cutTo(`${head}${passage}`.trim(), left);
  });
}

/** The part of the passage around its terms that has so many tokens. */
function fittingPassage(passage: string, terms: readonly HighlightTerm[], tokens: number): string {
  const size = sizeOf(passage).tokens;
  if (size <= tokens) return passage;
  return excerptAround(passage, terms, Math.max(1, Math.floor((passage.length * tokens) / size))).snippet;
}

function cutTo(text: string, tokens: number): string {
  return text.slice(0, fittingEnd(text, 0, text.length, { words: Number.POSITIVE_INFINITY, tokens }));
}
