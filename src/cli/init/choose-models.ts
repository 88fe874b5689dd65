// Chooses which installed models the first config names.
import { VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import type { Chosen, ChosenModel, Installed } from './config-text.ts';
import type { Questions } from './questions.ts';

interface Wanted {
  readonly embedding?: string;
  readonly llm?: string;
  readonly endpoint: string;
}

const QUESTIONS = {
  embedding: (model: string) => `Enable search by meaning with ${model}? Notes are sent to it on this machine only.`,
  llm: (model: string) => `Let ${model} write summaries and suggestions on request?`,
};
const NO_MODEL = 'no model';
/** Defaults without questions: embedding only costs time, a language model is heavy. */
const BY_DEFAULT = { embedding: true, llm: false };

export async function chooseModels(
  wanted: Wanted,
  installed: Installed | undefined,
  person: Questions | undefined,
): Promise<Pick<Chosen, 'embedding' | 'llm'>> {
  const embedding = await chooseModel('embedding', wanted, installed, person);
  const llm = await chooseModel('llm', wanted, installed, person);
  return { ...(embedding && { embedding }), ...(llm && { llm }) };
}

async function chooseModel(
  capability: keyof Installed,
  { endpoint, ...wanted }: Wanted,
  installed: Installed | undefined,
  person: Questions | undefined,
): Promise<ChosenModel | undefined> {
  const named = wanted[capability];
  if (named === 'none') return undefined;
  if (named !== undefined) return { model: there(named, capability, installed), endpoint };
  const model = await modelFor(capability, installed?.[capability] ?? [], person);
  return model === undefined ? undefined : { model, endpoint };
}

/** The first item is what an empty line chooses. */
async function modelFor(
  capability: keyof Installed,
  models: readonly string[],
  person: Questions | undefined,
): Promise<string | undefined> {
  const byDefault = BY_DEFAULT[capability];
  const [first, second] = models;
  if (first === undefined) return undefined;
  if (person === undefined) return byDefault ? first : undefined;
  if (second === undefined) return (await person.agree(QUESTIONS[capability](first), byDefault)) ? first : undefined;
  const items = byDefault ? [...models, NO_MODEL] : [NO_MODEL, ...models];
  const chosen = items[await person.choose(QUESTIONS[capability]('a model'), items)];
  return chosen === NO_MODEL ? undefined : chosen;
}

/** Rejects a named model that is not installed. A server that does not answer may have it, so that is allowed. */
function there(named: string, capability: keyof Installed, installed: Installed | undefined): string {
  const models = installed?.[capability];
  const found = models?.find((model) => model === named || model === `${named}:latest`);
  if (models === undefined || found !== undefined) return named;
  const near = nearestName(named, models);
  const fault = { file: `--${capability}`, what: `${named} is not installed, or cannot do this`, allowed: models };
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [near === undefined ? fault : { ...fault, did_you_mean: near }],
    advice: `Name an installed model, or leave --${capability} out.`,
  });
}
