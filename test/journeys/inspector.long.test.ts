// Runs the official MCP inspector in its command-line mode against the built program, with valid and failing requests.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fetched } from '../packages/fetched.ts';
import { copyOfFixture, serveArguments, temporaryFolder } from './session.ts';

const INSPECTOR = join(fetched('protocol'), '@modelcontextprotocol/inspector-cli/build');

interface Inspected {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the inspector prints, without types.
  readonly result: any;
  readonly status: number | null;
  readonly stderr: string;
}

type Inspect = (method: string, ...options: string[]) => Promise<Inspected>;

/** The inspector looks for its own version next to the folder it is started in. */
function inspector(context: TestContext): Inspect {
  const vault = copyOfFixture(context, 'tiny');
  const dataFolder = temporaryFolder(context);
  const server = serveArguments({ vault }, dataFolder);
  return async (method, ...options) => {
    const args = [join(INSPECTOR, 'index.js'), process.execPath, '--method', method, ...options, '--', ...server];
    const env = { PATH: process.env.PATH ?? '', HOME: dataFolder };
    const child = spawn(process.execPath, args, { cwd: INSPECTOR, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { result: stdout === '' ? undefined : JSON.parse(stdout), status: child.exitCode, stderr };
  };
}

test('inspector: lists, reads, calls and gets prompts', async (context) => {
  const inspect = inspector(context);
  const tools = await inspect('tools/list');
  assert.equal(tools.status, 0, tools.stderr);
  assert.ok(tools.result.tools.some(({ name }: { name: string }) => name === 'search_text'));
  const called = await inspect('tools/call', '--tool-name', 'search_text', '--tool-arg', 'query=tide', 'limit=2');
  assert.deepEqual([called.result.isError, called.result.structuredContent.data.hits.length], [false, 2]);
  const listed = await inspect('resources/list');
  const uris = listed.result.resources.map(({ uri }: { uri: string }) => uri);
  assert.ok(uris.includes('note:///Places/Tide%20pool.md') && uris.includes('note:///Board.canvas'));
  const read = await inspect('resources/read', '--uri', 'note:///Places/Tide%20pool.md');
  assert.match(read.result.contents[0].text, /^---\n|# Tide pool/);
  assert.equal(read.result.contents[0].mimeType, 'text/markdown');
  const templates = await inspect('resources/templates/list');
  assert.equal(templates.result.resourceTemplates[0].uriTemplate, 'note:///{+path}');
  const prompts = await inspect('prompts/list');
  const names = prompts.result.prompts.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, [
    'daily_review',
    'explain_topic',
    'fix_broken_links',
    'connect_note',
    'weekly_review',
    'clean_up_tags',
    'merge_duplicates',
    'meeting_note',
    'what_changed',
    'timeline',
    'tidy_up',
    'recall',
    'remember',
  ]);
  const filled = await inspect('prompts/get', '--prompt-name', 'connect_note', '--prompt-args', 'note=Harbour');
  assert.match(filled.result.messages[0].content.text, /^Connect my note "Harbour"/);
  for (const name of names.slice(0, 3)) {
    const { result, stderr } = await inspect(
      'prompts/get',
      '--prompt-name',
      name,
      '--prompt-args',
      'topic=tide'.repeat(Number(name === 'explain_topic')) || 'folder=Places',
    );
    assert.match(result?.messages[0].content.text ?? stderr, /Now:\n1\. /, name);
  }
});

test('inspector: a failing request ends with a code and a reason', async (context) => {
  const inspect = inspector(context);
  const cases: [string, string[], RegExp][] = [
    ['resources/read', ['--uri', 'note:///nope.md'], /-32002: \[NOTE_NOT_FOUND\]/],
    ['resources/read', ['--uri', 'note:///..%2Fup.md'], /-32603: \[PATH_NOT_ALLOWED\]/],
    ['prompts/get', ['--prompt-name', 'nope'], /-32602: no prompt "nope"/],
    [
      'prompts/get',
      ['--prompt-name', 'connect_note'],
      /-32602: connect_note: \[INVALID_INPUT\] note: is missing\. .*`note`/,
    ],
    ['logging/setLevel', ['--log-level', 'debug'], /-32601: no method "logging\/setLevel"/],
  ];
  for (const [method, options, reason] of cases) {
    const { status, stderr } = await inspect(method, ...options);
    assert.notEqual(status, 0, method);
    assert.match(stderr, reason);
  }
});
