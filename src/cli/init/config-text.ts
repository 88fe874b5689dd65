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

/** @param installed undefined if no model server answers */
export function configText(chosen: Chosen, installed?: Installed): string {
  const { vault, vaults, access, embedding, llm } = chosen;
  const sections =
    vaults === undefined
      ? ['vault:', ...vaultLines(vault, access, '  ')]
      : ['vaults:', ...vaults.flatMap(({ name, path }) => [`  ${name}:`, ...vaultLines(path, access, '    ')])];
  return [HEAD, ...sections, '', ...providers(embedding, llm, installed), ''].join('\n');
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
