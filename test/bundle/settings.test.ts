// Checks the config that the bundle makes from the settings in the application.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configText, VARIABLES } from '../../src/bundle/settings.ts';

const configOf = (settings: Partial<Record<keyof typeof VARIABLES, string>>): unknown =>
  parse(
    configText(Object.fromEntries(Object.entries(settings).map(([key, value]) => [VARIABLES[key as 'vault'], value]))),
  );

test('a vault alone is read-only and has no models', () => {
  assert.deepEqual(configOf({ vault: 'C:\\Users\\É\\My "Notes"', changes: 'false', embedding: '', llm: ' ' }), {
    vault: { path: 'C:\\Users\\É\\My "Notes"', access: 'read-only' },
  });
});

test('changes and models are on where they are set', () => {
  assert.deepEqual(configOf({ vault: '/notes', changes: 'true', embedding: ' embeddinggemma', llm: 'llama3.2' }), {
    vault: { path: '/notes', access: 'read-write' },
    providers: { embedding: { type: 'ollama', model: 'embeddinggemma' }, llm: { type: 'ollama', model: 'llama3.2' } },
  });
});

test('a placeholder that the application did not fill in counts as not set', () => {
  const placeholder = `\${user_config.x}`;
  assert.deepEqual(configOf({ vault: '/notes', changes: placeholder, embedding: placeholder, llm: placeholder }), {
    vault: { path: '/notes', access: 'read-only' },
  });
});
