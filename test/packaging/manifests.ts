// Generates the MCP registry entry and the Claude Code plugin from package.json; `node test/manual.ts` writes them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface Package {
  readonly name: string;
  readonly mcpName: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
}

const VAULT = { title: 'Folder of notes', description: 'An Obsidian vault, or any folder of Markdown notes' };

/** The registry entry: what `mcp-publisher` sends. */
function registryEntry({ name, mcpName, version, description }: Package): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: name,
    description,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'named', name: '--vault', description: VAULT.description, format: 'filepath', isRequired: true },
        ],
        environmentVariables: [
          {
            name: 'VAULTGRAPH_CONFIG',
            description: 'A config file in YAML, for write access, search by meaning and a language model',
            format: 'filepath',
            isRequired: false,
          },
        ],
      },
    ],
  };
}

/** The package of exactly this version, so that the reviewed code is what runs; it asks for the folder when it is enabled. */
function plugin({ name, version, description, license, keywords }: Package): object {
  return {
    name,
    version,
    description,
    author: { name },
    license,
    keywords,
    userConfig: { vault: { type: 'directory', ...VAULT, required: true } },
    mcpServers: {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in.
      [name]: { command: 'npx', args: ['-y', `${name}@${version}`, 'serve', '--vault', '${user_config.vault}'] },
    },
  };
}

/** The repository is a marketplace with one plugin. */
function marketplace({ name, description, version }: Package): object {
  return {
    name,
    owner: { name },
    metadata: { description, version },
    plugins: [{ name, source: './', description, version }],
  };
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Each by its path from the root. */
export function manifests(): Readonly<Record<string, string>> {
  const manifest: Package = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return {
    'server.json': text(registryEntry(manifest)),
    '.claude-plugin/plugin.json': text(plugin(manifest)),
    '.claude-plugin/marketplace.json': text(marketplace(manifest)),
  };
}
