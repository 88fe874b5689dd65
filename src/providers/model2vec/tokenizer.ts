// Turns texts into a model's token ids with the tokenizer library, which is loaded with the first model.
import * as z from 'zod';
import type { ModelFailures } from './model-failures.ts';

export interface ModelTokenizer {
  /** One more than the largest id that `tokensOf` returns. */
  readonly end: number;
  /** The ids of the first `MAX_TOKENS` known tokens. */
  tokensOf(text: string): readonly number[];
}

/** The length that these models were made for; the rest of a text is not read. */
export const MAX_TOKENS = 512;

/** The part of the library that is used; its own types do not resolve. */
interface LibraryTokenizer {
  encode(
    text: string,
    options: { readonly add_special_tokens: boolean },
  ): { readonly ids: readonly (number | undefined)[] };
  get_vocab(): ReadonlyMap<string | undefined, number>;
}

const tokenizerFile = z.looseObject({
  added_tokens: z.array(z.unknown()),
  model: z.looseObject({ unk_token: z.string().nullish(), unk_id: z.int().nullish() }),
});

type TokenizerModel = z.infer<typeof tokenizerFile>['model'];

/** @param bytes of tokenizer.json @throws PROVIDER_MODEL_UNSUITABLE */
export async function readTokenizer(bytes: Buffer, failures: ModelFailures): Promise<ModelTokenizer> {
  const { Tokenizer } = await import('@huggingface/tokenizers');
  try {
    const file = tokenizerFile.parse(JSON.parse(bytes.toString('utf8')));
    return createTokenizer(new Tokenizer(file, {}) as LibraryTokenizer, file.model);
  } catch (thrown) {
    throw failures.unsuitable('its tokenizer.json cannot be read', thrown);
  }
}

function createTokenizer(library: LibraryTokenizer, { unk_token, unk_id }: TokenizerModel): ModelTokenizer {
  const vocabulary = library.get_vocab();
  const unknown = unk_id ?? (unk_token ? vocabulary.get(unk_token) : undefined);
  const maxCharacters = MAX_TOKENS * medianLength([...vocabulary.keys()]);
  return Object.freeze({
    end: endOf(vocabulary.values()),
    tokensOf: (text: string) => {
      const { ids } = library.encode(firstCharacters(text, maxCharacters), { add_special_tokens: false });
      return ids.filter((id): id is number => id !== undefined && id !== unknown).slice(0, MAX_TOKENS);
    },
  });
}

function endOf(ids: Iterable<number>): number {
  let end = 0;
  for (const id of ids) end = Math.max(end, id + 1);
  return end;
}

/** As in the model2vec library: the mean of the two middle lengths, rounded down. */
function medianLength(tokens: readonly (string | undefined)[]): number {
  const lengths = Uint32Array.from(tokens, (token = '') => [...token].length).sort();
  const upper = lengths[lengths.length >> 1] ?? 1;
  const lower = lengths[(lengths.length - 1) >> 1] ?? 1;
  return Math.max(1, Math.floor((lower + upper) / 2));
}

function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
