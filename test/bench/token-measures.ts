// Counts the tokens of the product's tool list and its typical answers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchSetting, middlingWord, newFolder, questionRandom } from './bench-setting.ts';
import { type McpSession, openMcpSession } from './mcp-session.ts';
import { countO200k } from './o200k.ts';
import { median } from './statistics.ts';

const SAMPLES = 9;

export async function tokensOfList({ client }: McpSession): Promise<number> {
  const { tools } = await client.listTools();
  return countO200k(JSON.stringify(tools));
}

/** With embeddings in the config. Nothing listens at the endpoint, because the tool list does not depend on the provider. */
export async function tokensOfListWithEmbedding(setting: BenchSetting): Promise<number> {
  const folder = newFolder(setting, 'embedding');
  const config = join(folder, 'config.yaml');
  const embedding = { type: 'ollama', model: 'embeddinggemma', endpoint: 'http://127.0.0.1:9' };
  writeFileSync(config, JSON.stringify({ vault: { path: setting.vault.folder }, providers: { embedding } }));
  const args = [setting.program, 'serve', '--config', config, '--data-dir', folder];
  const session = await openMcpSession(args, setting.workFolder);
  try {
    return await tokensOfList(session);
  } finally {
    await session.close();
  }
}

export async function tokensOfSearch(
  setting: BenchSetting,
  session: McpSession,
): Promise<{ tokens_search: number; tokens_search_structured: number }> {
  const random = questionRandom();
  const texts: number[] = [];
  const structures: number[] = [];
  while (texts.length < SAMPLES) {
    const answer = await session.call('search_text', { query: middlingWord(setting, random) });
    texts.push(countO200k(answer.text));
    structures.push(countO200k(JSON.stringify(answer.structured)));
  }
  return { tokens_search: median(texts), tokens_search_structured: median(structures) };
}

/** The median token count of one tool's text over some notes. */
export async function tokensOfCall(
  { vault }: BenchSetting,
  session: McpSession,
  tool: string,
  given: (note: string) => Record<string, unknown>,
): Promise<number> {
  const random = questionRandom();
  const values: number[] = [];
  while (values.length < SAMPLES) {
    const { text } = await session.call(tool, given(random.pick(vault.plan.notes).path));
    values.push(countO200k(text));
  }
  return median(values);
}
