// Reads tokenizer.json and takes the word list out of it. Runs on a thread, because a large list takes seconds.
import { type VocabularyData, vocabularyData } from './vocabulary.ts';

export interface TokenizerFile {
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly model: {
    readonly type?: string | null;
    readonly unk_token?: string | null;
    readonly unk_id?: number | null;
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [token: string, score: number])[];
  };
}

/** What the main thread needs of the file. */
export interface ReadTokenizer {
  /** Without its tokens, if `vocabulary` has them. */
  readonly file: TokenizerFile;
  /** Absent for a kind of tokenizer that keeps its tokens in maps of its own. */
  readonly vocabulary?: VocabularyData;
  /** The logarithms of the probabilities of a Unigram model, by id. */
  readonly scores?: Float64Array;
  /** One more than the largest id. */
  readonly end: number;
  readonly unknown: number | undefined;
  /** The median of the model2vec library: the mean of the two middle lengths, rounded down. */
  readonly medianLength: number;
}

/** Undefined if the file is of another shape. @throws SyntaxError */
export function readTokenizerFile(bytes: Uint8Array): ReadTokenizer | undefined {
  const file: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isTokenizer(file)) return undefined;
  const { type, vocab, unk_id, unk_token } = file.model;
  const isScored = Array.isArray(vocab);
  const tokens = new Map<string, number>(isScored ? vocab.map(([token], id) => [token, id]) : Object.entries(vocab));
  for (const { id, content } of file.added_tokens) tokens.set(content, id);
  const facts = {
    end: endOf(tokens.values()),
    unknown: unk_id ?? (unk_token ? tokens.get(unk_token) : undefined),
    medianLength: medianLength([...tokens.keys()]),
  };
  if (type === 'WordPiece') return { ...facts, file: withTokens(file, {}), vocabulary: vocabularyData(tokens) };
  if (type !== 'Unigram' || !isScored) return { ...facts, file };
  const scores = Float64Array.from(vocab, ([, score]) => score);
  return { ...facts, scores, file: withTokens(file, [['', 0]]), vocabulary: vocabularyData(tokens) };
}

/** By hand: a schema library takes longer to load than most files to read. */
function isTokenizer(file: unknown): file is TokenizerFile {
  const { added_tokens: added, model } = Object(file);
  const { vocab } = Object(model);
  if (!Array.isArray(added) || !added.every((each) => isEntry([Object(each).content, Object(each).id]))) return false;
  return (
    typeof vocab === 'object' && vocab !== null && (Array.isArray(vocab) ? vocab : Object.entries(vocab)).every(isEntry)
  );
}

const isEntry = (entry: unknown): boolean =>
  Array.isArray(entry) && typeof entry[0] === 'string' && Number.isFinite(entry[1]);

const withTokens = (file: TokenizerFile, vocab: TokenizerFile['model']['vocab']): TokenizerFile => ({
  ...file,
  model: { ...file.model, vocab },
});

function endOf(ids: Iterable<number>): number {
  let end = 0;
  for (const id of ids) end = Math.max(end, id + 1);
  return end;
}

function medianLength(tokens: readonly string[]): number {
  const lengths = Uint32Array.from(tokens, (token) => [...token].length).sort();
  const upper = lengths[lengths.length >> 1] ?? 1;
  const lower = lengths[(lengths.length - 1) >> 1] ?? 1;
  return Math.max(1, Math.floor((lower + upper) / 2));
}
