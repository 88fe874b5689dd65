// The first config: which installed models it names, and its text.
import { VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
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
  wantedModels: Wanted,
  installed: Installed | undefined,
  person: Questions | undefined,
): Promise<Pick<Chosen, 'embedding' | 'llm'>> {
  const embedding = await chooseModel('embedding', wantedModels, installed, person);
  const llm = await chooseModel('llm', wantedModels, installed, person);
  return { ...(embedding && { embedding }), ...(llm && { llm }) };
}

async function chooseModel(
  capability: keyof Installed,
  { endpoint, ...models }: Wanted,
  installed: Installed | undefined,
  person: Questions | undefined,
): Promise<ChosenModel | undefined> {
  const named = models[capability];
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
  const installedModel = models?.find((model) => model === named || model === `${named}:latest`);
  if (models === undefined || installedModel !== undefined) return named;
  const near = nearestName(named, models);
  const fault = { file: `--${capability}`, what: `${named} is not installed, or cannot do this`, allowed: models };
  throw new VaultgraphError('CONFIG_INVALID', {
    faults: [near === undefined ? fault : { ...fault, did_you_mean: near }],
    advice: `Name an installed model, or leave --${capability} out.`,
  });
}

// The text of the config that `vaultgraph init` writes: the chosen sections, the others as comments.

export interface Chosen {
  /** Absolute. */
  readonly vault: string;
  /** Several vaults with their names, `vault` among them; absent for one. */
  readonly vaults?: readonly NamedVault[];
  readonly access: 'read-only' | 'read-write';
  readonly embedding?: ChosenModel;
  readonly llm?: ChosenModel;
}

export interface NamedVault {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

export interface ChosenModel {
  readonly model: string;
  readonly endpoint: string;
}

/** Installed models by capability, in the server's order. */
export type Installed = Readonly<Record<'embedding' | 'llm', readonly string[]>>;

/** Suggested where none is installed. */
export const USUAL = { embedding: 'embeddinggemma', llm: 'llama3.2' } as const;
const WHAT = {
  embedding: 'search by meaning: adds search and find_similar',
  llm: 'summaries, suggested tags and links, answers with checked quotes',
} as const;

const HEAD = `# Written by \`vaultgraph init\`. Edit it as you like: \`vaultgraph config\` shows every value and where it comes from, and
# config.example.yaml in the package explains every key. Changes apply at the next start.
`;

const HISTORY = [
  '# Earlier texts of the notes, whichever program changed them, outside the vault: what did this note say in spring?',
  '# history: keep',
];

/** @param installed undefined if no model server answers */
export function configText(chosen: Chosen, installed?: Installed): string {
  const { vault, vaults, access, embedding, llm } = chosen;
  const sections =
    vaults === undefined
      ? ['vault:', ...vaultLines(vault, access, '  ')]
      : ['vaults:', ...vaults.flatMap(({ name, path }) => [`  ${name}:`, ...vaultLines(path, access, '    ')])];
  return [HEAD, ...sections, '', ...HISTORY, '', ...providers(embedding, llm, installed), ''].join('\n');
}

function vaultLines(path: string, access: Chosen['access'], indent: string): string[] {
  return [
    `${indent}# The folder of notes.`,
    `${indent}path: ${JSON.stringify(path)}`,
    `${indent}# read-only: notes never change. read-write adds tools that edit notes; each change can be undone.`,
    `${indent}access: ${access}`,
  ];
}

function providers(
  embedding: ChosenModel | undefined,
  llm: ChosenModel | undefined,
  installed: Installed | undefined,
): string[] {
  const isNone = embedding === undefined && llm === undefined;
  const sections = [...section('embedding', embedding, installed?.embedding), ...section('llm', llm, installed?.llm)];
  return isNone ? ['# providers:', ...sections] : ['providers:', ...sections];
}

/** A section that was not chosen is written as a comment, ready to be enabled. */
function section(
  key: keyof Installed,
  chosen: ChosenModel | undefined,
  [first, ...others]: readonly string[] = [],
): string[] {
  const choice = first === undefined || others.length === 0 ? '' : `; installed: ${[first, ...others].join(', ')}`;
  const lines = [
    `  ${key}:`,
    '    type: ollama',
    `    model: ${JSON.stringify(chosen?.model ?? first ?? USUAL[key])}`,
    `    endpoint: ${chosen?.endpoint ?? 'http://127.0.0.1:11434'}`,
  ];
  return [`  # ${WHAT[key]}${choice}`, ...(chosen === undefined ? lines.map((line) => `  # ${line.slice(2)}`) : lines)];
}
