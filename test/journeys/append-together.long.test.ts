// Two servers with data folders of their own append to one note at the same time: no line is lost, no call fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFile, copyOfFixture, openSession, temporaryFolder } from './session.ts';

const LINES_PER_SERVER = 15;

test('appends of two servers to one note', async (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const start = () => openSession(context, { config, stateFolder: temporaryFolder(context) });
  const servers = await Promise.all([start(), start()]);
  await Promise.all(servers.map((server) => server.indexed()));
  const lines = servers.flatMap((_, at) =>
    Array.from({ length: LINES_PER_SERVER }, (__, row) => `server ${at}: ${row}`),
  );
  const answers = await Promise.all(
    lines.map((text, at) => {
      const server = servers[Math.floor(at / LINES_PER_SERVER)];
      return server?.call('edit_note', { note: 'Harbour', edits: [{ op: 'append', text }] });
    }),
  );
  assert.deepEqual(
    answers.filter((answer) => answer?.isError !== false).map((answer) => answer?.text),
    [],
  );
  const text = readFileSync(join(vault, 'Places/Harbour.md'), 'utf8');
  const written = text.split('\n').filter((line) => line.startsWith('server'));
  assert.deepEqual(written.toSorted(), lines.toSorted());
});
