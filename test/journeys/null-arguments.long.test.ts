// Calls a tool with null instead of arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRawServer, toolCall } from './raw-server.ts';
import { copyOfFixture } from './session.ts';

test('arguments: null is a call without arguments', async (context) => {
  const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
  await server.begin();
  const line = { ...toolCall(7, 'list_tags'), params: { name: 'list_tags', arguments: null } };
  server.send(line);
  const { result, error } = await server.reply(7);
  assert.equal(error, undefined);
  assert.equal(result.structuredContent.ok, true);
});
