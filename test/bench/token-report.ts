// Counts tokens: of the tool list for each configuration, and of each kind of answer over the generated vault.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHATTING } from '../fakes/ollama/model.ts';
import { startOllama } from '../fakes/ollama-server.ts';
import { generateVault } from './generate-vault.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { countO200k } from './o200k.ts';
import { TASK_NOTE, type WeighedCall, weighedCalls } from './token-calls.ts';

export interface TokenReport {
  readonly notes: number;
  /** Tokens of `tools/list` as a client gets it. */
  readonly lists: readonly { readonly configuration: string; readonly tools: number; readonly tokens: number }[];
  readonly answers: readonly (WeighedCall & { readonly text: number; readonly structured: number })[];
}

interface Configuration {
  readonly name: string;
  readonly embedding?: true;
  readonly llm?: true;
  readonly access?: 'read-write';
}

const EVERYTHING: Configuration = { name: 'everything', embedding: true, llm: true, access: 'read-write' };
const CONFIGURATIONS: readonly Configuration[] = [
  { name: 'store only' },
  { name: '+ embedding', embedding: true },
  { name: '+ llm', llm: true },
  { name: 'read-write', access: 'read-write' },
  EVERYTHING,
];
/** The upper limit for each list. */
const LIMITS: Readonly<Record<string, number>> = { 'store only': 5_500, everything: 9_000 };
const NOTES = 1_000;

interface Bench {
  readonly program: string;
  readonly workFolder: string;
}

/** The providers are fakes on loopback, because token counts do not depend on the model. */
export async function takeTokens({ program, workFolder }: Bench): Promise<TokenReport> {
  const folder = mkdtempSync(join(workFolder, 'tokens-'));
  const vault = await generateVault(join(folder, 'vault'), NOTES);
  writeFileSync(join(vault.folder, TASK_NOTE.path), TASK_NOTE.text);
  const ollama = await startOllama({ models: [{}, CHATTING] });
  const open = (configuration: Configuration): Promise<McpSession> => {
    const config = configFile(folder, vault.folder, ollama.origin, configuration);
    return openMcpSession([program, 'serve', '--config', config, '--data-dir', join(folder, 'data')], folder);
  };
  try {
    const lists = [];
    for (const configuration of CONFIGURATIONS)
      lists.push(await weighedList(configuration.name, await open(configuration)));
    return { notes: NOTES, lists, answers: await weighedAnswers(await open(EVERYTHING), weighedCalls(vault)) };
  } finally {
    await ollama.close();
  }
}

function configFile(folder: string, vault: string, endpoint: string, given: Configuration): string {
  const file = join(folder, `${given.name.replace(/\W+/g, '-')}.yaml`);
  const model = (name: string) => ({ type: 'ollama', model: name, endpoint });
  const providers = {
    ...(given.embedding && { embedding: model('embeddinggemma') }),
    ...(given.llm && { llm: model('llama3.2') }),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ vault: { path: vault, access: given.access ?? 'read-only' }, providers }));
  return file;
}

async function weighedList(configuration: string, session: McpSession): Promise<TokenReport['lists'][number]> {
  try {
    const list = await session.client.listTools();
    return { configuration, tools: list.tools.length, tokens: countO200k(JSON.stringify(list)) };
  } finally {
    await session.close();
  }
}

async function weighedAnswers(session: McpSession, calls: readonly WeighedCall[]): Promise<TokenReport['answers']> {
  try {
    await embedded(session);
    const answers = [];
    for (const call of calls) {
      const { text, structured } = await session.ask(call.tool, call.given);
      answers.push({ ...call, text: countO200k(text), structured: countO200k(JSON.stringify(structured)) });
    }
    return answers;
  } finally {
    await session.close();
  }
}

/** Waits until every note has its vectors. */
export async function embedded(session: McpSession): Promise<void> {
  for (;;) {
    const { data } = await session.call('reindex', { wait_ms: 20_000 });
    const { state, embedding } = data as { state: string; embedding?: { state: string } };
    if (state === 'succeeded' && (embedding === undefined || embedding.state === 'succeeded')) return;
    if (![state, embedding?.state].some((one) => one === 'running' || one === 'queued' || one === 'retrying')) {
      throw new Error(`the vault is not embedded: ${JSON.stringify(data)}`);
    }
  }
}

export function tokensAsText({ notes, lists, answers }: TokenReport): string {
  const limitOf = (name: string): string => (LIMITS[name] === undefined ? '' : `below ${LIMITS[name]}`);
  const listRows = lists.map(({ configuration, tools, tokens }) => [
    configuration,
    tools,
    tokens,
    limitOf(configuration),
  ]);
  const answerRows = answers.map(({ about, tool, text, structured }) => [about, tool, text, structured]);
  return [
    'tokens (o200k) of tools/list',
    ...columns([['configuration', 'tools', 'tokens', 'goal'], ...listRows]),
    '',
    `tokens (o200k) of answers, ${notes} generated notes`,
    ...columns([['answer', 'tool', 'text', 'structured'], ...answerRows]),
  ].join('\n');
}

function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  const cell = (value: string | number, at: number): string =>
    typeof value === 'number' ? String(value).padStart(widths[at] ?? 0) : value.padEnd(widths[at] ?? 0);
  return rows.map((row) => `  ${row.map(cell).join('  ')}`.trimEnd());
}
