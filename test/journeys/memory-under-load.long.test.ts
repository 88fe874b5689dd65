// Three servers answer mixed calls and edits of one vault without a pause: none of them holds more memory than an idle editor would notice.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

const NOTES = 1_000;
const CALLS = 1_500;
const MAX_MIB = 250;
const WORDS = 'harbour tide boat quay rope anchor sail wind storm calm hull keel chart light buoy reef'.split(' ');

const residentMib = ({ processId }: Session): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]) / 1024;

const sentence = (at: number): string =>
  Array.from({ length: 60 }, (_, word) => WORDS[(at * 7 + word * word) % 16]).join(' ');

function* mixedCalls(server: number): Generator<readonly [tool: string, args: Record<string, unknown>]> {
  for (let at = 0; ; at += 1) {
    const [note, word] = [`Note ${(at * 31 + server * 7) % NOTES}`, WORDS[at % 16]];
    yield ['search_text', { query: `${word} ${WORDS[(at * 5) % 16]}`, detail: 'full', limit: 50 }];
    yield ['read_notes', { notes: [note], include: ['content', 'links', 'outline'] }];
    yield ['get_neighbors', { note, depth: 3, limit: 100 }];
    yield ['find_gaps', { kind: ['duplicates', 'orphans', 'unresolved', 'unlinked_mentions'][at % 4] }];
    yield ['get_context', { topic: `${word} ${note}` }];
    yield ['find_related', { note }];
    yield ['get_hubs', { metric: ['pagerank', 'betweenness', 'in_degree'][at % 3] }];
    yield ['list_notes', { limit: 100, detail: 'full' }];
    yield ['edit_note', { note, edits: [{ op: 'append', text: sentence(at) }] }];
  }
}

test('servers that are never idle stay small', { skip: !existsSync('/proc/self/status') }, async (context) => {
  const vault = temporaryFolder(context);
  for (let at = 0; at < NOTES; at += 1)
    writeFileSync(join(vault, `Note ${at}.md`), `# Note ${at}\n\n${sentence(at)} [[Note ${(at * 17) % NOTES}]]\n`);
  const config = configFile(context, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const shared = { config, dataFolder: temporaryFolder(context), stateFolder: temporaryFolder(context) };
  const leader = await openSession(context, shared);
  await leader.indexed();
  const servers = [leader, ...(await Promise.all([openSession(context, shared), openSession(context, shared)]))];
  const work = async (server: Session, number: number): Promise<void> => {
    const calls = mixedCalls(number);
    for (let made = 0; made < CALLS; made += 1) {
      const [tool, args] = calls.next().value;
      await server.call(tool, args);
    }
  };
  await Promise.all(servers.map(work));
  const sizes = servers.map((server) => Math.round(residentMib(server)));
  context.diagnostic(`MiB: ${sizes.join(', ')}`);
  assert.ok(Math.max(...sizes) < MAX_MIB, sizes.join(', '));
});
