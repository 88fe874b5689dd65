// Real tools over a real vault, store, indexer and compute thread, for the tests of tools.

import assert from 'node:assert/strict';
import { type ErrorCode, VaultgraphError } from '../../src/base/errors.ts';
import { createCompute } from '../../src/compute/offload.ts';
import type { Embedding } from '../../src/contracts/embedding.ts';
import type { LLMProvider } from '../../src/contracts/llm.ts';
import type { RerankProvider } from '../../src/contracts/rerank.ts';
import { StoreCache } from '../../src/contracts/session.ts';
import type { AnswerNotes, CallContext, ServerReport, Tool, Warning } from '../../src/contracts/tool.ts';
import { declaredCodes } from '../../src/mcp/dispatch/dispatch.ts';
import { createWriteSession } from '../../src/tools/write/write-session.ts';
import { type IndexUnderTest, withIndex } from '../indexing/index-under-test.ts';
import { openedOnce } from '../opened-once.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as its client does, without types.
type Answer = any;

export interface ToolsUnderTest extends IndexUnderTest {
  readonly compute: CallContext['compute'];
  /** Warnings of the last call. */
  readonly warnings: Warning[];
  /** What the last call reported of itself. */
  readonly reported: () => AnswerNotes;
  // biome-ignore lint/suspicious/noExplicitAny: tools of different needs and inputs are run alike.
  ask(tool: Tool<any, any, any>, input?: object, change?: Partial<CallContext>): Promise<Answer>;
  /** The error a call fails with; its code is among those the tool declares. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  refusal(tool: Tool<any, any, any>, input: object, code: ErrorCode): Promise<VaultgraphError>;
}

export const REPORT: ServerReport = {
  version: '0.0.0',
  started_at: '2026-11-20T09:00:00.000Z',
  vault: { name: 'vault', access: 'read-only' },
  capabilities: { present: [], absent: [] },
  text_goes_to: [],
  failures: [],
  counters: {},
};

export interface ToolOptions {
  /** What the tools are granted. */
  readonly embedding?: Embedding;
  readonly llm?: LLMProvider;
  readonly rerank?: RerankProvider;
  /** Whether vectors are made of themselves, behind the index; the first ones may still be under way. */
  readonly embeds?: boolean;
  /** Whether the vault may be written. */
  readonly writes?: boolean;
  readonly exclude?: string[];
  /** Nothing of it was open in a test before. By default, a vault with settings that a vault remembers for a while. */
  readonly fresh?: boolean;
}

const REMEMBERED_SETTINGS = [
  '.obsidian/templates.json',
  '.obsidian/types.json',
  '.obsidian/plugins/templater-obsidian/data.json',
];

/** An indexed vault of the given files. */
export function withTools(
  files: Readonly<Record<string, string | Uint8Array>>,
  check: (under: ToolsUnderTest) => Promise<void>,
  {
    embedding,
    llm,
    rerank,
    embeds = false,
    fresh = REMEMBERED_SETTINGS.some((path) => path in files),
    ...rest
  }: ToolOptions = {},
): Promise<void> {
  const work = async (index: IndexUnderTest): Promise<void> => {
    for (const [path, content] of Object.entries(files)) index.folder.put(path, content);
    const first = await index.run();
    assert.equal(first.error, undefined, String(first.error?.stack));
    const compute = createCompute();
    try {
      await check(toolsOver(index, compute, { embedding, llm, rerank }));
    } finally {
      await compute.close();
    }
  };
  return withIndex(work, { ...rest, fresh, ...(embedding !== undefined && embeds && { embedding }) });
}

type Granted = { readonly [key in 'embedding' | 'llm' | 'rerank']?: ToolOptions[key] | undefined };

/**
 * An indexed vault that several tests of a file read and none changes.
 * @param prepare runs once, after the vault is indexed
 * @returns runs a test with tools of its own
 */
export function sharedVault(
  files: Readonly<Record<string, string | Uint8Array>>,
  prepare: (under: ToolsUnderTest) => Promise<unknown> = async () => {},
  options: ToolOptions = {},
) {
  const opened = openedOnce<ToolsUnderTest>((use) => {
    const prepared = async (under: ToolsUnderTest): Promise<void> => {
      await prepare(under);
      await use(under);
    };
    return withTools(files, prepared, options);
  });
  return async (check: (under: ToolsUnderTest) => Promise<void>, granted: Granted = {}): Promise<void> => {
    const { compute, ...index } = await opened();
    await check(toolsOver(index, compute, granted));
  };
}

/** Tools with warnings and a write session of their own. */
function toolsOver(
  index: IndexUnderTest,
  compute: CallContext['compute'],
  { embedding, llm, rerank }: Granted,
): ToolsUnderTest {
  const warnings: Warning[] = [];
  const reported: AnswerNotes[] = [];
  const context: CallContext = {
    signal: new AbortController().signal,
    client: 'a test',
    session: 'a session',
    commits: () => {},
    msLeft: () => Number.POSITIVE_INFINITY,
    progress: () => {},
    warn: (warning) => void warnings.push(warning),
    annotate: (notes) => void reported.push(notes),
    showImage: () => {},
    linkFile: () => {},
    storeCache: new StoreCache(),
    compute,
    writes: createWriteSession(index.vault.access),
    report: async () => REPORT,
  };
  const ask: ToolsUnderTest['ask'] = async (tool, input = {}, change = {}) => {
    warnings.length = 0;
    reported.length = 0;
    return tool.run(tool.input.parse(input), { ...index, embedding, llm, rerank }, { ...context, ...change });
  };
  const refusal: ToolsUnderTest['refusal'] = async (tool, input, code) => {
    const [outcome] = await Promise.allSettled([ask(tool, input)]);
    assert.equal(outcome.status, 'rejected', `${tool.name} ${JSON.stringify(input)} was not refused`);
    const error = outcome.status === 'rejected' ? outcome.reason : undefined;
    assert.ok(error instanceof VaultgraphError, String(error?.stack));
    assert.equal(error.code, code);
    assert.ok(declaredCodes(tool).has(code), `${tool.name} does not declare ${code}`);
    return error;
  };
  return { ...index, compute, warnings, reported: () => Object.assign({}, ...reported), ask, refusal };
}

/** Every row of a paged answer, a page of `limit` at a time. */
export async function everyPage(
  { ask }: ToolsUnderTest,
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  tool: Tool<any, any, any>,
  input: object,
  rows: string,
  limit: number,
): Promise<Answer[]> {
  const all: Answer[] = [];
  let cursor: string | undefined;
  do {
    const answer: Answer = await ask(tool, { ...input, limit, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(answer[rows].length <= limit);
    all.push(...answer[rows]);
    cursor = answer.next_cursor;
  } while (cursor !== undefined);
  return all;
}
