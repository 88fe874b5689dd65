// Starts a server with a language-model provider on loopback and a client that talks to it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CHATTING } from '../fakes/ollama/model.ts';
import { type OllamaServer, startOllama } from '../fakes/ollama-server.ts';
import { type Answer, configFile, openSession, type Session, temporaryFolder } from './session.ts';

type Start = Parameters<typeof startOllama>[0];

/** A fake Ollama with one embedding model and one chat model; it is stopped when the test ends. */
export async function ollamaFor(context: TestContext, start: Start = {}): Promise<OllamaServer> {
  const ollama = await startOllama({ models: [{}, CHATTING], script: summaryOf, ...start });
  context.after(() => ollama.close());
  return ollama;
}

/** A summary that names the number in the note's text, so that notes can be told apart. */
export const summaryOf = ({ prompt }: { readonly prompt: string }): string =>
  JSON.stringify({ summary: `About tide ${/tide (\d+)/.exec(prompt)?.[1]}.`, key_points: ['The tide turns.'] });

/** Ten notes, `N0.md` to `N9.md`, each with a number of its own. */
export function tenNotes(context: TestContext): string {
  const vault = join(temporaryFolder(context), 'Notes');
  mkdirSync(vault);
  for (let at = 0; at < 10; at += 1)
    writeFileSync(
      join(vault, `N${at}.md`),
      `# Note ${at}\n\nThe tide ${at} turns before the harbour of number ${at}.\n`,
    );
  return vault;
}

export const TEN = Array.from({ length: 10 }, (_each, at) => `N${at}`);

interface Setting {
  readonly vault?: string;
  /** Keys of the section besides type, model and endpoint, in YAML flow style. */
  readonly llm?: string;
  /** Lines of YAML below `providers`, and whole lines besides it. */
  readonly providers?: string;
  readonly rest?: string;
}

export interface Setup {
  readonly config: string;
  readonly dataFolder: string;
}

export function setUp(context: TestContext, { origin }: Pick<OllamaServer, 'origin'>, given: Setting = {}): Setup {
  const own = given.llm === undefined ? '' : `, ${given.llm}`;
  const yaml = [
    `vault: { path: ${JSON.stringify(given.vault ?? tenNotes(context))} }`,
    'providers:',
    `  llm: { type: ollama, model: llama3.2, endpoint: ${JSON.stringify(origin)}${own} }`,
    given.providers ?? '',
    given.rest ?? '',
    '',
  ].join('\n');
  return { config: configFile(context, yaml), dataFolder: temporaryFolder(context) };
}

/** A session whose vault is indexed. */
export async function llmSession(
  context: TestContext,
  ollama: Pick<OllamaServer, 'origin'>,
  given: Setting = {},
): Promise<Session & Setup> {
  const setup = setUp(context, ollama, given);
  const session = await openSession(context, setup);
  await session.indexed();
  return { ...session, ...setup };
}

/** The outcome of a call: `ok` or its error code. */
export const outcomeOf = ({ structured }: Answer): string => (structured.ok ? 'ok' : structured.error.code);

/** Sets `refresh`, so that the model is called each time. */
export const summarize = (session: Session, notes: readonly string[] = ['N1']): Promise<Answer> =>
  session.call('summarize_notes', { notes, refresh: true });
