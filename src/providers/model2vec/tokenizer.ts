// Turns texts into the numbers of a model's tokens. The one place that knows the tokenizer library, loaded with the first model.
import * as z from 'zod';
import type { ModelFailures } from './model-failures.ts';

export interface ModelTokenizer {
  /** One more than the largest number that `tokensOf` can give. */
  readonly end: number;
  /** Known tokens alone, the first `MAX_TOKENS` of them. */
  tokensOf(text: string): readonly number[];
}

/** What these models were made for; what lies beyond is not read. */
export const MAX_TOKENS = 512;

/** What we need of the library, whose own types do not resolve. */
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
    throw failures.unsuitable('its tokenizer.json is none that can be read', thrown);
  }
}

function createTokenizer(library: LibraryTokenizer, { unk_token, unk_id }: TokenizerModel): ModelTokenizer {
  const vocabulary = library.get_vocab();
  const unknown = unk_id ?? (unk_token ? vocabulary.get(unk_token) : undefined);
  const mostCharacters = MAX_TOKENS * medianLength([...vocabulary.keys()]);
  return Object.freeze({
    end: endOf(vocabulary.values()),
    tokensOf: (text: string) => {
      const { ids } = library.encode(firstCharacters(text, mostCharacters), { add_special_tokens: false });
      return ids.filter((id): id is number => id !== undefined && id !== unknown).slice(0, MAX_TOKENS);
    },
  });
}

function endOf(numbers: Iterable<number>): number {
  let end = 0;
  for (const number of numbers) end = Math.max(end, number + 1);
  return end;
}

/** As the makers of these models count: the mean of the two in the middle, rounded down. */
function medianLength(tokens: readonly (string | undefined)[]): number {
  const lengths = Uint32Array.from(tokens, (token = '') => [...token].length).sort();
  const upper = lengths[lengths.length >> 1] ?? 1;
  const lower = lengths[(lengths.length - 1) >> 1] ?? 1;
  return Math.max(1, Math.floor((lower + upper) / 2));
}

function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
