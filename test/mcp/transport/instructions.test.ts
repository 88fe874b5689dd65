// Tests that the server instructions and icons are short and correct in every configuration.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { ImplementationSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  ICONS,
  instructionsFor,
  instructionsForVaults,
  MAX_INSTRUCTIONS,
} from '../../../src/mcp/transport/server-info.ts';
import { offeredPrompts } from '../../../src/mcp/wire/prompt-methods.ts';
import { providerCatalog } from '../../../src/providers/catalog.ts';
import { promptCatalog, toolCatalog } from '../../../src/tools/catalog.ts';

const OPTIONAL = ['embedding', 'llm'] as const;

for (const access of ['read-only', 'read-write'] as const) {
  for (const present of [[], ['embedding'], ['llm'], ['embedding', 'llm']]) {
    test(`instructions of ${access} with ${present.join(' and ') || 'the store alone'} fit, with every tool`, (context) => {
      const lacking = OPTIONAL.filter((name) => !present.includes(name));
      const isListed = ({ needs, effect }: (typeof toolCatalog)[number]): boolean =>
        !lacking.some((name) => needs.includes(name)) &&
        (effect === 'reads' || access === 'read-write' || !needs.includes('writer'));
      const toolNames = toolCatalog.filter(isListed).map(({ name }) => name);
      const text = instructionsFor({
        vaultName: '海と灯台の長い長い名前のノート帳🗂️'.repeat(4),
        access,
        guides: ['AGENTS.md'],
        toolNames,
        promptNames: [...offeredPrompts(promptCatalog, new Set(toolNames)).keys()],
        absent: lacking.map((capability) => ({
          capability,
          config_key: `providers.${capability}`,
          tools: toolCatalog.filter(({ needs }) => needs.includes(capability)).map(({ name }) => name),
          types: providerCatalog.filter((one) => one.capability === capability).map(({ type }) => type),
        })),
      });
      context.diagnostic(`${text.length} characters`);
      assert.ok(Buffer.byteLength(text) <= MAX_INSTRUCTIONS, String(Buffer.byteLength(text)));
      assert.match(text, /^Read first: AGENTS\.md, /m);
      const [, wishes = ''] = /^First call: (.*)$/m.exec(text) ?? [];
      assert.ok(wishes.split('; ').length >= 8 && wishes.split('; ').length <= 10, wishes);
      for (const wish of wishes.split('; ')) assert.ok(toolNames.includes(wish.split(': ').at(-1) ?? ''), wish);
      const writers = toolCatalog.filter(({ needs }) => needs.includes('writer')).map(({ name }) => name);
      const [, group = ''] = /^Write: (.*)$/m.exec(text) ?? [];
      assert.deepEqual(group, access === 'read-only' ? '' : writers.join(', '));
      for (const name of [...toolNames, ...promptCatalog.map((prompt) => prompt.name), 'note:///'])
        assert.ok(text.includes(name), name);
    });
  }
}

test('instructions of many vaults fit, and count those that are not named', () => {
  const vaults = Array.from({ length: 40 }, (_, at) => ({
    name: `vault-${at}-${'x'.repeat(20)}`,
    access: 'read-only' as const,
  }));
  const toolNames = toolCatalog.map(({ name }) => name);
  const guides = vaults.slice(0, 4).map(({ name }) => `${name}:AGENTS.md`);
  const text = instructionsForVaults({ vaults, toolNames, guides, absent: [], promptNames: ['daily_review'] });
  assert.ok(Buffer.byteLength(text) <= MAX_INSTRUCTIONS, String(Buffer.byteLength(text)));
  assert.match(text, /32 more/);
  assert.match(text, /^Write: create_note, .*undo_change$/m);
});

test('a prompt exists only if all its tools are listed', () => {
  const names = (...tools: string[]): string[] => [...offeredPrompts(promptCatalog, new Set(tools)).keys()];
  assert.deepEqual(names(), []);
  assert.deepEqual(names('find_gaps'), ['fix_broken_links']);
  assert.deepEqual(names('read_notes', 'list_notes', 'get_context'), ['daily_review', 'explain_topic']);
});

test('the icons are an inline SVG and, for clients without SVG, inline PNGs', () => {
  const { icons } = ImplementationSchema.parse({ name: 'x', version: '1', icons: ICONS });
  assert.deepEqual(icons, ICONS);
  const [vector, pixels] = ICONS.map(({ src }) => Buffer.from(src.slice(src.indexOf(',') + 1), 'base64'));
  assert.ok(vector && pixels);
  assert.match(vector.toString(), /^<svg [^>]*viewBox="0 0 64 64">.*<\/svg>$/);
  assert.doesNotMatch(vector.toString(), /script|href|url\(/);
  assert.equal(pixels.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual([pixels.readUInt32BE(16), pixels.readUInt32BE(20)], [64, 64]);
  const at = pixels.indexOf('IDAT');
  const rows = inflateSync(pixels.subarray(at + 4, at + 4 + pixels.readUInt32BE(at - 4)));
  assert.equal(rows.length, 64 * 65, 'a byte a pixel and one for each row');
  assert.ok(JSON.stringify(ICONS).length < 3_000);
});
