// Starts a server with an embedding provider on loopback and a client that talks to it.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { CHATTING } from '../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { MIN_ANSWER, type Script } from '../fakes/scripted-model.ts';
import { type Answer, configFile, copyOfFixture, openSession, type Session, temporaryFolder } from './session.ts';

type Start = Parameters<typeof startOllama>[0];

/** The smallest valid answer, for an unknown request: it says that nothing is known. */
const leastAnswer: Script = (requested) => {
  const isQuestion = JSON.stringify(requested.schema).includes('"unanswerable"');
  return isQuestion ? JSON.stringify({ answer: '', quotes: [], unanswerable: true }) : MIN_ANSWER(requested);
};
/** A server with one embedding model and one chat model. */
export const CHATS = { models: [{}, CHATTING], script: leastAnswer };

/** A fake Ollama that is stopped when the test ends. */
export async function ollamaFor(context: TestContext, start: Start = {}): Promise<OllamaServer> {
  const ollama = await startOllama(start);
  context.after(() => ollama.close());
  return ollama;
}

interface Setting {
  /** Default: a copy of the fixture `tiny`. */
  readonly vault?: string;
  readonly access?: 'read-only' | 'read-write';
  /** Keys of the embedding section besides type, model and endpoint, in YAML flow style: `timeout: 2000, auto_pull: once`. */
  readonly embedding?: string;
  /** Whether to add a section for the chat model of the same server. */
  readonly llm?: boolean;
  /** Whole lines of YAML besides `vault` and `providers`. */
  readonly rest?: string;
  readonly endpoint?: string;
  readonly dataFolder?: string;
}

export interface Setup {
  readonly config: string;
  readonly vault: string;
  readonly dataFolder: string;
}

export function setUp(context: TestContext, { origin }: Pick<OllamaServer, 'origin'>, given: Setting = {}): Setup {
  const vault = given.vault ?? copyOfFixture(context, 'tiny');
  const endpoint = given.endpoint ?? origin;
  const own = given.embedding === undefined ? '' : `, ${given.embedding}`;
  const yaml = [
    `vault: { path: ${JSON.stringify(vault)}, access: ${given.access ?? 'read-only'} }`,
    'providers:',
    `  embedding: { type: ollama, model: embeddinggemma, endpoint: ${JSON.stringify(endpoint)}${own} }`,
    ...(given.llm ? [`  llm: { type: ollama, model: llama3.2, endpoint: ${JSON.stringify(endpoint)} }`] : []),
    given.rest ?? '',
    '',
  ].join('\n');
  return { config: configFile(context, yaml), vault, dataFolder: given.dataFolder ?? temporaryFolder(context) };
}

/** A session whose vault is indexed, and embedded as far as the provider allows. */
export async function embeddedSession(
  context: TestContext,
  ollama: Pick<OllamaServer, 'origin'>,
  given: Setting = {},
): Promise<Session & Setup> {
  const setup = setUp(context, ollama, given);
  const session = await openSession(context, setup);
  const job = await session.indexed();
  assert.equal(job.embedding?.state, 'succeeded', JSON.stringify(job));
  return { ...session, ...setup };
}

/** The outcome of a search: `ok` or its error code. */
export const outcomeOf = ({ structured }: Answer): string => (structured.ok ? 'ok' : structured.error.code);

export const search = (session: Session, more: Record<string, unknown> = {}): Promise<Answer> =>
  session.call('search', { query: 'tide at the harbour', ...more });

/** Checks that tools that need no provider still answer. */
export async function assertTextToolsWork(session: Session): Promise<void> {
  for (const [tool, given] of [
    ['search_text', { query: 'tide' }],
    ['get_neighbors', { note: 'Harbour' }],
    ['read_notes', { notes: ['Harbour'] }],
    ['status', {}],
  ] as const) {
    const answer = await session.call(tool, given);
    assert.equal(answer.isError, false, `${tool}: ${answer.text}`);
  }
}
