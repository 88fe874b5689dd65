// Opens a tokenizer with the tokenizer library, so that its ids are those of the reference.
import { SizedMap } from '../../base/async/sized-map.ts';
import {
  NORMALIZERS,
  type Normalize,
  PRE_TOKENIZERS,
  type PreTokenize,
  type Step,
  splitText,
} from './tokenizer-steps.ts';

/** The parts of the library that are used; its own types do not resolve. */
export interface LibraryTokenizer {
  encode(
    text: string,
    options?: {
      readonly add_special_tokens?: boolean;
      readonly text_pair?: string;
      readonly return_token_type_ids?: true;
    },
  ): { readonly ids: readonly (number | undefined)[]; readonly token_type_ids?: readonly number[] };
  /** Has the word list, which `model2vec` replaces. */
  readonly model: Record<string, unknown> & { _call(pieces: readonly string[]): string[] };
  normalizer: Normalize | null;
  pre_tokenizer: ((text: string, options: { readonly section_index: number }) => readonly string[]) | null;
}

interface Library {
  readonly Tokenizer: new (file: object, config: object) => LibraryTokenizer;
  readonly SequenceNormalizer: new (step: object) => Normalize;
  readonly SequencePreTokenizer: new (step: object) => (text: string) => readonly string[];
  readonly SplitPreTokenizer: new (step: Step) => { readonly pattern: RegExp | null };
  readonly ByteLevelPreTokenizer: new (step: Step) => (text: string) => readonly string[];
}

/** The library's pattern, but for spaces: those of JavaScript have one more and one less. */
const BYTE_LEVEL =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** @throws if the file is not one that the library knows */
export async function openTokenizer(file: object): Promise<LibraryTokenizer> {
  const library = (await import('@huggingface/tokenizers')) as unknown as Library;
  const tokenizer = new library.Tokenizer(file, {});
  const { normalizer, pre_tokenizer: before } = file as Readonly<Record<string, Step | null>>;
  if (normalizer) tokenizer.normalizer = normalizerOf(normalizer, library);
  if (before) {
    const split = preTokenizerOf(before, library);
    tokenizer.pre_tokenizer = (text, { section_index: section }) => split(text, section === 0);
  }
  const { model } = tokenizer;
  const call = model._call.bind(model);
  model._call = pieceByPiece((piece) => call([piece]));
  return tokenizer;
}

const MAX_KEPT = 10_000;
const MAX_KEPT_LENGTH = 32;

/** The library joins unknown characters also beyond the end of a piece. The tokens of most words are asked for again. */
function pieceByPiece(tokensOf: (piece: string) => string[]) {
  const cache = new SizedMap<string, string[]>(MAX_KEPT);
  function keptTokens(piece: string): string[] {
    const before = cache.get(piece);
    if (before !== undefined) return before;
    const tokens = tokensOf(piece);
    if (piece.length <= MAX_KEPT_LENGTH) cache.set(piece, tokens);
    return tokens;
  }
  return (pieces: readonly string[]): string[] => pieces.flatMap(keptTokens);
}

const stepsIn = (list: unknown): readonly Step[] => (Array.isArray(list) ? list : []);

function normalizerOf(step: Step, library: Library): Normalize {
  if (step.type !== 'Sequence')
    return NORMALIZERS[step.type ?? '']?.(step) ?? new library.SequenceNormalizer({ normalizers: [step] });
  const all = stepsIn(step.normalizers).map((each) => normalizerOf(each, library));
  return (text) => all.reduce((normalized, each) => each(normalized), text);
}

function preTokenizerOf(step: Step, library: Library): PreTokenize {
  if (step.type === 'Split') return splitOf(step, library);
  if (step.type === 'ByteLevel') return Object.assign(new library.ByteLevelPreTokenizer(step), { pattern: BYTE_LEVEL });
  if (step.type !== 'Sequence')
    return PRE_TOKENIZERS[step.type ?? '']?.(step) ?? new library.SequencePreTokenizer({ pretokenizers: [step] });
  const all = stepsIn(step.pretokenizers).map((each) => preTokenizerOf(each, library));
  return (text, isFirst) =>
    all.reduce<readonly string[]>(
      (pieces, each) => pieces.flatMap((piece, at) => each(piece, isFirst && at === 0)),
      [text],
    );
}

/** The library reads the pattern, and knows some behaviors. */
function splitOf(step: Step, { SplitPreTokenizer }: Library): PreTokenize {
  const { pattern } = new SplitPreTokenizer(step);
  return (text) => (pattern === null ? [] : splitText(text, pattern, String(step.behavior), step.invert === true));
}
