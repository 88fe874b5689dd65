// Measures whole calls of `search` in a vault whose passages have vectors: with a server, its index, and a model on loopback.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOllama } from '../fakes/ollama-server.ts';
import type { VectorSize } from './goals.ts';
import { inIndex } from './index-bytes.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { createSeededRandom, type Random } from './random.ts';
import { percentile, series } from './statistics.ts';
import { embedded } from './token-report.ts';
import { CHUNKS_PER_NOTE } from './vector-collection.ts';
import type { VectorFloorLedger, VectorLedger } from './vector-measures.ts';

/** So few that each passage is a chunk. */
const CONTEXT_TOKENS = 64;
const PASSAGE_WORDS = 10;
const VOCABULARY = 20_000;
const FOLDERS = 50;
const QUESTIONS = 200;

export async function takeWholeSearches(
  size: VectorSize,
  folder: string,
  program: string,
  floors: VectorFloorLedger,
  ledger: VectorLedger,
): Promise<void> {
  const random = createSeededRandom(size.chunks);
  const vault = join(folder, 'notes');
  writeNotes(vault, size.chunks / CHUNKS_PER_NOTE, random);
  const server = await startOllama({ models: [{ dims: size.dims, contextTokens: CONTEXT_TOKENS }] });
  const config = join(folder, 'config.yaml');
  const embedding = { type: 'ollama', model: 'embeddinggemma', endpoint: server.origin };
  writeFileSync(config, JSON.stringify({ vault: { path: vault }, providers: { embedding } }));
  const args = [program, 'serve', '--config', config, '--data-dir', join(folder, 'served')];
  const session = await openMcpSession(args, folder);
  try {
    await embedded(session);
    const chunks = chunksIn(join(folder, 'served'));
    assert.ok(Math.abs(chunks / size.chunks - 1) < 0.1, `${chunks} chunks`);
    await floors.attempt(['embed_query'], async () => ({ embed_query: await embedOne(server.origin, random) }));
    await ledger.attempt(['whole_p50'], async () => ({ whole_p50: await p50(session, random, {}) }));
    const tagged = { tags: ['common'] };
    await ledger.attempt(['whole_tag_p50'], async () => ({ whole_tag_p50: await p50(session, random, tagged) }));
    const ranked = { where: { rank: { gte: 0 } } };
    await ledger.attempt(['whole_where_p50'], async () => ({ whole_where_p50: await p50(session, random, ranked) }));
  } finally {
    await session.close();
    await server.close();
  }
}

const chunksIn = (dataFolder: string): number =>
  inIndex(dataFolder, (database) => database.prepare('SELECT count(*) FROM chunks').pluck().get() as number);

async function embedOne(origin: string, random: Random): Promise<number> {
  const ask = async (): Promise<void> => {
    const body = JSON.stringify({ model: 'embeddinggemma', input: [words(random, 3)] });
    const answer = await fetch(`${origin}/api/embed`, { method: 'POST', body });
    assert.equal(((await answer.json()) as { embeddings: unknown[] }).embeddings.length, 1);
  };
  return percentile(await series(QUESTIONS, ask), 0.5);
}

async function p50(session: McpSession, random: Random, filter: object): Promise<number> {
  const values = await series(QUESTIONS, () => session.call('search', { query: words(random, 3), ...filter }), 20_000);
  return percentile(values, 0.5);
}

/** Each note has as many passages as it gets chunks; a hundredth of them lacks the tag. */
function writeNotes(vault: string, notes: number, random: Random): void {
  for (let folder = 0; folder < FOLDERS; folder++) mkdirSync(join(vault, `f${folder}`), { recursive: true });
  for (let note = 0; note < notes; note++) {
    const head = `---\ntags: [${note % 100 === 0 ? 'rare' : 'common'}]\nrank: ${note % 7}\n---\n`;
    const passages = Array.from(
      { length: CHUNKS_PER_NOTE },
      (_, at) => `## Part ${at}\n\n${words(random, PASSAGE_WORDS)}.\n`,
    );
    writeFileSync(join(vault, `f${note % FOLDERS}`, `n${note}.md`), `${head}${passages.join('\n')}`);
  }
}

/** Low numbers are frequent, as the common words of a language are. */
function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => `word${Math.floor(random.next() * random.next() * VOCABULARY)}`).join(' ');
}
