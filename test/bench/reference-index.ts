// The reference pipeline as a program: `reference-index VAULT DATABASE WORD` updates the database, queries it and prints one line.
import assert from 'node:assert/strict';
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { memoryOf } from './processes.ts';
import type { ReferenceNote } from './reference-parser.ts';
import { openReferenceStore, type ReferenceFile, type ReferenceStore } from './reference-store.ts';
import { statAll, walk } from './walk.ts';

const SLICE = 128;
/** The number of batches that the parser has at once, so that neither thread waits for the other. */
const IN_FLIGHT = 3;

const [folder = '', file = '', word = ''] = process.argv.slice(2);
const store = openReferenceStore(file);
const changed = changedFiles(store);
if (changed.length > 0) await indexFiles(store, changed);
const graph = store.graph();
const hits = store.search(word);
assert.ok(hits.length > 0, 'the first query found nothing');
const peak = process.platform === 'linux' ? memoryOf('self').peak : null;
process.stdout.write(`${JSON.stringify({ changed: changed.length, links: graph.targets.length, peak })}\n`);
store.close();

function changedFiles(store: ReferenceStore): ReferenceFile[] {
  const known = store.known();
  return statAll(folder, walk(folder)).filter(({ path, size, modified }) => {
    const before = known.get(path);
    return before?.size !== size || before.modified !== modified;
  });
}

async function indexFiles(store: ReferenceStore, files: readonly ReferenceFile[]): Promise<void> {
  const parser = new Worker(new URL('./reference-parser.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const notes = files.map(({ path }) => path).filter((path) => path.endsWith('.md'));
  let sent = 0;
  const send = (): void => {
    if (sent < notes.length) parser.postMessage({ folder, paths: notes.slice(sent, sent + SLICE) });
    sent += SLICE;
  };
  for (let slice = 0; slice < IN_FLIGHT; slice++) send();
  store.begin();
  store.addFiles(files);
  let written = 0;
  for await (const [parsed] of on(parser, 'message') as AsyncIterable<[ReferenceNote[]]>) {
    send();
    store.addNotes(parsed);
    written += parsed.length;
    if (written === notes.length) break;
  }
  store.resolveAndCommit();
  await parser.terminate();
}
