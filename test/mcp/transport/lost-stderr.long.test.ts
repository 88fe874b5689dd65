// A client that closes stderr loses the log there and nothing else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRawServer, toolCall } from '../../journeys/raw-server.ts';
import { configFile, copyOfFixture, temporaryFolder } from '../../journeys/session.ts';

for (const [when, isBefore] of [
  ['before the server has started', true],
  ['while it serves', false],
] as const) {
  test(`stderr closed ${when}: calls are answered and log.file is kept`, async (context) => {
    const file = join(temporaryFolder(context), 'log.jsonl');
    const config = configFile(context, `log: { level: debug, file: ${file} }\n`);
    const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny'), config });
    if (isBefore) server.child.stderr?.destroy();
    await server.begin();
    server.child.stderr?.destroy();
    const ids = Array.from({ length: 300 }, (_, at) => at + 1);
    for (const id of ids) server.send(toolCall(id, 'search_text', { query: 'tide' }));
    for (const id of ids) assert.equal((await server.reply(id)).result.isError, false);
    server.child.stdin?.end();
    assert.equal(await server.ended, 0);
    const events = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    assert.equal(events.filter((event) => event === 'stderr_closed').length, 1);
    assert.equal(events.filter((event) => event === 'call').length, ids.length);
    assert.ok(events.includes('ending'));
  });
}
