// Runs `vaultgraph index` with a model server on loopback and checks output and exit code for full, partial and no embedding.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { createVaultFolder, type VaultFolder } from '../providers/filesystem/vault-folder.ts';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');

interface Place {
  readonly folder: VaultFolder;
  readonly server: OllamaServer;
  index(...args: string[]): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>;
}

async function withProgram(check: (place: Place) => Promise<void>): Promise<void> {
  const folder = createVaultFolder();
  const server = await startOllama({ models: [{ poison: { poison: 'too long' } }] });
  const config = join(folder.outside, 'config.yaml');
  const section = `{ type: ollama, model: embeddinggemma, endpoint: ${server.origin} }`;
  writeFileSync(config, `retry: { job_attempts: 1 }\nproviders:\n  embedding: ${section}\n`);
  const place = ['--config', config, '--vault', folder.root, '--data-dir', join(folder.outside, 'data')];
  const index: Place['index'] = async (...args) => {
    const child = spawn(process.execPath, [PROGRAM, 'index', ...args, ...place], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { status, stdout, stderr };
  };
  try {
    await check({ folder, server, index });
  } finally {
    await server.close();
    folder.delete();
  }
}

it('embeds after indexing and exits with 0', () =>
  withProgram(async ({ folder, index }) => {
    for (let n = 0; n < 40; n += 1) folder.put(`${n}.md`, `text ${n}`);
    const first = await index();
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stdout, /^succeeded: 40 files, 40 indexed, 0 removed, 0 failed$/m);
    assert.match(first.stdout, /^embedding succeeded: 40 notes, 40 chunks embedded, 0 kept, 0 failed$/m);
    assert.match(first.stderr, /^embedding \d+\/40/m);
    const again = await index('--json');
    const { embedding } = JSON.parse(again.stdout);
    assert.deepEqual([again.status, embedding.state, embedding.chunks.requests], [0, 'succeeded', 0]);
    const rebuilt = JSON.parse((await index('--rebuild', '--json')).stdout);
    assert.deepEqual([rebuilt.kind, rebuilt.embedding.chunks.embedded], ['rebuild', 40]);
  }));

it('lists every rejected chunk with its reason and exits with 2', () =>
  withProgram(async ({ folder, index }) => {
    for (let n = 0; n < 300; n += 1) folder.put(`${n}.md`, n % 2 === 0 ? `poison ${n}` : `text ${n}`);
    const { status, stdout } = await index();
    assert.equal(status, 2);
    const rows = stdout.match(/^ {2}\d+\.md:1-1: \[PROVIDER_INPUT_TOO_LONG\] the embedding request failed: .+$/gm);
    assert.equal(rows?.length, 150);
    const json = await index('--json');
    const { embedding } = JSON.parse(json.stdout);
    assert.deepEqual([json.status, embedding.failed_chunks.length, embedding.chunks.failed], [2, 150, 150]);
    const { reason, first, last, ...chunk } = embedding.failed_chunks[0];
    assert.deepEqual(chunk, { path: '0.md', chunk: 0, lines: [1, 1], code: 'PROVIDER_INPUT_TOO_LONG', attempts: 2 });
  }));

it('exits with 1 if the user must fix the provider, with 2 if it is unreachable; the index is complete', () =>
  withProgram(async ({ folder, server, index }) => {
    folder.put('note.md', 'text');
    server.remove('embeddinggemma');
    const missing = await index();
    assert.equal(missing.status, 1);
    assert.match(
      missing.stdout,
      /1 indexed.*\nembedding failed: .*\n {2}\[PROVIDER_MODEL_MISSING\] .*\n {2}→ .*ollama pull/,
    );
    await server.refuse();
    const away = await index('--json');
    const { state, embedding } = JSON.parse(away.stdout);
    assert.deepEqual([away.status, state, embedding.state], [2, 'succeeded', 'interrupted']);
    assert.deepEqual([embedding.error.code, embedding.error.retryable], ['PROVIDER_UNAVAILABLE', true]);
  }));
