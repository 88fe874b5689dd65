// Checks over stdio that changes are made only with the approval of the user, where the config asks for it.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../until.ts';
import { type RawServer, startRawServer, toolCall } from './raw-server.ts';
import { configFile, copyOfFixture, openSession, type Session } from './session.ts';

const APPROVED: ElicitResult = { action: 'accept', content: { approve: true } };
const HARBOUR = 'Places/Harbour.md';

interface Asking {
  readonly vault: string;
  readonly config: string;
  readonly text: (path: string) => string;
}

/** @param rest whole lines of YAML at the end */
function asking(context: TestContext, rest = ''): Asking {
  const vault = copyOfFixture(context, 'tiny');
  const config = configFile(context, `vault:\n  path: ${vault}\n  access: read-write\n  consent: ask\n${rest}`);
  return { vault, config, text: (path) => readFileSync(join(vault, path), 'utf8') };
}

const replacing = (note: string, find: string, text: string) => ({
  note,
  edits: [{ op: 'replace_text', target: find, text }],
});

test('a user is asked about a change, whatever the arguments say, and only an approval writes it', async (context) => {
  const { vault, config, text } = asking(context);
  const questions: string[] = [];
  let answer = async (): Promise<ElicitResult> => APPROVED;
  const answerForm = (message: string): Promise<ElicitResult> => {
    questions.push(message);
    return answer();
  };
  const session = await openSession(context, { config, answerForm });
  await session.indexed();
  const before = text(HARBOUR);

  const refusals: [ElicitResult, string][] = [
    [{ action: 'decline' }, 'declined'],
    [{ action: 'cancel' }, 'cancelled'],
    [{ action: 'accept', content: { approve: false } }, 'declined'],
    [{ action: 'accept' }, 'declined'],
  ];
  for (const [given, said] of refusals) {
    answer = async () => given;
    const { structured } = await session.call('delete_note', { note: 'Harbour', confirm: true });
    assert.equal(structured.error.code, 'CONFIRMATION_REQUIRED');
    assert.equal(structured.error.details.answer, said);
    assert.doesNotMatch(structured.error.hint, /confirm: true|plan_id/);
    assert.equal(text(HARBOUR), before);
  }
  const etag = (await session.call('read_notes', { notes: ['Harbour'] })).structured.data.succeeded[0].result.etag;
  const body = { ...replacing('Harbour', 'free in winter', 'taken'), if_match: etag };
  assert.equal((await session.call('edit_note', body)).structured.error.details.answer, 'declined');
  const planned = await session.call('edit_note', { ...body, dry_run: true });
  const { plan_id } = planned.structured.data;
  assert.equal(questions.length, refusals.length + 1, 'a dry run asks nothing');
  assert.equal((await session.call('edit_note', { plan_id })).structured.error.details.answer, 'declined');
  assert.equal((await session.call('edit_note', { plan_id })).structured.error.code, 'CHANGE_NOT_FOUND');
  assert.equal(text(HARBOUR), before);

  answer = async () => APPROVED;
  questions.length = 0;
  const written = await session.call('edit_note', body);
  assert.match(written.structured.data.change_id, /^chg_/);
  assert.equal(text(HARBOUR), before.replace('free in winter', 'taken'));
  assert.equal(questions.length, 1);
  assert.match(
    questions[0] ?? '',
    /^edit_note changes 1 file:\n- Places\/Harbour\.md\n\n[\s\S]*\n-.*free in winter[\s\S]*\n\+.*taken/,
  );
  const appended = await session.call('edit_note', { note: 'Harbour', edits: [{ op: 'append', text: 'More.' }] });
  assert.equal(appended.isError, false, appended.text);
  assert.equal((await session.call('undo_change', {})).isError, false);
  assert.equal((await session.call('undo_change', { change_id: written.structured.data.change_id })).isError, false);
  assert.equal(questions.length, 1, 'an append and an undo need no approval');
  assert.equal(text(HARBOUR), before);

  answer = async () => {
    appendFileSync(join(vault, HARBOUR), 'By the user.\n');
    return APPROVED;
  };
  const conflict = await session.call('delete_note', { note: 'Harbour', confirm: true });
  assert.equal(conflict.structured.error.code, 'WRITE_CONFLICT');
  assert.equal(text(HARBOUR), `${before}By the user.\n`);
});

