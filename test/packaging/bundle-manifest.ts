// Generates the manifest of the one-click bundle for one platform.

import { VARIABLES } from '../../src/bundle/settings.ts';
import { promptCatalog, toolCatalog } from '../../src/tools/catalog.ts';
import { manifestOf, ROOT } from './installed.ts';

/** One for each platform that sqlite-vec ships, and one for macOS, whose applications may refuse native parts of others: it has none. */
export const PLATFORMS = [
  { os: 'linux', cpu: 'x64' },
  { os: 'linux', cpu: 'arm64' },
  { os: 'darwin', cpu: 'universal' },
  { os: 'win32', cpu: 'x64' },
] as const;

export type Platform = (typeof PLATFORMS)[number];

export const ICONS = [512, 128] as const;
export const ENTRY = 'dist/bundle-start.js';

/** What the application asks for, with the part of the config it becomes. */
const SETTINGS = {
  vault: {
    type: 'directory',
    title: 'Folder of notes',
    description: 'An Obsidian vault, or any folder of Markdown notes',
    required: true,
  },
  changes: {
    type: 'boolean',
    title: 'Allow changes to notes',
    description: 'Adds the tools that create, edit, move and delete notes; each change can be undone',
    required: false,
    default: false,
  },
  embedding: {
    type: 'string',
    title: 'Embedding model in Ollama',
    description: 'For search by meaning, such as embeddinggemma. Leave empty for search by words',
    required: false,
    default: '',
  },
  llm: {
    type: 'string',
    title: 'Language model in Ollama',
    description: 'For summaries and suggestions, such as llama3.2. Leave empty for none',
    required: false,
    default: '',
  },
} as const satisfies Record<keyof typeof VARIABLES, object>;

export function bundleManifest({ os }: Platform): object {
  const { name, version, description, license, keywords } = manifestOf(ROOT) as Record<string, unknown>;
  const keys = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  return {
    manifest_version: '0.3',
    name,
    display_name: 'vaultgraph',
    version,
    description,
    author: { name },
    license,
    keywords,
    icon: `icon-${ICONS[0]}.png`,
    icons: ICONS.map((size) => ({ src: `icon-${size}.png`, size: `${size}x${size}` })),
    server: {
      type: 'node',
      entry_point: ENTRY,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY}`],
        env: Object.fromEntries(keys.map((key) => [VARIABLES[key], `\${user_config.${key}}`])),
      },
    },
    tools: toolCatalog
      .filter(({ needs }) => (needs as readonly string[]).every((need) => need === 'store'))
      .map((tool) => ({ name: tool.name, description: tool.summary })),
    tools_generated: true,
    prompts: promptCatalog.map(listedPrompt),
    prompts_generated: true,
    // The server needs Node 22. With an older one the application's Node still starts the user's.
    compatibility: { platforms: [os], runtimes: { node: '>=18.17.0' } },
    user_config: SETTINGS,
  };
}

/** The server builds the real text from the notes when the prompt is picked; an application that does not ask uses this one. */
function listedPrompt({ name, description, arguments: given }: (typeof promptCatalog)[number]): object {
  const names = given.map((argument) => argument.name);
  const values = names.map((argument) => `${argument}: \${arguments.${argument}}`).join(', ');
  const text = `With the tools of vaultgraph: ${description}${values === '' ? '' : ` (${values})`}`;
  return { name, description, ...(names.length > 0 && { arguments: names }), text };
}
