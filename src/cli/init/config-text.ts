// The text of the config that `vaultgraph init` writes: the chosen sections, the others as comments.

export interface Chosen {
  /** Absolute. */
  readonly vault: string;
  readonly access: 'read-only' | 'read-write';
  readonly embedding?: ChosenModel;
  readonly llm?: ChosenModel;
}

export interface ChosenModel {
  readonly model: string;
  readonly endpoint: string;
}

const HEAD = `# Written by \`vaultgraph init\`. Edit it as you like: \`vaultgraph config\` shows every value and where it comes from, and
# config.example.yaml in the package explains every key. Changes apply at the next start.
`;

export function configText({ vault, access, embedding, llm }: Chosen): string {
  return [
    HEAD,
    'vault:',
    '  # The folder of notes.',
    `  path: ${JSON.stringify(vault)}`,
    '  # read-only: notes never change. read-write adds tools that edit notes; each change can be undone.',
    `  access: ${access}`,
    '',
    ...providers(embedding, llm),
    '',
  ].join('\n');
}

function providers(embedding: ChosenModel | undefined, llm: ChosenModel | undefined): string[] {
  const isNone = embedding === undefined && llm === undefined;
  const sections = [
    ...section('embedding', 'search by meaning: adds search and find_similar', 'embeddinggemma', embedding),
    ...section('llm', 'summaries, suggested tags and links, answers with checked quotes', 'llama3.2', llm),
  ];
  return isNone ? ['# providers:', ...sections] : ['providers:', ...sections];
}

/** A section that was not chosen is written as a comment, ready to be enabled. */
function section(key: string, what: string, usual: string, chosen: ChosenModel | undefined): string[] {
  const lines = [
    `  ${key}:`,
    '    type: ollama',
    `    model: ${JSON.stringify(chosen?.model ?? usual)}`,
    `    endpoint: ${chosen?.endpoint ?? 'http://127.0.0.1:11434'}`,
  ];
  return [`  # ${what}`, ...(chosen === undefined ? lines.map((line) => `  # ${line.slice(2)}`) : lines)];
}
