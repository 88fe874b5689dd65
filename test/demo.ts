// Runs a short session of a real MCP client against the server on the fixture vault and prints it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const QUESTIONS: readonly [string, string, Record<string, unknown>][] = [
  ['What do I have on tides?', 'search_text', { query: 'tide* -crab', limit: 3 }],
  ['What is linked with the harbour?', 'get_neighbors', { note: 'Harbour', limit: 5 }],
  ['How are Ada and the tide pool connected?', 'find_path', { from: 'Ada', to: 'Tide pool' }],
  ['Read me one part of a note.', 'read_notes', { notes: ['Why tides differ#The delay'] }],
  ['Which notes are central?', 'get_hubs', { metric: 'pagerank', limit: 3 }],
  ['Which links lead nowhere?', 'find_gaps', { kind: 'unresolved' }],
  ['A wrong name, to see what an error says:', 'read_notes', { notes: ['Harbor'] }],
];

const root = join(import.meta.dirname, '..');
const dataFolder = mkdtempSync(join(tmpdir(), 'vaultgraph-demo-'));
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const client = new Client({ name: 'demo', version: '1.0.0' });
const serve = ['src/main.ts', 'serve', '--vault', 'vault-fixtures/tiny', '--data-dir', dataFolder];

try {
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: serve, cwd: root, stderr: 'ignore' }),
  );
  print(client.getInstructions() ?? '');
  const { tools } = await client.listTools();
  print(`\nTools: ${tools.map((tool) => tool.name).join(', ')}`);
  for (const [question, name, given] of QUESTIONS) {
    const answer = await client.callTool({ name, arguments: given });
    const [text] = answer.content as { text: string }[];
    print(`\n── ${question}\n   ${name} ${JSON.stringify(given)}\n\n${text?.text ?? ''}`);
  }
} finally {
  await client.close();
  rmSync(dataFolder, { recursive: true, force: true });
}
