// Checks what an operator sees of a server: its log, its metrics, provider failures, and answers that match their schemas.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { assertEach } from '../assert-each.ts';
import { empty } from '../fakes/http/faults.ts';
import { type Family, parseExposition } from '../mcp/metrics/parse-exposition.ts';
import { embeddedSession, ollamaFor, search } from './embedding-session.ts';
import {
  type Answer,
  configFile,
  copyOfFixture,
  openSession,
  runProgram,
  type Session,
  temporaryFolder,
} from './session.ts';

const CANARY = 'Zanzibarquokka';
const FIELDS =
  'ts level event tool request_id error_id code category job_id provider attempt duration_ms path kind state phase reason capability model endpoint cause cause_code frames undeclared change_id outcome pid token wait_ms version counts';

interface Line {
  readonly level: string;
  readonly event: string;
  readonly error_id?: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A vault whose notes contain the secret word, and a session that uses the word in its calls, at the most verbose log level. */
async function canarySession(context: TestContext): Promise<Session & { readonly folder: string }> {
  const vault = copyOfFixture(context, 'tiny');
  writeFileSync(join(vault, `${CANARY} title.md`), `# ${CANARY}\n\n${CANARY} [[Harbour]] [[${CANARY} nowhere]]\n`);
  writeFileSync(join(vault, 'Broken.md'), `---\n${CANARY}: [\n---\n${CANARY}\n`);
  const folder = temporaryFolder(context);
  const config = configFile(
    context,
    [
      `vault: { path: ${JSON.stringify(vault)}, access: read-write }`,
      `log: { level: debug, file: ${JSON.stringify(join(folder, 'log.jsonl'))} }`,
      `metrics: { file: ${JSON.stringify(join(folder, 'graph.prom'))} }`,
      '',
    ].join('\n'),
  );
  return { ...(await openSession(context, { config })), folder };
}

async function askEverything(session: Session): Promise<Answer[]> {
  await session.indexed();
  const requested: [string, Record<string, unknown>][] = [
    ['search_text', { query: CANARY }],
    ['search_text', { query: `"${CANARY}` }],
    ['search_text', { query: CANARY, limit: -1 }],
    ['search_text', { quer: CANARY }],
    ['read_notes', { notes: [`${CANARY} title`, `${CANARY} gone`] }],
    ['read_notes', { notes: [`${CANARY} gone`] }],
    ['get_neighbors', { note: `${CANARY} title` }],
    ['list_notes', { folder: CANARY }],
    ['create_note', { path: 'New.md', content: `${CANARY} again` }],
    ['create_note', { path: 'New.md', content: `${CANARY} again` }],
    ['edit_note', { note: 'New', edits: [{ op: 'replace_text', target: `${CANARY} no`, text: CANARY }] }],
    ['set_properties', { note: 'Broken', set: { [CANARY]: CANARY } }],
    ['status', {}],
  ];
  const answers: Answer[] = [];
  for (const [tool, given] of requested) answers.push(await session.call(tool, given));
  return answers;
}

test('the log has named fields, each error once, and no text from notes or queries', async (context) => {
  const session = await canarySession(context);
  const answers = await askEverything(session);
  await session.close();
  const lines = linesOf(session.stderr());
  assert.ok(lines.length > 10);
  const named = new Set(FIELDS.split(' '));
  for (const line of lines)
    for (const field of Object.keys(line)) assert.ok(named.has(field), `${field}: ${line.event}`);
  assert.ok(
    !session.stderr().includes(CANARY),
    session
      .stderr()
      .split('\n')
      .find((line) => line.includes(CANARY)),
  );
  const failed = answers.filter(({ isError }) => isError);
  assert.ok(failed.length >= 6);
  for (const { structured } of failed) {
    const records = lines.filter(({ error_id }) => error_id === structured.error.error_id);
    assertEach(records, ({ level, event }) => [level, event], [['error', 'call_failed']]);
  }
  const kept = linesOf(readFileSync(join(session.folder, 'log.jsonl'), 'utf8'));
  const events = (all: readonly Line[]): string[] => all.map(({ event, error_id }) => `${event} ${error_id}`);
  assert.deepEqual(events(kept), events(lines), 'the file has the same lines');
});

test('the metrics file is valid for Prometheus, includes the last call, and contains no text from notes', async (context) => {
  const session = await canarySession(context);
  const path = join(session.folder, 'graph.prom');
  parseExposition(readFileSync(path, 'utf8'));
  await askEverything(session);
  await session.close();
  const text = readFileSync(path, 'utf8');
  assert.ok(!text.includes(CANARY));
  const families = parseExposition(text);
  const value = (name: string, labels: object = {}): number | undefined =>
    (families.get(name) as Family | undefined)?.samples.find(
      (sample) => JSON.stringify(sample.labels) === JSON.stringify(labels),
    )?.value;
  assert.equal(value('vaultgraph_calls_total', { tool: 'search_text' }), 4);
  assert.equal(value('vaultgraph_errors_total', { tool: 'create_note', code: 'NOTE_EXISTS' }), 1);
  assert.equal(value('vaultgraph_stdout_violations'), 0);
  assert.equal(value('vaultgraph_index_pending'), 0);
  const { samples = [] } = families.get('vaultgraph_call_ms') ?? {};
  const count = samples.find(({ name, labels }) => name.endsWith('_count') && labels.tool === 'search_text');
  assert.equal(count?.value, 4);
  for (const family of families.values()) assert.ok(family.help);
  assert.deepEqual(readdirSync(session.folder).sort(), ['graph.prom', 'log.jsonl'], 'no temporary file is left');
});

test('status reports the counters that are not 0 and the call durations, one line per tool', async (context) => {
  const session = await canarySession(context);
  await askEverything(session);
  const { structured, text } = await session.call('status');
  const { counters, timings } = structured.data;
  assert.equal(counters['calls_total{search_text}'], 4);
  assert.ok(Object.values(counters).every((count) => count !== 0));
  const row = timings.find((each: { of: string }) => each.of === 'call_ms{search_text}');
  assert.equal(row.count, 4);
  assert.ok(row.p50 <= row.p95 && row.p95 <= row.max);
  assert.match(text, /timings \(\d+\): of · count · p50 · p95 · max\n- call_ms\{/);
});

test('a log or metrics file that cannot be written, or is inside the vault, fails the start', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'file'), '');
  const run = (rest: string) => {
    const config = configFile(context, `vault: { path: ${JSON.stringify(vault)} }\n${rest}\n`);
    return runProgram(context, ['serve', '--config', config, '--data-dir', temporaryFolder(context)]);
  };
  for (const section of ['log', 'metrics']) {
    const away = run(`${section}: { file: ${JSON.stringify(join(folder, 'file/x'))} }`);
    assert.equal(away.status, 78, away.stderr);
    assert.match(
      away.stderr,
      new RegExp(`config\\.yaml:2:\\d+: \`${section}\\.file\` cannot be .*\\((ENOTDIR|EEXIST)\\)`),
    );
    const inside = run(`${section}: { file: ${JSON.stringify(join(vault, 'x'))} }`);
    assert.equal(inside.status, 78, inside.stderr);
    assert.match(inside.stderr, new RegExp(`config\\.yaml:2:\\d+: \`${section}\\.file\` is inside the vault`));
    assert.equal(existsSync(join(vault, 'x')), false);
  }
});

