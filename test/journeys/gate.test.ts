// Checks the gate over stdio: the providers named in the config decide exactly which tools exist.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listedTools, WRITE_TOOLS } from './listed-tools.ts';
import { configFile, copyOfFixture, openSession, PROGRAM, runProgram, temporaryFolder } from './session.ts';

const MATRIX = [
  { name: 'only a vault configured', yaml: '', tools: listedTools() },
  { name: 'the store configured too', yaml: 'providers:\n  store: { type: sqlite }\n', tools: listedTools() },
  {
    name: 'read-write',
    yaml: '',
    access: 'read-write',
    tools: listedTools({ writes: true }),
  },
];

for (const { name, yaml, access, tools } of MATRIX) {
  test(`gate: ${name}`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const config = join(temporaryFolder(context), 'config.yaml');
    writeFileSync(config, `vault:\n  path: ${vault}\n  access: ${access ?? 'read-only'}\n${yaml}`);
    const session = await openSession(context, { config });
    assert.deepEqual(await session.toolNames(), tools);
    await assert.rejects(session.call('search', { query: 'tide' }), (error: { code: number; message: string }) => {
      assert.equal(error.code, -32602);
      assert.match(error.message, /search/);
      return true;
    });
    const status = await session.call('status');
    const absent = status.structured.data.capabilities.absent.map((row: { config_key: string }) => row.config_key);
    assert.deepEqual(absent, ['providers.embedding', 'providers.llm', 'providers.rerank']);
    assert.match(session.client.getInstructions() ?? '', /providers\.embedding/);
  });
}

test('gate: in a read-only vault no write tool is listed or callable, and a call names the config key that would enable it', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  const names = await session.toolNames();
  for (const name of WRITE_TOOLS) {
    assert.ok(!names.includes(name), name);
    await assert.rejects(session.call(name, { note: 'Harbour' }), (error: { code: number; data: object }) => {
      assert.equal(error.code, -32602);
      assert.deepEqual(error.data, { available: names, code: 'READ_ONLY', config_key: 'vault.access' });
      return true;
    });
  }
  const listed = JSON.stringify(await session.client.listTools());
  assert.doesNotMatch(listed, /if_match|plan_id|dry_run/);
  assert.match(session.client.getInstructions() ?? '', /, read-only\)/);
});

for (const [kind, type] of [
  ['embedding', 'olama'],
  ['llm', 'olama'],
]) {
  test(`gate: a provider type for ${kind} that this version does not support is refused with its position`, (context) => {
    const config = join(temporaryFolder(context), 'config.yaml');
    writeFileSync(
      config,
      `vault: { path: ${copyOfFixture(context, 'tiny')} }\nproviders:\n  ${kind}: { type: ${type}, model: x }\n`,
    );
    const ended = spawnSync(process.execPath, [PROGRAM, 'serve', '--config', config], { input: '', encoding: 'utf8' });
    assert.equal(ended.status, 78);
    assert.equal(ended.stdout, '');
    assert.match(ended.stderr, new RegExp(`config\\.yaml:3:\\d+: .*unknown provider type.*\`${type}\``));
  });
}

const SWITCHES = [
  { tools: 'only: [status, search_text]', listed: ['status', 'search_text'], prompts: [] },
  { tools: 'only: [search, read_notes]', listed: ['read_notes'], prompts: [] },
  {
    tools: 'except: [find_gaps, reindex]',
    listed: listedTools().filter((name) => name !== 'find_gaps' && name !== 'reindex'),
    prompts: [
      ...[
        'clean_up_tags',
        'daily_review',
        'explain_topic',
        'meeting_note',
        'recall',
        'remember',
        'tidy_up',
        'timeline',
      ],
      ...['weekly_review', 'what_changed'],
    ],
  },
];

for (const { tools, listed, prompts } of SWITCHES) {
  test(`gate: tools: {${tools}} decides what is listed, callable and prompted for`, async (context) => {
    const vault = copyOfFixture(context, 'tiny');
    const config = configFile(context, `vault: { path: ${vault} }\ntools: { ${tools} }\n`);
    const session = await openSession(context, { config });
    assert.deepEqual(await session.toolNames(), listed);
    const offered = session.client.getServerCapabilities()?.prompts && (await session.client.listPrompts()).prompts;
    assert.deepEqual((offered ?? []).map(({ name }) => name).sort(), prompts);
    await assert.rejects(session.call('find_gaps'), (error: { code: number; data: object }) => {
      assert.equal(error.code, -32602);
      assert.deepEqual(error.data, { available: listed });
      return true;
    });
    const instructions = session.client.getInstructions() ?? '';
    assert.doesNotMatch(instructions, /find_gaps/);
    const called = runProgram(context, ['call', 'find_gaps', '{}', '--config', config]);
    assert.equal(called.status, 64);
  });
}

test('gate: an unknown name in tools is refused with its position and the nearest name, and so are both lists at once', (context) => {
  const vault = copyOfFixture(context, 'tiny');
  const refusal = (tools: string) => {
    const config = configFile(context, `vault: { path: ${vault} }\ntools: { ${tools} }\n`);
    const { status, stderr } = runProgram(context, ['config', '--config', config]);
    assert.equal(status, 78);
    return stderr;
  };
  assert.match(refusal('except: [find_gap]'), /yaml:2:19: there is no tool "find_gap", did you mean `find_gaps`\?/);
  assert.match(refusal('only: [status, xyz]'), /yaml:2:25: there is no tool "xyz", allowed: status, search_text, /);
  assert.match(refusal('only: [status], except: [reindex]'), /2:34: `tools.except` is not valid: `tools.only` already/);
  assert.match(refusal('only: []'), /2:16: `tools.only` is empty/);
});

test('every tool that takes where or since describes its forms', async (context) => {
  const session = await openSession(context, { vault: copyOfFixture(context, 'tiny') });
  const { tools } = await session.client.listTools();
  const described = tools.flatMap(({ name, inputSchema }) =>
    ['where', 'since'].flatMap((argument) => {
      const schema = inputSchema.properties?.[argument] as { description?: string } | undefined;
      return schema === undefined ? [] : [[`${name}.${argument}`, schema.description ?? ''] as const];
    }),
  );
  assert.ok(described.length >= 9, String(described.length));
  for (const [where, description] of described) assert.match(description, /exists$|last week$|^note date$/, where);
});
