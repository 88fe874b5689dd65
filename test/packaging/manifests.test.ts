// Checks that the manifests for other programs match package.json, have the required format, and start commands that exist.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as z from 'zod';
import { createProgram } from '../../src/cli/command-line.ts';
import { toolList } from '../../src/mcp/wire/tool-methods.ts';
import { toolCatalog } from '../../src/tools/catalog.ts';
import { assertEach } from '../assert-each.ts';
import { manifests } from './manifests.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

for (const [path, text] of Object.entries(manifests())) {
  test(`${path} is made from package.json (node test/manual.ts writes it)`, () => assert.equal(read(path), text));
}

const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
const input = {
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
};
/** The part of the registry's schema of 2025-12-11 that we use; any other field is a mistake. */
const registryEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.literal(manifest.name),
      version: exactVersion,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('positional'), value: z.string(), ...input }),
          z.strictObject({ type: z.literal('named'), name: z.string().startsWith('--'), ...input }),
        ]),
      ),
      environmentVariables: z.array(z.strictObject({ name: z.string().regex(/^[A-Z_]+$/), ...input })),
    }),
  ),
});

test('server.json is valid for the registry, and has the name that npm uses to verify its owner', () => {
  const entry = registryEntry.parse(JSON.parse(read('server.json')));
  assert.equal(entry.name, manifest.mcpName);
  assert.equal(entry.version, entry.packages[0]?.version);
});

test('the manifests use an existing command, existing flags and variables that the program reads', () => {
  const { packages } = registryEntry.parse(JSON.parse(read('server.json')));
  const { mcpServers } = plugin.parse(JSON.parse(read('.claude-plugin/plugin.json')));
  const given = packages[0]?.packageArguments.map((one) => (one.type === 'named' ? one.name : one.value)) ?? [];
  const [, , ...ofPlugin] = mcpServers[manifest.name]?.args ?? [];
  for (const words of [given, ofPlugin.filter((word) => !word.includes('$'))]) {
    const [command = '', ...flags] = words;
    const known = createProgram()
      .commands.find((one) => one.name() === command)
      ?.options.map((option) => option.long);
    for (const flag of flags) assert.ok(known?.includes(flag), `${command} ${flag}`);
  }
  const source = globSync('src/config/*.ts', { cwd: ROOT }).map(read).join('');
  for (const { name } of packages[0]?.environmentVariables ?? []) assert.ok(source.includes(`'${name}'`), name);
});

const kebab = z.string().regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
const person = z.strictObject({ name: z.string().min(1) });
/** The format that the client's `plugin validate` accepts. */
const plugin = z.strictObject({
  name: kebab,
  version: exactVersion,
  description: z.string().min(1),
  author: person,
  license: z.string(),
  keywords: z.array(z.string()),
  userConfig: z.record(
    z.string().regex(/^[A-Za-z_]\w*$/),
    z.strictObject({
      type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
    }),
  ),
  mcpServers: z.record(kebab, z.strictObject({ command: z.string(), args: z.array(z.string()) })),
});
const marketplace = z.strictObject({
  name: kebab,
  owner: person,
  metadata: z.strictObject({ description: z.string(), version: exactVersion }),
  plugins: z.array(
    z.strictObject({
      name: kebab,
      source: z.string().startsWith('./'),
      description: z.string(),
      version: exactVersion,
    }),
  ),
});

test('the plugin and its marketplace have the format that Claude Code reads, and ask for the values they use', () => {
  const { name, version, userConfig, mcpServers } = plugin.parse(JSON.parse(read('.claude-plugin/plugin.json')));
  const { plugins } = marketplace.parse(JSON.parse(read('.claude-plugin/marketplace.json')));
  assertEach(plugins, (one) => [one.name, one.version], [[name, version]]);
  const used = JSON.stringify(mcpServers).matchAll(/\$\{user_config\.(\w+)\}/g);
  assertEach([...used], ([, key]) => key, Object.keys(userConfig));
});

test('the skill names only tools, arguments and fields that exist', () => {
  const known = JSON.stringify(toolList(toolCatalog));
  const answers = globSync('src/{features,mcp,contracts,base}/**/*.ts', { cwd: ROOT }).map(read).join('');
  const words = [...read('skills/vaultgraph/SKILL.md').matchAll(/`([a-z]+(?:_[a-z]+)+)(?:: [^`]*)?`/g)].map(
    ([, word = '']) => word,
  );
  assert.ok(words.length > 20);
  for (const word of new Set(words)) assert.ok(known.includes(`"${word}"`) || answers.includes(`${word}:`), word);
});
