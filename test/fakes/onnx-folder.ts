// Writes folders with tiny ONNX models, whose network looks up a row of a table for each token, for tests without weights.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RUNTIME, runtimeFolder } from '../../src/providers/onnx/runtime.ts';
import { type ModelToWrite, smallModel, wordPiece } from './model2vec-folder.ts';

export interface OnnxToWrite {
  readonly model?: ModelToWrite;
  readonly opset?: number;
  /** What the network is told to read. */
  readonly input?: string;
  readonly pooling?: object;
  /** Replace or, as undefined, leave out a file. */
  readonly files?: Readonly<Record<string, string | Buffer | undefined>>;
}

const POOLING = { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false };

export function writeOnnxModel(folder: string, written: OnnxToWrite = {}): void {
  const { model = smallModel(), pooling = POOLING, files = {} } = written;
  const all: Record<string, string | Buffer | undefined> = {
    'onnx/model.onnx': network(model, written),
    'tokenizer.json': JSON.stringify(wordPiece(model.tokens)),
    'config.json': JSON.stringify({ model_type: 'bert', max_position_embeddings: 64 }),
    '1_Pooling/config.json': JSON.stringify(pooling),
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** Where the package is that `npm ci` installs for the tests. */
export const packageFolder = join(dirname(createRequire(import.meta.url).resolve(RUNTIME.name)), '..');

/** The pinned library beside the model, as `models add` puts it there. */
export function linkRuntime(folder: string): void {
  const target = runtimeFolder(folder);
  mkdirSync(target, { recursive: true });
  for (const file of Object.keys(RUNTIME.files)) symlinkSync(join(packageFolder, 'dist', file), join(target, file));
}

// The wire format of protocol buffers: each field is its number and kind, then a number or the length and the bytes.

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

const field = (number: number, value: number | string | Buffer): Buffer => {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);
const FLOAT = 1;
const INT64 = 7;

function value(name: string, type: number, dims: readonly (string | number)[]): Buffer {
  const shape = dims.map((dim) => field(1, typeof dim === 'string' ? field(2, dim) : field(1, dim)));
  const tensor = message(field(1, type), field(2, message(...shape)));
  return message(field(1, name), field(2, field(1, tensor)));
}

/** `last_hidden_state` is the row of `table` for each of `input_ids`. */
function network({ rows }: ModelToWrite, { opset = 13, input = 'input_ids' }: OnnxToWrite): Buffer {
  const dims = rows[0]?.length ?? 0;
  const data = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const table = message(field(1, rows.length), field(1, dims), field(2, FLOAT), field(8, 'table'), field(9, data));
  const node = message(field(1, 'table'), field(1, input), field(2, 'last_hidden_state'), field(4, 'Gather'));
  const graph = message(
    field(1, node),
    field(2, 'tiny'),
    field(5, table),
    field(11, value(input, INT64, ['batch', 'tokens'])),
    field(12, value('last_hidden_state', FLOAT, ['batch', 'tokens', dims])),
  );
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ''), field(2, opset))));
}
