// Tests which clients get an answer as text, as structured content or both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerForm, listsSchemas, offersApp } from '../../../src/mcp/wire/tool-methods.ts';

for (const [setting, client, showsApps, hasSchemas, form] of [
  ['auto', 'claude-code', false, false, 'text'],
  ['auto', 'Claude Code', false, false, 'text'],
  ['auto', 'Visual Studio Code', false, false, 'text'],
  ['auto', 'Visual Studio Code - Insiders', false, false, 'text'],
  ['auto', 'Code - OSS', false, false, 'text'],
  ['auto', 'claude-ai', false, false, 'both'],
  ['auto', 'copilot-cli', false, false, 'both'],
  ['auto', 'claude-codex', false, false, 'both'],
  ['auto', '', false, false, 'both'],
  ['auto', 'Visual Studio Code', true, false, 'both'],
  ['auto', 'claude-code', false, true, 'both'],
  ['both', 'claude-code', false, false, 'both'],
  ['text', 'claude-ai', true, false, 'text'],
  ['structured', 'claude-code', false, false, 'structured'],
] as const) {
  test(`${setting} for ${client || 'no name'}${showsApps ? ' with apps' : ''}${hasSchemas ? ' with schemas' : ''}: ${form}`, () =>
    assert.equal(answerForm(setting, { client, showsApps }, hasSchemas), form));
}

test('output schemas are listed for clients that run code with tools, or as the setting says', () => {
  const runCode = ['codex-mcp-client', 'Codex', 'goose', 'opencode', 'mcporter', 'codemode-mcp-proxy', 'my code mode'];
  const others = ['claude-code', 'claude-ai', 'Visual Studio Code', 'codexa', 'gooseberry', 'cursor-vscode', ''];
  for (const client of [...runCode, ...others]) {
    assert.equal(listsSchemas('auto', 'auto', { client }), runCode.includes(client), client);
    assert.equal(listsSchemas('auto', 'text', { client }), false);
    assert.equal(listsSchemas(true, 'both', { client }), true);
    assert.equal(listsSchemas(false, 'structured', { client }), false);
  }
});

test('the graph app is offered unless answers are text only', () => {
  const shows = { client: 'claude-code', showsApps: true };
  assert.deepEqual(
    (['auto', 'both', 'structured', 'text'] as const).map((setting) => offersApp(setting, shows)),
    [true, true, true, false],
  );
});
