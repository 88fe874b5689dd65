// Reads tokenizer.json and takes the word list out of it. Runs on a thread, because a large list takes seconds.
import { FNV_START, fnvWith } from '../../base/fnv.ts';

interface TokenizerFile {
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

/** Posted from the thread that reads the list. */
interface VocabularyData {
  /** The UTF-16 of all tokens, one after the other. */
  readonly text: Uint16Array;
  /** Where each token ends in `text`. */
  readonly ends: Uint32Array;
  readonly ids: Uint32Array;
  /** A hash table with the position of a token plus one, or 0. */
  readonly slots: Uint32Array;
  /** A bit for the hash of each beginning of a token: without the bit, no token begins like that. */
  readonly beginnings: Uint8Array;
}

export type Vocabulary = ReturnType<typeof createVocabulary>;

/** The lower bits alone are too much alike. */
const spread = (hash: number): number => (hash ^ (hash >>> 15)) >>> 0;

/** @param tokens each token once, with its id */
export function vocabularyData(tokens: ReadonlyMap<string, number>): VocabularyData {
  let length = 0;
  for (const token of tokens.keys()) length += token.length;
  const data: VocabularyData = {
    text: new Uint16Array(length),
    ends: new Uint32Array(tokens.size),
    ids: Uint32Array.from(tokens.values()),
    // At most half full, so that a search ends soon.
    slots: new Uint32Array(powerOfTwo(tokens.size * 2)),
    // Eight bits for each beginning: few bits are set by others.
    beginnings: new Uint8Array(powerOfTwo(length)),
  };
  let at = 0;
  for (const token of tokens.keys()) {
    addToken(data, token, at);
    at += 1;
  }
  return data;
}

const powerOfTwo = (atLeast: number): number => 2 ** Math.ceil(Math.log2(Math.max(2, atLeast)));

function addToken({ text, ends, slots, beginnings }: VocabularyData, token: string, at: number): void {
  let end = ends[at - 1] ?? 0;
  let hash = FNV_START;
  for (let index = 0; index < token.length; index += 1) {
    const unit = token.charCodeAt(index);
    text[end] = unit;
    end += 1;
    hash = fnvWith(hash, unit);
    const [byte, bit] = bitOf(hash, beginnings);
    beginnings[byte] = (beginnings[byte] as number) | bit;
  }
  ends[at] = end;
  let slot = spread(hash) & (slots.length - 1);
  while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
  slots[slot] = at + 1;
}

function bitOf(hash: number, bits: Uint8Array): readonly [byte: number, bit: number] {
  const place = spread(hash);
  return [(place >>> 3) & (bits.length - 1), 1 << (place & 7)];
}

/** Has the methods of a `Map` that the tokenizer library calls. */
export function createVocabulary({ text, ends, ids, slots, beginnings }: VocabularyData) {
  function get(token: string | undefined): number | undefined {
    if (token === undefined) return undefined;
    let hash = FNV_START;
    for (let index = 0; index < token.length; index += 1) hash = fnvWith(hash, token.charCodeAt(index));
    return idOf(token, hash);
  }

  function idOf(token: string, hash: number): number | undefined {
    let slot = spread(hash) & (slots.length - 1);
    for (let id = slots[slot] as number; id !== 0; id = slots[slot] as number) {
      if (isToken(id - 1, token)) return ids[id - 1];
      slot = (slot + 1) & (slots.length - 1);
    }
    return undefined;
  }

  function isToken(at: number, token: string): boolean {
    const from = ends[at - 1] ?? 0;
    if ((ends[at] as number) - from !== token.length) return false;
    for (let index = 0; index < token.length; index += 1)
      if (text[from + index] !== token.charCodeAt(index)) return false;
    return true;
  }

  /** The tokens at the beginning of `characters` from `start` on, shortest first. */
  function* prefixes(characters: readonly string[], start: number): Generator<string> {
    let [prefix, hash] = ['', FNV_START];
    for (let at = start; at < characters.length; at += 1) {
      const character = characters[at] as string;
      prefix += character;
      for (let index = 0; index < character.length; index += 1) hash = fnvWith(hash, character.charCodeAt(index));
      const [byte, bit] = bitOf(hash, beginnings);
      if (((beginnings[byte] as number) & bit) === 0) return;
      if (idOf(prefix, hash) !== undefined) yield prefix;
    }
  }

  return Object.freeze({ get, has: (token: string) => get(token) !== undefined, prefixes });
}