test('questions wait beside each other and beside other writes, and do not count as time of their calls', async (context) => {
  const { config, text } = asking(context, 'limits:\n  call: 20000\n');
  const answers: ((result: ElicitResult) => void)[] = [];
  const answerForm = (): Promise<ElicitResult> => new Promise((resolve) => answers.push(resolve));
  const session: Session = await openSession(context, { config, answerForm });
  await session.indexed();
  const before = text(HARBOUR);
  const first = session.call('edit_note', replacing('Harbour', 'free in winter', 'taken'));
  await until(() => answers.length === 1, 'the first question');
  const second = session.call('edit_note', replacing('Harbour', 'free in winter', 'let'));
  const third = session.call('delete_note', { note: 'Lighthouse' });
  await until(() => answers.length === 3, 'all questions');
  const created = await session.call('create_note', { path: 'New', content: 'written while three questions wait' });
  assert.equal(created.isError, false, created.text);
  for (const answer of answers) answer(APPROVED);
  const outcomes = (await Promise.all([first, second])).map(({ structured }) => structured.error?.code ?? 'written');
  assert.deepEqual(outcomes.sort(), ['WRITE_CONFLICT', 'written']);
  assert.match((await third).structured.data.trashed, /^\.trash\//);
  assert.match(text(HARBOUR), /The outermost one is (?:taken|let)\./);
  assert.notEqual(text(HARBOUR), before);
});

test('a client without forms confirms by arguments, as without the setting', async (context) => {
  const { config } = asking(context);
  const session = await openSession(context, { config });
  await session.indexed();
  const { structured } = await session.call('delete_note', { note: 'Harbour' });
  assert.equal(structured.error.code, 'CONFIRMATION_REQUIRED');
  assert.match(structured.error.hint, /confirm: true/);
  assert.equal((await session.call('delete_note', { note: 'Harbour', confirm: true })).isError, false);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads messages as they came.
type Message = any;

const messages = (server: RawServer): Message[] => server.lines().map((line) => JSON.parse(line));

async function question(server: RawServer, count: number): Promise<Message> {
  const asked = (): Message[] => messages(server).filter(({ method }) => method === 'elicitation/create');
  await until(() => asked().length >= count, `question ${count}`);
  return asked()[count - 1];
}

const withdrawals = (server: RawServer): unknown[] =>
  messages(server)
    .filter(({ method }) => method === 'notifications/cancelled')
    .map(({ params }) => params.requestId);

async function rawServer(context: TestContext, config: string): Promise<RawServer> {
  const server = startRawServer(context, { config });
  await server.begin('2025-11-25', { elicitation: { form: {} } });
  server.send(toolCall(1, 'reindex', { wait_ms: 45_000 }));
  await server.reply(1);
  return server;
}

test('without an answer in time nothing is written, and a late answer does nothing; the plan can be approved later', async (context) => {
  const { config, text } = asking(context, 'consent:\n  timeout: 300\n');
  const server = await rawServer(context, config);
  const before = text(HARBOUR);
  server.send(toolCall(2, 'edit_note', { ...replacing('Harbour', 'free in winter', 'taken'), confirm: true }));
  const { id, params } = await question(server, 1);
  assert.deepEqual(Object.keys(params.requestedSchema.properties), ['approve']);
  const { result } = await server.reply(2);
  const { code, details, hint } = result.structuredContent.error;
  assert.equal(code, 'CONFIRMATION_REQUIRED');
  assert.equal(details.answer, 'no_answer');
  assert.ok(hint.includes(details.plan_id));
  assert.deepEqual(withdrawals(server), [id]);
  for (const late of [
    { id, result: APPROVED },
    { id, result: [] },
    { id: 77, result: APPROVED },
  ])
    server.send(late);
  server.send(toolCall(3, 'read_notes', { notes: ['Harbour'] }));
  await server.reply(3);
  assert.equal(text(HARBOUR), before);
  // The timeout is short, so the same plan is tried until an answer arrives in time.
  let written: Message;
  for (let attempt = 0; written === undefined; attempt += 1) {
    server.send(toolCall(10 + attempt, 'edit_note', { plan_id: details.plan_id }));
    server.send({ id: (await question(server, 2 + attempt)).id, result: APPROVED });
    const answer = (await server.reply(10 + attempt)).result.structuredContent;
    if (answer.ok) written = answer.data;
    else assert.equal(answer.error.details.answer, 'no_answer');
  }
  assert.match(written.change_id, /^chg_/);
  assert.equal(text(HARBOUR), before.replace('free in winter', 'taken'));
});

test('a question is withdrawn with its call and with the end of the server; a client that refuses it gives no answer', async (context) => {
  const { config, text } = asking(context);
  const server = await rawServer(context, config);
  const before = text(HARBOUR);
  const deleting = { note: 'Harbour', confirm: true };
  server.send(toolCall(2, 'delete_note', deleting));
  const first = await question(server, 1);
  server.send({ id: first.id, error: { code: -32603, message: 'no window' } });
  assert.equal((await server.reply(2)).result.structuredContent.error.details.answer, 'not_asked');
  server.send(toolCall(3, 'delete_note', deleting));
  const second = await question(server, 2);
  server.send({ method: 'notifications/cancelled', params: { requestId: 3 } });
  await until(() => withdrawals(server).includes(second.id), 'the withdrawal');
  server.send({ id: second.id, result: APPROVED });
  server.send(toolCall(4, 'delete_note', deleting));
  await question(server, 3);
  server.child.stdin?.end();
  assert.equal(await server.ended, 0);
  assert.equal(text(HARBOUR), before);
  assert.doesNotMatch(server.stderr(), /INTERNAL|undeclared|end_forced/);
});

/** What a client may answer in place of an answer. */
const MALFORMED: readonly ((id: unknown) => object)[] = [
  ...[null, 'yes', 7, true, [APPROVED], {}, { action: 'yes' }, { action: 'accept', content: 'yes' }].map(
    (result) => (id: unknown) => ({ id, result }),
  ),
  (id) => ({ id, result: APPROVED, error: null }),
  (id) => ({ id, result: APPROVED, more: true }),
  ...[null, 'no', {}, { code: 'x', message: 'no' }, { code: -32_603 }].map((error) => (id: unknown) => ({ id, error })),
  (id) => ({ id }),
  (id) => ({ jsonrpc: '1.0', id, result: APPROVED }),
  () => ({ id: null, error: { code: -32_700, message: 'not read' } }),
  () => ({ error: { code: -32_700, message: 'not read' } }),
  () => ({ result: APPROVED }),
  () => ({ id: { n: 1 }, result: APPROVED }),
];

test('a malformed answer to a question ends its call at once, with nothing written', async (context) => {
  const { config, text } = asking(context);
  const server = await rawServer(context, config);
  const before = text(HARBOUR);
  for (const [at, malformed] of MALFORMED.entries()) {
    server.send(toolCall(100 + at, 'delete_note', { note: 'Harbour', confirm: true }));
    const { id } = await question(server, at + 1);
    const answer = malformed(id);
    server.send(answer);
    const { error } = (await server.reply(100 + at)).result.structuredContent;
    const found = [error.code, error.details.answer];
    assert.deepEqual(found, ['CONFIRMATION_REQUIRED', 'not_asked'], JSON.stringify(answer));
    assert.match(error.message, /the client did not return an answer of the user/);
  }
  server.send(toolCall(2, 'delete_note', { note: 'Harbour', confirm: true }));
  const { id } = await question(server, MALFORMED.length + 1);
  server.send({ id: 77, result: 'late' });
  server.send({ id, result: APPROVED });
  assert.equal((await server.reply(2)).result.structuredContent.ok, true, 'an answer to nothing ends no question');
  assert.ok(before.length > 0);
});
