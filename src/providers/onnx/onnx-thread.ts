// The thread that runs an ONNX model: loads library, tokenizer and weights once, then makes one vector for each text, or one score for each pair.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { oneLine } from '../../base/visible-controls.ts';
import { type LibraryTokenizer, openTokenizer } from '../model2vec/open-tokenizer.ts';
import type { EmbedRequest, LoadRequest, ScoreRequest, TextRequest, ThreadReply, ThreadRequest } from './messages.ts';
import { RUNTIME, runtimeFault } from './runtime.ts';

/** The parts of the library that are used; it is not there when this is compiled. */
interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}
interface Session {
  readonly inputNames: readonly string[];
  run(feeds: Readonly<Record<string, unknown>>, options: object): Promise<Outputs>;
}
interface Runtime {
  readonly env: { logLevel: string; readonly wasm: { numThreads: number; wasmBinary: Uint8Array } };
  readonly InferenceSession: { create(bytes: Uint8Array, options: object): Promise<Session> };
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => unknown;
}
type Outputs = Readonly<Record<string, Tensor>>;
/** The texts of a pair are kinds 0 and 1. */
interface Token {
  readonly id: number;
  readonly kind: number;
}

interface Model {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly tokenizer: LibraryTokenizer;
  readonly request: LoadRequest;
}

class Unsuitable {
  readonly reply: ThreadReply;
  constructor(reason: string, cause?: unknown, advise?: true) {
    const said = cause === undefined ? {} : { cause: String(cause).slice(0, 500) };
    this.reply = { kind: 'unsuitable', reason, ...said, ...(advise && { advise }) };
  }
}

const INPUTS: Readonly<Record<string, (token: Token, at: number) => number>> = {
  input_ids: ({ id }) => id,
  attention_mask: () => 1,
  token_type_ids: ({ kind }) => kind,
  position_ids: (_, at) => at,
};

/** The tokenizer has more tokens than the network, which is no fault of other texts. */
const OUT_OF_TABLE = /out of data bounds|out of bounds/;

/** The library would print its errors, which are reported in any case. */
const SILENT = { logSeverityLevel: 4 };

/** The output with a vector for each token. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings'];

const SAMPLE: ScoreRequest = { kind: 'score', query: 'a', document: 'a' };

let model: Model | undefined;

async function load(request: LoadRequest): Promise<ThreadReply> {
  const runtime = await loadRuntime(request.runtime);
  const tokenizer = await loadTokenizer(request.folder);
  const session = await loadSession(runtime, join(request.folder, request.weights));
  const unknown = session.inputNames.find((name) => INPUTS[name] === undefined);
  if (unknown !== undefined)
    throw new Unsuitable(`its network has an input ${unknown.slice(0, 40)}, which is not supported`);
  model = { runtime, session, tokenizer, request };
  const reply = await (request.pooling === null ? score(SAMPLE, model) : embed({ kind: 'embed', text: 'a' }, model));
  if (reply.kind === 'unusable') throw new Unsuitable(`it answers with ${reply.received}`);
  if (reply.kind === 'score') return { kind: 'loaded', dims: 1 };
  return reply.kind === 'vector' ? { kind: 'loaded', dims: reply.vector.length } : reply;
}

async function loadRuntime(folder: string): Promise<Runtime> {
  const fault = await runtimeFault(folder);
  if (fault !== undefined) throw new Unsuitable(fault, undefined, true);
  const runtime: Runtime = await import(pathToFileURL(join(folder, RUNTIME.entry)).href);
  runtime.env.wasm.wasmBinary = await readFile(join(folder, RUNTIME.program));
  // A thread of its own would have to be ended with this one.
  runtime.env.wasm.numThreads = 1;
  runtime.env.logLevel = 'fatal';
  return runtime;
}

async function loadTokenizer(folder: string): Promise<LibraryTokenizer> {
  try {
    return await openTokenizer(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')));
  } catch (thrown) {
    throw new Unsuitable('its tokenizer.json cannot be read', thrown);
  }
}

const MAX_REASON = 240;

/** What the library says: the file is damaged, or has an opset or an operator that it does not know. It knows the file as bytes only. */
function reasonOf(thrown: unknown): string {
  const [, said = ''] = /ERROR_MESSAGE: (.*)/s.exec(String(thrown).slice(0, 2_000)) ?? [];
  // Begins with the place in its own source.
  const plain = oneLine(said.replace(/^\/\S{1,200} [^)]{1,400}\) /, ''))
    .trim()
    .slice(0, MAX_REASON);
  return plain === '' ? '' : `: ${plain.toWellFormed()}`;
}

async function loadSession({ InferenceSession }: Runtime, path: string): Promise<Session> {
  const bytes = await readFile(path);
  try {
    return await InferenceSession.create(bytes, {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      logSeverityLevel: 4,
    });
  } catch (thrown) {
    throw new Unsuitable(`${RUNTIME.name} cannot load its weights${reasonOf(thrown)}`, thrown);
  }
}

