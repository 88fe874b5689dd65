// Tests which clients get an answer as text, as structured content or both.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerForm, offersApp } from '../../../src/mcp/wire/answer-form.ts';

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

test('the graph app is offered unless answers are text only', () => {
  const shows = { client: 'claude-code', showsApps: true };
  assert.deepEqual(
    (['auto', 'both', 'structured', 'text'] as const).map((setting) => offersApp(setting, shows)),
    [true, true, true, false],
  );
});
