// Calls every tool on a vault of hostile notes, and says how large each answer is and for how long the server was silent.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hostileNotes, writeHostileVault } from './hostile-vault.ts';
import { ollamaFor } from './llm-session.ts';
import { configFile, openSession, type Session, temporaryFolder } from './session.ts';

/** An answer that each language-model tool can use. */
const MODEL_ANSWER = JSON.stringify({
  ...{ summary: 'A harbour.', key_points: ['The tide.'], answer: 'By the harbour.', unanswerable: false },
  ...{ known: [], fresh: [{ tag: 'port', evidence: 'harbour' }], mentions: [1], related: [] },
  ...{ entities: [{ type: 'place', text: 'harbour' }], quotes: [{ passage: 1, text: 'harbour' }] },
});

/** On SIGUSR2, writes the most processor time that the main thread used in one piece since the last signal. */
const REPORT_HOLDS = `import { isMainThread } from 'node:worker_threads';
  if (isMainThread) {
    const used = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1e3; };
    let [before, most] = [used(), 0];
    const look = () => { const now = used(); most = Math.max(most, now - before); before = now; };
    setInterval(look, 2).unref();
    process.on('SIGUSR2', () => { look(); process.stderr.write('held ' + Math.round(most) + ' ms\\n'); most = 0; });
  }`;

/** A server on a hostile vault that may be written, with a language model and with its index built. */
export async function openHostile(context: TestContext, scale: number): Promise<Session> {
  const vault = join(temporaryFolder(context), 'vault');
  writeHostileVault(vault, scale);
  const { origin } = await ollamaFor(context, { script: () => MODEL_ANSWER });
  const llm = `{ type: ollama, model: llama3.2, endpoint: ${JSON.stringify(origin)} }`;
  const config = configFile(context, `vault:\n  access: read-write\nproviders:\n  llm: ${llm}\n`);
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(REPORT_HOLDS)}` };
  const session = await openSession(context, { vault, config, env, stateFolder: temporaryFolder(context) });
  await session.indexed();
  return session;
}

/** The processor time for which the main thread of the server was held since the last question, which a busy machine does not lengthen much. */
export async function longestHold({ processId, stderr }: Session): Promise<number> {
  const reports = () => [...stderr().matchAll(/held (\d+) ms/g)];
  const before = reports().length;
  process.kill(processId, 'SIGUSR2');
  while (reports().length === before) await sleep(5);
  return Number(reports().at(-1)?.[1]);
}

/** The calls of one pass. */
function* hostileCalls(): Generator<readonly [tool: string, args: Record<string, unknown>]> {
  for (const query of ['harbour', 'tide calm', 'gone']) {
    yield ['search_text', { query, detail: 'full', limit: 100 }];
    yield ['get_context', { topic: query }];
    yield ['get_timeline', { topic: query, limit: 100 }];
  }
  const names = Object.keys(hostileNotes(0)).map((path) => path.replace('.md', ''));
  yield ['resolve_names', { names }];
  for (const tool of [
    'list_notes',
    'list_tags',
    'list_properties',
    'list_tasks',
    'list_changes',
    'get_hubs',
    'get_communities',
    'status',
  ])
    yield [tool, {}];
  for (const kind of ['unresolved', 'orphans', 'dead_ends', 'unlinked_mentions', 'duplicates', 'unused_attachments'])
    yield ['find_gaps', { kind, limit: 100, detail: 'full' }];
  yield ['find_gaps', { kind: 'stale', before: 'tomorrow' }];
  yield ['check_vault', { limit: 100 }];
  yield ['find_conflicts', { limit: 100 }];
  yield ['query_base', { base: 'Files', limit: 100 }];
  yield ['find_path', { from: 'Long line', to: 'Image' }];
  for (const note of names) {
    yield ['read_notes', { notes: [note], include: ['content', 'links', 'outline', 'properties'] }];
    for (const depth of [1, 2]) yield ['get_neighbors', { note, depth, limit: 100 }];
    yield ['get_context', { notes: [note] }];
    yield ['get_timeline', { notes: [note], limit: 100 }];
    yield ['find_related', { note }];
    yield ['check_note', { note, query: 'harbour' }];
    yield ['edit_note', { note, edits: [{ op: 'append', text: 'x' }], dry_run: true }];
    yield ['set_properties', { note, set: { a: 1 }, dry_run: true }];
    yield ['move_note', { note, to: 'Elsewhere', dry_run: true }];
    yield ['summarize_notes', { notes: [note] }];
    for (const tool of ['suggest_tags', 'suggest_links', 'extract_entities']) yield [tool, { note }];
  }
  for (const note of ['Long line', 'Many links', 'Image']) {
    yield ['edit_note', { note, edits: [{ op: 'append', text: 'x' }] }];
    yield ['undo_change', {}];
  }
  for (const note of ['Long line', 'Many links', 'Image'])
    yield ['merge_notes', { notes: [note], into: 'Hub', dry_run: true }];
  yield ['rename_tag', { from: 'ebb', to: 'flow', dry_run: true }];
  yield ['replace_in_notes', { broken_links: ['*'] }];
  yield ['replace_in_notes', { find: 'harbour', replace: 'port', everywhere: true }];
  yield ['replace_in_notes', { find: '(harbour|[[]+a* )x?', replace: 'port', regex: true, everywhere: true }];
  yield ['set_properties', { filter: { tags: ['ebb'] }, set: { a: 1 }, dry_run: true }];
  yield ['edit_note', { note: 'Hub', edits: [{ op: 'set_task', target: 'task', status: 'done' }], dry_run: true }];
  yield ['ask_vault', { question: 'Where is the harbour and the tide?' }];
  yield ['move_note', { note: 'Hub', to: 'Centre point', dry_run: true }];
  yield ['delete_note', { note: 'Many links', dry_run: true }];
  yield ['create_note', { path: 'New', content: 'x [[Hub]]', dry_run: true }];
  yield ['set_properties', { note: 'Hub', set: { a: 1 } }];
  yield ['undo_change', { dry_run: true }];
  yield ['reindex', {}];
}

export async function* answersOnHostileVault({ client }: Session) {
  for (const [tool, args] of hostileCalls()) {
    const answer = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 120_000 });
    const { error } = answer.structuredContent as { readonly error?: { readonly code: string } };
    yield { tool, args, error: error?.code, bytes: Buffer.byteLength(JSON.stringify(answer)) };
  }
}
