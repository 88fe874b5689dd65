// Writes folders with tiny ONNX models, whose network looks up a row of a table for each token, for tests without weights.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RUNTIME, runtimeFolder } from '../../src/providers/onnx/runtime.ts';
import { fetched } from '../packages/fetched.ts';
import { type ModelToWrite, smallModel, wordPiece } from './model2vec-folder.ts';

export interface OnnxToWrite {
  readonly model?: ModelToWrite;
  readonly opset?: number;
  /** What the network is told to read. */
  readonly input?: string;
  /** A cross-encoder: the score of a pair is the mean over all tokens, where a token of the query counts nothing and one of the document its first number. */
  readonly pairs?: true;
  /** The network never ends with a text that has this token. */
  readonly endless?: string;
  readonly pooling?: object;
  /** Replace or, as undefined, leave out a file. */
  readonly files?: Readonly<Record<string, string | Buffer | undefined>>;
}

const POOLING = { pooling_mode_mean_tokens: true, pooling_mode_cls_token: false };

const SCORING = { architectures: ['BertForSequenceClassification'] };
const part = (id: 'A' | 'B', type_id: number) => ({ Sequence: { id, type_id } });
/** Says which tokens are the query's. */
const PAIRS = {
  type: 'TemplateProcessing',
  single: [part('A', 0)],
  pair: [part('A', 0), part('B', 1)],
  special_tokens: {},
};

export function writeOnnxModel(folder: string, written: OnnxToWrite = {}): void {
  const { model = smallModel(), pooling = POOLING, files = {} } = written;
  const all: Record<string, string | Buffer | undefined> = {
    'onnx/model.onnx': written.pairs
      ? crossEncoder(model)
      : (endlessNetwork(model, written.endless) ?? network(model, written)),
    'tokenizer.json': JSON.stringify({ ...wordPiece(model.tokens), ...(written.pairs && { post_processor: PAIRS }) }),
    'config.json': JSON.stringify({ model_type: 'bert', max_position_embeddings: 64, ...(written.pairs && SCORING) }),
    '1_Pooling/config.json': written.pairs ? undefined : JSON.stringify(pooling),
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** Where the package is that the tests fetch. */
export const packageFolder = join(fetched('onnx'), RUNTIME.name);

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

interface Graph {
  readonly nodes: readonly Buffer[];
  readonly tables: readonly Buffer[];
  readonly inputs: readonly string[];
  readonly output: readonly [name: string, dims: readonly (string | number)[]];
}

function table(name: string, rows: readonly (readonly number[])[]): Buffer {
  const data = Buffer.from(Float32Array.from(rows.flat()).buffer);
  return message(
    field(1, rows.length),
    field(1, rows[0]?.length ?? 0),
    field(2, FLOAT),
    field(8, name),
    field(9, data),
  );
}

const node = (type: string, inputs: readonly string[], output: string, ...attributes: readonly Buffer[]): Buffer =>
  message(
    ...inputs.map((input) => field(1, input)),
    field(2, output),
    field(4, type),
    ...attributes.map((attribute) => field(5, attribute)),
  );

function modelOf({ nodes, tables, inputs, output }: Graph, opset: number): Buffer {
  const graph = message(
    ...nodes.map((one) => field(1, one)),
    field(2, 'tiny'),
    ...tables.map((one) => field(5, one)),
    ...inputs.map((input) => field(11, value(input, INT64, ['batch', 'tokens']))),
    field(12, value(output[0], FLOAT, output[1])),
  );
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ''), field(2, opset))));
}

/** `last_hidden_state` is the row of `table` for each of `input_ids`. */
function network({ rows }: ModelToWrite, { opset = 13, input = 'input_ids' }: OnnxToWrite): Buffer {
  const nodes = [node('Gather', ['table', input], 'last_hidden_state')];
  const dims = rows[0]?.length ?? 0;
  const output = ['last_hidden_state', ['batch', 'tokens', dims]] as const;
  return modelOf({ nodes, tables: [table('table', rows)], inputs: [input], output }, opset);
}

const INTS = 7;
const WHOLE_NUMBER = 2;

function crossEncoder({ rows }: ModelToWrite): Buffer {
  const nodes = [
    node('Gather', ['table', 'input_ids'], 'numbers'),
    node('Gather', ['kinds', 'token_type_ids'], 'counted'),
    node('Mul', ['numbers', 'counted'], 'scores'),
    node(
      'ReduceMean',
      ['scores'],
      'logits',
      message(field(1, 'axes'), field(8, 1), field(20, INTS)),
      message(field(1, 'keepdims'), field(3, 0), field(20, WHOLE_NUMBER)),
    ),
  ];
  const numbers = rows.map(([first = 0]) => [first]);
  const tables = [table('table', numbers), table('kinds', [[0], [1]])];
  const inputs = ['input_ids', 'token_type_ids'];
  return modelOf({ nodes, tables, inputs, output: ['logits', ['batch', 1]] }, 13);
}

const GRAPH = 5;
const BOOL = 9;
const FOREVER = 2 ** 52;

/** As `network`, after a loop that has no end for a text with the token, and no step for others. */
function endlessNetwork({ tokens, rows }: ModelToWrite, endless: string | undefined): Buffer | undefined {
  if (endless === undefined) return undefined;
  const step = message(
    field(1, node('Identity', ['go'], 'going')),
    field(1, node('Identity', ['before'], 'after')),
    field(2, 'step'),
    ...[value('round', INT64, []), value('go', BOOL, []), value('before', FLOAT, ['batch', 'tokens', 'dims'])].map(
      (input) => field(11, input),
    ),
    ...[value('going', BOOL, []), value('after', FLOAT, ['batch', 'tokens', 'dims'])].map((output) =>
      field(12, output),
    ),
  );
  const steps = BigInt64Array.from(tokens, (token) => (token === endless ? BigInt(FOREVER) : 0n));
  const nodes = [
    node('Gather', ['table', 'input_ids'], 'numbers'),
    node('Gather', ['steps', 'input_ids'], 'steps of tokens'),
    node(
      'ReduceMax',
      ['steps of tokens'],
      'rounds',
      message(field(1, 'keepdims'), field(3, 0), field(20, WHOLE_NUMBER)),
    ),
    node(
      'Loop',
      ['rounds', '', 'numbers'],
      'last_hidden_state',
      message(field(1, 'body'), field(6, step), field(20, GRAPH)),
    ),
  ];
  const counts = message(
    field(1, tokens.length),
    field(2, INT64),
    field(8, 'steps'),
    field(9, Buffer.from(steps.buffer)),
  );
  const output = ['last_hidden_state', ['batch', 'tokens', rows[0]?.length ?? 0]] as const;
  return modelOf({ nodes, tables: [table('table', rows), counts], inputs: ['input_ids'], output }, 13);
}
