// Ten thousand searches sent at once: none is refused because the process was busy with the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRawServer, toolCall, VERSIONS } from '../../journeys/raw-server.ts';
import { copyOfFixture } from '../../journeys/session.ts';
import { runs } from '../../runner/effort.ts';

for (const version of VERSIONS) {
  test(`pipelined searches are all answered from a healthy disk (${version})`, async (context) => {
    const server = startRawServer(context, { vault: copyOfFixture(context, 'tiny') });
    await server.begin(version);
    const ids = Array.from({ length: runs(10_000) }, (_, at) => at + 1);
    for (const id of ids) server.send(toolCall(id, 'search_text', { query: 'tide' }));
    const answers = await Promise.all(ids.map((id) => server.reply(id)));
    const codes = new Set(answers.map(({ result, error }) => error?.code ?? result.structuredContent.error?.code));
    assert.deepEqual(codes, new Set([undefined]));
  });
}
