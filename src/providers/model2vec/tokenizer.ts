// Turns texts into a model's token ids with the tokenizer library, which is loaded with the first model.
import { VaultgraphError } from '../../base/errors.ts';
import { WorkerClient } from '../../base/threads/worker-client.ts';
import { startErrno, threadScript } from '../../base/threads/worker-threads.ts';
import type { ModelFailures } from './model-failures.ts';
import { type LibraryTokenizer, openTokenizer } from './open-tokenizer.ts';
import { createVocabulary, type ReadTokenizer, type Vocabulary } from './read-tokenizer.ts';

export interface ModelTokenizer {
  /** One more than the largest id that `tokensOf` returns. */
  readonly end: number;
  tokensOf(text: string): Tokens;
}

export interface Tokens {
  /** The ids of the first `MAX_TOKENS` known tokens. */
  readonly ids: readonly number[];
  /** The number of all tokens, and of those that the model does not know. */
  readonly count: number;
  readonly unknown: number;
}

/** The length that these models were made for; the rest of a text is not read. */
export const MAX_TOKENS = 512;

const THREAD = threadScript('tokenizer-thread', import.meta.url);

/** @param bytes of tokenizer.json; moved to the thread that parses it @throws PROVIDER_MODEL_UNSUITABLE */
export async function readTokenizer(bytes: Uint8Array<ArrayBuffer>, failures: ModelFailures): Promise<ModelTokenizer> {
  const failure = (cause: unknown): Error => {
    const errno = startErrno(cause);
    return errno === undefined
      ? failures.unsuitable('its tokenizer.json cannot be read', cause)
      : failures.unavailable(errno, cause);
  };
  const thread = new WorkerClient<Uint8Array, ReadTokenizer | undefined>(THREAD, {
    name: 'vaultgraph-tokenizer',
    failure,
  });
  try {
    const reply = await thread.ask(bytes, [bytes.buffer]);
    if (reply === undefined) throw failure(undefined);
    return createTokenizer(await openTokenizer(reply.file), reply);
  } catch (thrown) {
    throw thrown instanceof VaultgraphError ? thrown : failure(thrown);
  } finally {
    await thread.close();
  }
}

function createTokenizer(library: LibraryTokenizer, read: ReadTokenizer): ModelTokenizer {
  const { vocabulary, unknown, end, medianLength } = read;
  if (vocabulary !== undefined) Object.assign(library.model, wordList(createVocabulary(vocabulary), read));
  const maxCharacters = MAX_TOKENS * medianLength;
  return Object.freeze({
    end,
    tokensOf: (text: string) => {
      const { ids } = library.encode(firstCharacters(text, maxCharacters), { add_special_tokens: false });
      const tokens = ids.filter((id): id is number => id !== undefined && id !== unknown);
      return { ids: tokens.slice(0, MAX_TOKENS), count: ids.length, unknown: ids.length - tokens.length };
    },
  });
}

/** The library's penalty for an unknown character, below the least probable token. */
const UNKNOWN_PENALTY = 10;

/** The members of the library's WordPiece and Unigram models that depend on the tokens; a test compares them with the library's own. */
function wordList(tokens: Vocabulary, { file, unknown, scores }: ReadTokenizer): Record<string, unknown> {
  const shared = { tokens_to_ids: tokens, vocab: [], unk_token_id: unknown };
  if (scores === undefined) return { ...shared, unk_token: file.model.unk_token };
  const min_score = scores.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
  const unk_score = min_score - UNKNOWN_PENALTY;
  if (unknown !== undefined) scores[unknown] = unk_score;
  const trie = { common_prefix_search: scoredPrefixes };
  return { ...shared, scores, min_score, unk_score, bos_token_id: tokens.get(' '), trie };

  function* scoredPrefixes(characters: readonly string[], start = 0): Generator<string> {
    for (const token of tokens.prefixes(characters, start))
      if ((tokens.get(token) as number) < (scores as Float64Array).length) yield token;
  }
}

function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
