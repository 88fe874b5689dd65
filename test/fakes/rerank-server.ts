// A fake rerank server on loopback with both wires: scores by shared words, failures on demand.
import { type Answer, type Fault, jsonAnswer, type LoggedRequest } from './http/exchange.ts';
import { changed } from './http/faults.ts';
import { type Loopback, openLoopback } from './http/loopback.ts';
import { wordsOf } from './text-vector.ts';

/** A higher score is a better answer. */
export type ScoreOf = (query: string, document: string) => number;

interface RerankSettings {
  readonly wire: 'cohere' | 'tei';
  readonly model: string;
  /** The bearer token that it requires. */
  readonly apiKey?: string;
  /** The most texts of one request. */
  readonly mostTexts: number;
  /** Words of the query and a text together; more is refused. */
  readonly contextWords: number;
}

const USUAL: RerankSettings = {
  wire: 'cohere',
  model: 'bge-reranker',
  mostTexts: Number.POSITIVE_INFINITY,
  contextWords: Number.POSITIVE_INFINITY,
};

/** The share of the query's words that the document has. */
const sharedWords: ScoreOf = (query, document) => {
  const words = wordsOf(query);
  const found = new Set(wordsOf(document));
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length);
};

export interface RerankServer extends Loopback {
  /** The base URL for the config. */
  readonly endpoint: string;
  /** The path of its requests, as in the log. */
  readonly path: string;
  /** Changes the scores from now on. */
  scores(scoreOf: ScoreOf): void;
}

export async function startReranker(settings: Partial<RerankSettings> = {}): Promise<RerankServer> {
  const now: RerankSettings = { ...USUAL, ...settings };
  let scoreOf = sharedWords;
  const base = now.wire === 'cohere' ? '/v1' : '';
  const path = `${base}/rerank`;
  const error = (status: number, message: string): Answer =>
    jsonAnswer(status, now.wire === 'cohere' ? { message } : { error: message, error_type: 'Validation' });

  const refusal = (request: LoggedRequest, query: string, texts: readonly string[]): Answer | undefined => {
    const { model } = request.body;
    if (now.wire === 'cohere' && model !== now.model) return error(404, `model '${model}' not found`);
    if (texts.length > now.mostTexts) return error(422, `batch size ${texts.length} > maximum ${now.mostTexts}`);
    const isLong = texts.some((text) => wordsOf(query).length + wordsOf(text).length > now.contextWords);
    return isLong ? error(413, '`inputs` must have less than 512 tokens') : undefined;
  };

  const answer = async (request: LoggedRequest): Promise<Answer> => {
    const { method, path: at, headers, body } = request;
    if (now.apiKey !== undefined && headers.authorization !== `Bearer ${now.apiKey}`) return error(401, 'invalid key');
    if (method !== 'POST' || at !== path) return { status: 404, body: '' };
    const texts: readonly string[] = now.wire === 'cohere' ? body.documents : body.texts;
    const refused = refusal(request, body.query, texts);
    if (refused !== undefined) return refused;
    const rows = texts.map((text, index) => ({ index, score: scoreOf(body.query, text) }));
    const sorted = rows.sort((one, two) => two.score - one.score);
    if (now.wire === 'tei') return jsonAnswer(200, sorted);
    const results = sorted.map(({ index, score }) => ({ index, relevance_score: score }));
    return jsonAnswer(200, { id: 'rerank-1', model: now.model, results: results.slice(0, body.top_n) });
  };

  const loopback = await openLoopback(answer);
  return Object.freeze({
    ...loopback,
    endpoint: `${loopback.origin}${base}`,
    path,
    scores: (next: ScoreOf) => {
      scoreOf = next;
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a row of either wire.
type Row = any;

/** The real rows, changed. */
export const otherRows = (change: (rows: Row[]) => unknown): Fault =>
  changed((body) => (Array.isArray(body) ? change(body) : { ...body, results: change(body.results) }));

/** The score of every row, under the name of its wire. */
export const withScores = (score: unknown): Fault =>
  otherRows((rows) => rows.map((row) => ({ ...row, ...('score' in row ? { score } : { relevance_score: score }) })));
