// Calls every tool with a long text in each argument: no error shows more than 200 characters of it.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type GraphCore, openGraphCore } from '../../src/app/graph-core.ts';
import { readConfigFrom } from '../../src/app/read-configs.ts';
import type { AnyTool } from '../../src/contracts/tool.ts';
import { inputSchemaOf } from '../../src/mcp/dispatch/arguments.ts';

const FIXTURE = join(import.meta.dirname, '../../vault-fixtures/tiny');
const MAX_ECHO = 200;
/** No two pieces of it are the same, so that a piece found in an answer is an echo. */
const LONG = Array.from({ length: 700 }, (_, word) => `w${word}x`).join(' ');
const AS_PATH = LONG.replaceAll(' ', '-');
/** Arguments that a call must have besides the one under test. */
const VALID: Readonly<Record<string, unknown>> = {
  ...{ query: 'tide', note: 'Harbour', notes: ['Harbour'], names: ['Harbour'], from: 'Harbour', path: 'New' },
  ...{ content: 'x', edits: [{ op: 'append', text: 'x' }], set: { a: 1 }, question: 'Which tide?' },
};
const FORMS: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => [text],
  (text) => [text, 'Harbour'],
  (text) => ({ [text]: text }),
  (text) => [{ op: 'replace_text', target: text, text: 'x' }],
  (text) => [{ op: 'append', target: `#${text}`, text: 'x' }],
  (text) => [{ op: text }],
];
const TEXTS = [LONG, `${AS_PATH}/x`, `Harbour#${LONG}`, `../😀${AS_PATH}`];

async function withCore(work: (core: GraphCore) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'vaultgraph-long-'));
  const vault = join(home, 'vault');
  cpSync(FIXTURE, vault, { recursive: true });
  const file = join(home, 'config.yaml');
  writeFileSync(file, `vault: { path: ${JSON.stringify(vault)}, access: read-write }\n`);
  const flags = { config: file, dataDir: join(home, 'data') };
  const config = await readConfigFrom({ flags, env: {}, platform: process.platform, home, cwd: home });
  const core = await openGraphCore(config, () => undefined);
  try {
    const { id } = await core.indexer.start({ kind: 'catch_up' });
    await core.indexer.ended(id, new AbortController().signal);
    await work(core);
  } finally {
    await core.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function* callsOf(tool: AnyTool): Iterable<Record<string, unknown>> {
  const { properties, required = [] } = inputSchemaOf(tool);
  const names = Object.keys(properties);
  const needed = Object.fromEntries(
    [...required, 'note'].filter((name) => names.includes(name)).map((name) => [name, VALID[name]]),
  );
  for (const text of TEXTS) {
    yield { ...needed, [text]: 1 };
    for (const name of names) for (const form of FORMS) yield { ...needed, confirm: undefined, [name]: form(text) };
  }
}

/** The longest piece of `text` at the positions of a grid that an answer contains. */
function echoIn(answer: string, text: string): string | undefined {
  for (let at = 0; at + MAX_ECHO < text.length; at += 20) {
    const piece = text.slice(at, at + MAX_ECHO + 1);
    if (answer.includes(piece)) return piece;
  }
  return undefined;
}

test('no error shows more than 200 characters of an argument', () =>
  withCore(async (core) => {
    const { signal } = new AbortController();
    let failures = 0;
    for (const tool of core.exposed.tools.values()) {
      for (const args of callsOf(tool)) {
        const { text, structured, isError } = await core.call(tool.name, args, { signal });
        const failed = structured.ok
          ? JSON.stringify(structured.data.failed ?? [])
          : `${text}\n${JSON.stringify(structured)}`;
        for (const long of [LONG, AS_PATH]) {
          const echo = echoIn(failed, long);
          assert.equal(
            echo,
            undefined,
            `${tool.name} ${JSON.stringify(args).slice(0, 300)}\n${failed.slice(0, 2_000)}`,
          );
        }
        if (isError) failures += 1;
      }
    }
    assert.ok(failures > 500, `${failures} calls failed`);
  }));
