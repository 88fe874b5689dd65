// Reads from a model's own files how it is used: pooling, context length, prefixes. What they leave open is a reason to refuse it.
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isErrno } from '../../base/errno.ts';
import { knownModel, type ModelTraits, type Pooling } from '../model-server/model-families.ts';
import type { ModelFailures } from '../model2vec/model-failures.ts';
import { diskFailure, readModelFile } from '../model2vec/model-files.ts';

export interface ModelSettings extends ModelTraits {
  /** The files that the model consists of, with its weights first. */
  readonly files: readonly [weights: string, ...others: string[]];
  readonly weightsBytes: number;
  readonly tokenizerBytes: number;
  /** Null: it scores pairs of texts. */
  readonly pooling: Pooling | null;
}

/** What of the config decides how the files are read. */
export interface Configured {
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
  /** A cross-encoder, which makes no vector. */
  readonly pairs?: true;
}

/** The small ones first: they are made for processors. */
const WEIGHTS = ['onnx/model_quantized.onnx', 'onnx/model_int8.onnx', 'onnx/model.onnx', 'model.onnx'];
const REQUIRED = ['tokenizer.json', 'config.json'];
const OPTIONAL = [
  'modules.json',
  'tokenizer_config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  'special_tokens_map.json',
];
/** Some files have a number beyond all texts where there is no limit. */
const MAX_CONTEXT = 1_000_000;

/** @throws PROVIDER_UNAVAILABLE, PROVIDER_MODEL_UNSUITABLE */
export function filesOf(folder: string, failures: ModelFailures): ReturnType<typeof onnxFiles> {
  return onnxFiles(folder).catch((thrown: unknown) => {
    throw diskFailure(thrown, failures);
  });
}

/** The files of an ONNX model in the folder, those that are missing included; undefined if it has no weights of one. @throws the error of the disk */
export async function onnxFiles(folder: string): Promise<readonly [string, ...string[]] | undefined> {
  const isThere = await Promise.all([...WEIGHTS, ...OPTIONAL].map((name) => sizeOf(folder, name)));
  const weights = WEIGHTS.find((_, at) => isThere[at] !== undefined);
  if (weights === undefined) return undefined;
  const others = OPTIONAL.filter((_, at) => isThere[WEIGHTS.length + at] !== undefined);
  const pooling = (await sizeOf(folder, POOLING)) === undefined ? [] : [POOLING];
  return [weights, ...REQUIRED, ...others, ...pooling];
}

const POOLING = '1_Pooling/config.json';

async function sizeOf(folder: string, name: string): Promise<number | undefined> {
  try {
    const stats = await stat(join(folder, name));
    return stats.isFile() ? stats.size : undefined;
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return undefined;
    throw thrown;
  }
}

type Json = Readonly<Record<string, unknown>>;
/** What is known of a model of its name, for what its files leave open. */
type Known = NonNullable<ReturnType<typeof knownModel>> | Record<string, undefined>;

const SCORING = /ForSequenceClassification$/;

/** Whether the model scores pairs of texts, by its own file. @throws PROVIDER_UNAVAILABLE, PROVIDER_MODEL_* */
export async function isCrossEncoder(folder: string, failures: ModelFailures, signal: AbortSignal): Promise<boolean> {
  const config = parsed(await readModelFile(folder, 'config.json', failures, signal), 'config.json', failures);
  const { architectures } = config;
  return Array.isArray(architectures) && architectures.some((name) => SCORING.test(String(name)));
}

/** @throws PROVIDER_MODEL_UNSUITABLE, PROVIDER_UNAVAILABLE */
export async function readSettings(
  folder: string,
  configured: Configured,
  failures: ModelFailures,
  signal: AbortSignal,
): Promise<ModelSettings> {
  const files = await filesOf(folder, failures);
  if (files === undefined) throw failures.unsuitable(`its folder has no ${WEIGHTS.slice(0, 3).join(', no ')}`);
  const json = async (name: string): Promise<Json | undefined> =>
    files.includes(name) ? parsed(await readModelFile(folder, name, failures, signal), name, failures) : undefined;
  const config = (await json('config.json')) ?? {};
  const modules = await json('modules.json');
  if (modules !== undefined) checkModules(modules, failures);
  const model = knownModel(String(config._name_or_path ?? '')) ?? knownModel(basename(folder)) ?? {};
  const pooling = configured.pairs ? null : poolingOf(await json(POOLING), model, failures);
  const contextTokens = contextOf(
    [
      [(await json('sentence_bert_config.json'))?.max_seq_length, config.max_position_embeddings],
      [(await json('tokenizer_config.json'))?.model_max_length, config.max_position_embeddings],
    ],
    model,
    failures,
  );
  const prompts = Object((await json('config_sentence_transformers.json'))?.prompts) as Json;
  const weightsBytes = (await sizeOf(folder, files[0])) ?? 0;
  const tokenizerBytes = (await sizeOf(folder, 'tokenizer.json')) ?? 0;
  const sizes = { weightsBytes, tokenizerBytes };
  return { ...prefixesOf(model, prompts, configured), ...sizes, files, pooling, contextTokens };
}

function parsed(bytes: Uint8Array, name: string, failures: ModelFailures): Json {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (thrown) {
    throw failures.unsuitable(`its ${name} cannot be read`, thrown);
  }
}

/** A model may have a further layer, without which its vectors are of another space. */
function checkModules(modules: Json, failures: ModelFailures): void {
  for (const { type } of Object.values(modules).map((module) => Object(module))) {
    const name = String(type).split('.').at(-1) ?? '';
    if (!['Transformer', 'Pooling', 'Normalize'].includes(name))
      throw failures.unsuitable(`its modules.json names a module ${name.slice(0, 40)}, which is not supported`);
  }
}

const POOLING_KEYS: Readonly<Record<string, Pooling>> = {
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_cls_token: 'cls',
  pooling_mode_lasttoken: 'last',
};

function poolingOf(file: Json | undefined, known: Known, failures: ModelFailures): Pooling {
  if (file === undefined && known.pooling !== undefined) return known.pooling;
  if (file === undefined)
    throw failures.unsuitable(`its folder has no ${POOLING}, which says how the vectors of its tokens become one`);
  const modes = Object.keys(file).filter((key) => key.startsWith('pooling_mode_') && file[key] === true);
  const [mode = ''] = modes;
  const pooling = POOLING_KEYS[mode];
  if (modes.length === 1 && pooling !== undefined) return pooling;
  throw failures.unsuitable(`its ${POOLING} names not one of ${Object.keys(POOLING_KEYS).join(', ')}`);
}

/** The first pair with a length of its own; the positions of the network are a limit in any case. */
function contextOf(pairs: readonly (readonly unknown[])[], known: Known, failures: ModelFailures): number {
  const isLength = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) > 2 && (value as number) < MAX_CONTEXT;
  const lengths = pairs.find(([own]) => isLength(own)) ?? pairs[0] ?? [];
  const context = Math.min(...lengths.filter(isLength));
  if (Number.isFinite(context)) return context;
  if (known.context !== undefined) return known.context;
  throw failures.unsuitable('none of its files names its context length (max_seq_length, max_position_embeddings)');
}

/** By the config, the model's own file, or what is known for a model of its name. */
function prefixesOf(
  { query, document }: Known,
  prompts: Json,
  configured: Configured,
): Pick<ModelTraits, 'queryPrefix' | 'documentPrefix'> {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    queryPrefix: configured.query_prefix ?? text(prompts.query) ?? query ?? '',
    documentPrefix: configured.document_prefix ?? text(prompts.document) ?? text(prompts.passage) ?? document ?? '',
  };
}