/** One text at a time: a network of small numbers computes with the range of all texts of a batch, so that they would change each other's vectors. */
async function embed({ text }: EmbedRequest, loaded: Model): Promise<ThreadReply> {
  const { tokenizer, request } = loaded;
  const ids = tokenizer.encode(text).ids.filter((id): id is number => id !== undefined);
  const tokens = ids.length;
  if (tokens > request.contextTokens) return { kind: 'too long', tokens };
  const outputs = await run(
    ids.map((id) => ({ id, kind: 0 })),
    loaded,
  );
  return 'received' in outputs ? outputs.received : vectorOf(outputs.made, tokens, request);
}

/** What does not fit is cut from the document, and its mark of the end is kept. */
async function score({ query, document }: ScoreRequest, loaded: Model): Promise<ThreadReply> {
  const { ids, token_type_ids: kinds = [] } = loaded.tokenizer.encode(query, {
    text_pair: document,
    return_token_type_ids: true,
  });
  const all = ids.flatMap((id, at): Token[] => (id === undefined ? [] : [{ id, kind: kinds[at] ?? 0 }]));
  const limit = loaded.request.contextTokens;
  const tokens = all.length > limit ? [...all.slice(0, limit - 1), ...all.slice(-1)] : all;
  const outputs = await run(tokens, loaded);
  return 'received' in outputs ? outputs.received : scoreOf(outputs.made, tokens.length);
}

type Run = { readonly made: Outputs } | { readonly received: ThreadReply };

async function run(tokens: readonly Token[], { runtime, session }: Model): Promise<Run> {
  if (tokens.length === 0) return { received: { kind: 'unusable', received: 'no token of the text' } };
  const feeds = session.inputNames.map((name) => {
    const numberOf = INPUTS[name] as (token: Token, at: number) => number;
    const data = BigInt64Array.from(tokens, (token, at) => BigInt(numberOf(token, at)));
    return [name, new runtime.Tensor('int64', data, [1, tokens.length])];
  });
  try {
    return { made: await session.run(Object.fromEntries(feeds), SILENT) };
  } catch (thrown) {
    // Every other error leaves the library as it may be: the thread ends with it, and the next call starts another.
    if (!OUT_OF_TABLE.test(String(thrown))) throw thrown;
    return { received: { kind: 'unusable', received: 'a token that the network does not know' } };
  }
}

function scoreOf(outputs: Outputs, tokens: number): ThreadReply {
  const { dims = [], data = [] } = outputs.logits ?? {};
  if (dims.length !== 2 || data.length !== 1)
    throw new Unsuitable(`it is no cross-encoder: its network has no output logits with one score for a pair of texts`);
  const [made = Number.NaN] = Array.from(data);
  return Number.isFinite(made)
    ? { kind: 'score', score: made, tokens }
    : { kind: 'unusable', received: 'a score that is not finite' };
}

function vectorOf(outputs: Outputs, tokens: number, { pooling }: LoadRequest): ThreadReply {
  const output = OUTPUTS.map((name) => outputs[name]).find((tensor) => tensor !== undefined);
  const [batch, rows, dims = 0] = output?.dims ?? [];
  if (output === undefined || batch !== 1 || rows !== tokens || dims < 1)
    throw new Unsuitable(`its network has no output ${OUTPUTS.join(' or ')} with a vector for each token`);
  const [from, to] = { mean: [0, tokens], cls: [0, 1], last: [tokens - 1, tokens] }[pooling ?? 'mean'] as [
    number,
    number,
  ];
  const sums = new Float64Array(dims);
  for (let at = from * dims; at < to * dims; at += 1)
    sums[at % dims] = (sums[at % dims] as number) + (output.data[at] as number);
  const length = Math.hypot(...sums);
  if (!Number.isFinite(length)) return { kind: 'unusable', received: 'a vector that is not finite' };
  if (length === 0) return { kind: 'unusable', received: 'a vector of zeros' };
  return { kind: 'vector', vector: Float32Array.from(sums, (sum) => sum / length), tokens };
}

const answerText = (request: TextRequest, loaded: Model): Promise<ThreadReply> =>
  request.kind === 'score' ? score(request, loaded) : embed(request, loaded);

async function answer(request: ThreadRequest): Promise<ThreadReply> {
  try {
    if (request.kind === 'load') return await load(request);
    return await answerText(request, model as Model);
  } catch (thrown) {
    if (thrown instanceof Unsuitable) return thrown.reply;
    throw thrown;
  }
}

parentPort?.on('message', (request: ThreadRequest) => {
  // What is thrown ends the thread, of which the program learns.
  void answer(request).then((reply) =>
    parentPort?.postMessage(reply, reply.kind === 'vector' ? [reply.vector.buffer] : []),
  );
});
