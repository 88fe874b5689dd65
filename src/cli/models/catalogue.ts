// The models that `vaultgraph models` recommends. Revisions, sizes and hashes of static ones come from the hub when a model is added.
import { commandLine } from '../../base/command-line.ts';

export interface CatalogueModel {
  readonly name: string;
  /** On the hub. */
  readonly repository: string;
  readonly languages: string;
  readonly licence: string;
  /** The size of the file that would be taken; rounded, and not measured except where `score` is. */
  readonly disk: string;
  /** Measured, or estimated as before loading (see `max_memory`). */
  readonly memory?: string;
  /** Our own, on public sets; undefined until someone measured it. */
  readonly score?: string;
  /** Completes "choose it". */
  readonly chooseIf: string;
  /** How it is had, if not from the hub by `models add NAME`. */
  readonly get?: 'folder' | 'ollama';
}

export const DEFAULT_HUB = 'https://huggingface.co';

/** No hash of a transformer is known: the hub cannot be reached where vaultgraph is developed. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    name: 'potion-base-8M',
    repository: 'minishlab/potion-base-8M',
    languages: 'English',
    licence: 'MIT',
    disk: '30 MB',
    chooseIf: 'for notes in English on a small machine: static, the fastest',
  },
  {
    name: 'potion-retrieval-32M',
    repository: 'minishlab/potion-retrieval-32M',
    languages: 'English',
    licence: 'MIT',
    disk: '130 MB',
    chooseIf: 'for notes in English, if 100 MB more are no matter: static, made for search',
  },
  {
    name: 'potion-multilingual-128M',
    repository: 'minishlab/potion-multilingual-128M',
    languages: 'about 100 languages',
    licence: 'MIT',
    disk: '510 MB',
    memory: 'about 200 MB',
    chooseIf: 'for notes in other languages, or in several: static',
  },
  {
    name: 'all-MiniLM-L6-v2',
    repository: 'sentence-transformers/all-MiniLM-L6-v2',
    languages: 'English',
    licence: 'Apache-2.0',
    disk: '23 MB',
    memory: '375 MB',
    score: 'MuSiQue .671, HotpotQA .847 (nDCG@5 of search)',
    chooseIf:
      'for notes in English, if some 50 ms for each passage, once, are no matter: finds more than a static model',
    get: 'folder',
  },
  {
    name: 'bge-small-en-v1.5',
    repository: 'BAAI/bge-small-en-v1.5',
    languages: 'English',
    licence: 'MIT',
    disk: 'some 34 MB',
    memory: 'some 420 MB',
    chooseIf: 'for notes in English with long passages: reads 512 tokens, and takes twice the time of all-MiniLM-L6-v2',
    get: 'folder',
  },
  {
    name: 'multilingual-e5-small',
    repository: 'intfloat/multilingual-e5-small',
    languages: 'about 100 languages',
    licence: 'MIT',
    disk: 'some 118 MB',
    memory: 'some 750 MB',
    score:
      'XQuAD German .975, Russian .985, English questions on German notes .943 (nDCG@5 of search; weights of 4 bits)',
    chooseIf: 'for notes in other languages, or questions in another language than the notes',
    get: 'folder',
  },
  {
    name: 'embeddinggemma',
    repository: 'google/embeddinggemma-300m',
    languages: 'more than 100 languages',
    licence: 'Gemma',
    disk: 'some 620 MB',
    chooseIf: 'for notes in any language, if Ollama runs in any case',
    get: 'ollama',
  },
  {
    name: 'embeddinggemma-2',
    repository: 'google/embeddinggemma-2',
    languages: 'more than 100 languages',
    licence: 'Apache-2.0',
    disk: 'some 540 MB (tag 270m, which reads text only) to 1.5 GB',
    chooseIf: 'in place of embeddinggemma: reads 8,192 tokens instead of 2,048',
    get: 'ollama',
  },
  {
    name: 'ms-marco-MiniLM-L6-v2',
    repository: 'cross-encoder/ms-marco-MiniLM-L6-v2',
    languages: 'English',
    licence: 'Apache-2.0',
    disk: 'some 23 MB',
    memory: 'some 390 MB',
    chooseIf: 'to rerank hits in English: it scores as many texts in a second as all-MiniLM-L6-v2 embeds',
    get: 'folder',
  },
  {
    name: 'mmarco-mMiniLMv2-L12-H384-v1',
    repository: 'cross-encoder/mmarco-mMiniLMv2-L12-H384-v1',
    languages: '14 languages, trained on translations',
    licence: 'Apache-2.0',
    disk: 'some 118 MB',
    memory: 'some 750 MB',
    chooseIf: 'to rerank hits in other languages: it takes twice the time of ms-marco-MiniLM-L6-v2',
    get: 'folder',
  },
];

/** What a person does to have the model, as a sentence without its end. @param model one that `models add NAME` does not get */
export const howToGet = ({ name, repository, get }: CatalogueModel): string =>
  get === 'ollama'
    ? `it runs with Ollama: \`ollama pull ${name}\``
    : `get the files of ${repository}, then \`${commandLine(`models add ${name} --from FOLDER`)}\``;

const INT8 = '-int8';

/** Those of the hub, each also with one byte per number, which is made on this machine after the download. */
export const MODEL_NAMES: readonly string[] = CATALOGUE.filter(({ get }) => get === undefined).flatMap(({ name }) => [
  name,
  `${name}${INT8}`,
]);

export const isInt8 = (name: string): boolean => name.endsWith(INT8) && MODEL_NAMES.includes(name);

/** @param name one of `MODEL_NAMES` */
export const catalogueModel = (name: string): CatalogueModel =>
  CATALOGUE.find((model) => name === model.name || name === `${model.name}${INT8}`) ?? USUAL_MODEL;

/** Small enough to be offered without further questions. */
const USUAL_MODEL = CATALOGUE[0] as CatalogueModel;

/** Below this much free memory, in MiB, a smaller model is offered. */
const ENOUGH_MIB = 1_024;

/** The name of a static model to offer for notes in English or in other languages. */
export function offeredModel(english: boolean, freeMib: number): string {
  if (freeMib >= ENOUGH_MIB) return fittingModel(english).name;
  return english ? USUAL_MODEL.name : `${fittingModel(english).name}${INT8}`;
}

/** The model to try for notes in English, or in any other language. */
export const fittingModel = (english: boolean): CatalogueModel =>
  catalogueModel(english ? 'potion-retrieval-32M' : 'potion-multilingual-128M');