test('the error of a failing provider includes the health of the others only if the config asks for it, and within a second', async (context) => {
  const ollama = await ollamaFor(context);
  const plain = await embeddedSession(context, ollama);
  const asking = await embeddedSession(context, ollama, { rest: 'errors: { include_health: true }' });
  await ollama.refuse();
  const { structured: silent } = await search(plain);
  assert.equal(silent.error.code, 'PROVIDER_UNAVAILABLE');
  assert.equal(silent.error.details.health, undefined);
  const { structured, text } = await search(asking);
  assert.equal(structured.error.code, 'PROVIDER_UNAVAILABLE');
  assert.deepEqual(structured.error.details.health, { vault: 'ok', store: 'ok' });
  assert.match(text, /health\.vault=ok/);
  assert.ok(Buffer.byteLength(JSON.stringify(structured.error.details)) <= 2_048);
  const { counters, timings } = (await asking.call('status')).structured.data;
  assert.ok(counters['retries_total{ollama,PROVIDER_UNAVAILABLE}'] >= 1);
  const requested = timings.find((row: { of: string }) => row.of === 'provider_ms{embedding}');
  assert.ok(requested.count >= 1 && requested.p50 <= requested.max);
  const wrong = await asking.call('search', { quer: 'x' });
  assert.equal(wrong.structured.error.details.health, undefined, 'a mistake of the caller says nothing of services');
});

test('I6 with output schemas enabled, every answer and error passes the validation of a real client', async (context) => {
  const ollama = await ollamaFor(context);
  const session = await embeddedSession(context, ollama, {
    access: 'read-write',
    rest: 'mcp: { output_schemas: true }\nindex: { allow_mismatched_query: true }',
  });
  const { tools } = await session.client.listTools();
  for (const { name, outputSchema } of tools) {
    assert.equal(outputSchema?.type, 'object', name);
    assert.deepEqual(outputSchema?.required, ['ok']);
    assert.doesNotMatch(JSON.stringify(outputSchema), /oneOf|anyOf|\$ref|additionalProperties/);
  }
  const note = 'Harbour';
  const given: Readonly<Record<string, Record<string, unknown>>> = {
    search: { query: 'tide' },
    search_text: { query: 'tide' },
    read_notes: { notes: [note, 'no such note'] },
    resolve_names: { names: [note] },
    get_neighbors: { note },
    find_path: { from: note, to: 'Tide pool' },
    find_gaps: { kind: 'orphans' },
    find_similar: { note },
    find_related: { note },
    get_context: { topic: 'tide' },
    get_timeline: { topic: 'tide' },
    find_conflicts: { notes: [note] },
    check_note: { note },
    create_note: { path: 'New.md', content: 'new' },
    edit_note: { note, edits: [{ op: 'append', text: 'x' }], dry_run: true },
    set_properties: { note, set: { x: 1 }, dry_run: true },
    move_note: { note, to: 'Elsewhere/', dry_run: true },
    delete_note: { note, dry_run: true },
    undo_change: { dry_run: true },
  };
  let passed = 0;
  for (const { name } of tools) {
    const failure = await session.call(name, { no_such_argument: 1 });
    assert.equal(failure.structured.error.code, 'INVALID_INPUT', name);
    const success = await session.call(name, given[name] ?? {});
    if (success.structured.ok) passed += 1;
  }
  assert.ok(passed >= 18, `${passed} of ${tools.length} succeeded`);
  ollama.fail(empty(500), { on: '/api/embed' });
  assert.equal((await search(session)).isError, true);
});
