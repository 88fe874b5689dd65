// The models that `vaultgraph models` recommends. Revisions, sizes and hashes come from the hub when a model is added.

export interface CatalogueModel {
  readonly name: string;
  /** On the hub. */
  readonly repository: string;
  readonly languages: string;
  readonly licence: string;
  /** Our own, on public sets; undefined until someone measured it. */
  readonly score?: string;
}

export const DEFAULT_HUB = 'https://huggingface.co';

export const CATALOGUE: readonly CatalogueModel[] = [
  { name: 'potion-base-8M', repository: 'minishlab/potion-base-8M', languages: 'English', licence: 'MIT' },
  { name: 'potion-retrieval-32M', repository: 'minishlab/potion-retrieval-32M', languages: 'English', licence: 'MIT' },
  {
    name: 'potion-multilingual-128M',
    repository: 'minishlab/potion-multilingual-128M',
    languages: 'about 100 languages',
    licence: 'MIT',
  },
];

const INT8 = '-int8';

/** Each model also with one byte per number, which is made on this machine after the download. */
export const MODEL_NAMES: readonly string[] = CATALOGUE.flatMap(({ name }) => [name, `${name}${INT8}`]);

export const isInt8 = (name: string): boolean => name.endsWith(INT8) && MODEL_NAMES.includes(name);

/** @param name one of `MODEL_NAMES` */
export const catalogueModel = (name: string): CatalogueModel =>
  CATALOGUE.find((model) => name === model.name || name === `${model.name}${INT8}`) ?? USUAL_MODEL;

/** Small enough to be offered without further questions. */
export const USUAL_MODEL = CATALOGUE[0] as CatalogueModel;

/** The model to try for notes in English, or in any other language. */
export const fittingModel = (english: boolean): CatalogueModel =>
  catalogueModel(english ? 'potion-retrieval-32M' : 'potion-multilingual-128M');
