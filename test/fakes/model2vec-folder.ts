// Writes folders with small model2vec models, for tests that compare with values computed by hand.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textVector } from './text-vector.ts';

export type NumberType = 'F64' | 'F32' | 'F16' | 'BF16' | 'I8' | 'I32' | 'I64';

export interface TensorToWrite {
  readonly type: NumberType;
  readonly shape: readonly number[];
  readonly numbers: readonly number[];
}

export interface ModelToWrite {
  /** In the order of their ids. `[UNK]` stands for unknown words, `##s` continues a word. */
  readonly tokens: readonly string[];
  /** One vector per token, or per row that `mapping` refers to. */
  readonly rows: readonly (readonly number[])[];
  readonly weights?: readonly number[];
  readonly mapping?: readonly number[];
  readonly type?: NumberType;
  readonly mappingType?: 'I32' | 'I64';
}

export function writeModel(folder: string, model: ModelToWrite): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.safetensors'), safetensors(tensorsOf(model)));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(wordPiece(model.tokens)));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'model2vec', normalize: true }));
}

function tensorsOf({ rows, weights, mapping, type = 'F32', mappingType = 'I64' }: ModelToWrite) {
  const list = (numbers: readonly number[], of: NumberType) => ({ type: of, shape: [numbers.length], numbers });
  return {
    embeddings: { type, shape: [rows.length, rows[0]?.length ?? 0], numbers: rows.flat() },
    ...(weights && { weights: list(weights, type) }),
    ...(mapping && { mapping: list(mapping, mappingType) }),
  };
}

/** A BERT tokenizer.json: words in lower case, split into the longest known tokens. */
export function wordPiece(tokens: readonly string[]) {
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: '1.0',
    added_tokens: tokens.flatMap((content, id) => (content.startsWith('[') ? [{ id, content, ...special }] : [])),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    },
  };
}

/** The bytes of a safetensors file: length of the header, header, numbers. */
export function safetensors(tensors: Readonly<Record<string, TensorToWrite>>): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'np' } };
  const parts: Buffer[] = [];
  let at = 0;
  for (const [name, { type, shape, numbers }] of Object.entries(tensors)) {
    const bytes = WRITERS[type](numbers);
    header[name] = { dtype: type, shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  return withHeader(JSON.stringify(header), Buffer.concat(parts));
}

export function withHeader(header: string, data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), data]);
}

const bytesOf = (numbers: NodeJS.TypedArray): Buffer => Buffer.from(numbers.buffer as ArrayBuffer);

const WRITERS: Readonly<Record<NumberType, (numbers: readonly number[]) => Buffer>> = {
  F64: (numbers) => bytesOf(Float64Array.from(numbers)),
  F32: (numbers) => bytesOf(Float32Array.from(numbers)),
  F16: (numbers) => bytesOf(Uint16Array.from(numbers, halfBits)),
  BF16: (numbers) => bytesOf(Uint16Array.from(numbers, (number) => singleBits(number) >>> 16)),
  I8: (numbers) => bytesOf(Int8Array.from(numbers)),
  I32: (numbers) => bytesOf(Int32Array.from(numbers)),
  I64: (numbers) => bytesOf(BigInt64Array.from(numbers, BigInt)),
};

function singleBits(number: number): number {
  return new Uint32Array(Float32Array.of(number).buffer)[0] as number;
}

/** Truncated, not rounded: for numbers that fit in ten bits. */
function halfBits(number: number): number {
  const bits = singleBits(number);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127 + 15;
  const fraction = (bits >>> 13) & 0x3ff;
  if ((bits & 0x7fffffff) > 0x7f800000) return sign | 0x7e00;
  if (exponent >= 31) return sign | 0x7c00;
  if (exponent > 0) return sign | (exponent << 10) | fraction;
  return exponent < -10 ? sign : sign | ((fraction | 0x400) >> (1 - exponent));
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789.,:!?{}[]"`#=|'];
const WORDS =
  'the of and in a harbour harbours lies quiet before morning tide list numbers was sorted from small to large she planted beans ' +
  'along southern wall garden lamp turns lighthouse bread mountain short text next call something between after warm up traced another';

/** A model that knows some English words, splits all others into letters, and gives texts with common words similar vectors. */
export function smallModel(dims = 32, weights = ''): ModelToWrite {
  const words = [...new Set(WORDS.split(' '))].filter((word) => word.length > 1);
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...words, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)];
  const rows = tokens.map((token) => [...textVector(token, dims, weights)]);
  return { tokens, rows, weights: tokens.map((token) => (token.length > 3 ? 1 : 0.2)) };
}
