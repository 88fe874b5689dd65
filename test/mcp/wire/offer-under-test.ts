// Provides all server features over a real vault, store, indexer and tools, without a transport.

import assert from 'node:assert/strict';
import { createCompute } from '../../../src/compute/offload.ts';
import type { Capabilities } from '../../../src/contracts/capability.ts';
import type { Embedding } from '../../../src/contracts/embedding.ts';
import { StoreCache } from '../../../src/contracts/session.ts';
import { createCallJournal } from '../../../src/mcp/dispatch/call-journal.ts';
import { createDispatch, type Host } from '../../../src/mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../../../src/mcp/dispatch/expose.ts';
import { createPathMask } from '../../../src/mcp/render/safe-text.ts';
import type { Params, ServerFeatures } from '../../../src/mcp/wire/method.ts';
import { offeredPrompts } from '../../../src/mcp/wire/prompt-methods.ts';
import { createServerFeatures } from '../../../src/mcp/wire/server-features.ts';
import { methodCatalog, promptCatalog, toolCatalogFor } from '../../../src/tools/catalog.ts';
import { createNoteSigns } from '../../../src/tools/resources/resources.ts';
import { createWriteSession } from '../../../src/tools/write/write-session.ts';
import { assertEach } from '../../assert-each.ts';
import { type IndexUnderTest, withIndex } from '../../indexing/index-under-test.ts';
import { openedOnce } from '../../opened-once.ts';
import { REPORT } from '../../tools/tools-under-test.ts';
import type { LogRecord } from '../test-host.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads a reply as its client does, without types.
export type Wire = any;

export interface OfferUnderTest extends IndexUnderTest {
  readonly offer: ServerFeatures;
  readonly exposed: Exposed;
  /** The URIs of every note that was reported as changed. */
  readonly updated: string[];
  readonly records: LogRecord[];
  /** The result. */
  ask(method: string, params?: Params): Promise<Wire>;
  /** The fault; its id, where it has one, is in exactly one record of the log. */
  fault(method: string, params?: Params): Promise<Wire>;
  /** The text of a prompt. */
  prompt(name: string, given?: Readonly<Record<string, string>>): Promise<string>;
}

export interface OfferOptions {
  readonly embedding?: Embedding;
  readonly writes?: boolean;
  readonly exclude?: string[];
  /** Whether the files are indexed before the check; they are by default. */
  readonly indexed?: boolean;
  readonly callLimitMs?: number;
}

const REQUEST = { id: '7', signal: new AbortController().signal, client: 'a test' };

export function withOffer(
  files: Readonly<Record<string, string | Uint8Array>>,
  check: (under: OfferUnderTest) => Promise<void>,
  { indexed = true, callLimitMs = 55_000, embedding, ...rest }: OfferOptions = {},
): Promise<void> {
  const work = async (index: IndexUnderTest): Promise<void> => {
    for (const [path, content] of Object.entries(files)) index.folder.put(path, content);
    if (indexed) assert.equal((await index.run()).state, 'succeeded');
    const compute = createCompute();
    const { vault, store, indexer, writer } = index;
    const capabilities: Capabilities = Object.freeze({
      vault,
      store,
      indexer,
      ...(writer && { writer }),
      ...(embedding && { embedding }),
    });
    const options = { textOnly: false, embedding: embedding !== undefined };
    const exposed = expose(toolCatalogFor(options), capabilities);
    const records: LogRecord[] = [];
    const log: Host['log'] = (level, event, fields) => void records.push({ level, event, fields: { ...fields } });
    const mask = createPathMask([{ folder: index.folder.root, shown: '<vault>' }]);
    const argumentLimits = { batch: 50, text: 1_000_000 };
    const host: Host = {
      ...{ exposed, capabilities, compute, callLimitMs, argumentLimits, mask, log },
      imageLimit: 5_000_000,
      firstWaitMs: 0,
      storeCache: new StoreCache(),
      writes: createWriteSession('read-write'),
      report: async () => REPORT,
      journal: createCallJournal(),
    };
    const offer = createServerFeatures({
      ...{ exposed, dispatch: createDispatch(host), callLimitMs, argumentLimits, mask, log },
      prompts: offeredPrompts(promptCatalog, new Set(exposed.tools.keys())),
      ask: createDispatch({ ...host, exposed: expose(methodCatalog, capabilities) }),
      noteSigns: createNoteSigns(store),
      structuredContent: 'both',
    });
    const updated: string[] = [];
    const methods = offer.methods((method, { uri }) => {
      assert.equal(method, 'notifications/resources/updated');
      updated.push(String(uri));
      return true;
    });
    const reply = async (method: string, params: Params): Promise<Wire> => {
      const answer = methods.get(method);
      assert.ok(answer, `${method} is served`);
      return answer(params, REQUEST);
    };
    const ask = async (method: string, params?: Params): Promise<Wire> => {
      const { result, fault } = await reply(method, params);
      assert.equal(fault, undefined, JSON.stringify(fault));
      return result;
    };
    const fault: OfferUnderTest['fault'] = async (method, params) => {
      const { result, fault: found } = await reply(method, params);
      assert.equal(result, undefined, `${method} was not refused: ${JSON.stringify(result)?.slice(0, 200)}`);
      const id = found.data?.error_id;
      if (id !== undefined) assert.equal(recordsOf(id).length, 1, found.message);
      for (const { fields } of recordsOf(id)) assert.equal(fields.undeclared, undefined, found.message);
      return found;
    };
    const recordsOf = (id: string) => records.filter(({ fields }) => fields.error_id === id);
    const prompt = async (name: string, given = {}): Promise<string> => {
      const { messages } = await ask('prompts/get', { name, arguments: given });
      assertEach(messages, ({ role, content }: Wire) => [role, content.type], [['user', 'text']]);
      return messages[0].content.text;
    };
    try {
      await check({ ...index, offer, exposed, updated, records, ask, fault, prompt });
    } finally {
      offer.close();
      await compute.close();
    }
  };
  return withIndex(work, { ...rest, ...(embedding && { embedding }) });
}

/** The features over a vault that several tests of a file read and none changes. */
export function sharedOffer(files: Readonly<Record<string, string | Uint8Array>>) {
  const opened = openedOnce<OfferUnderTest>((use) => withOffer(files, use));
  return async (check: (under: OfferUnderTest) => Promise<void>): Promise<void> => check(await opened());
}
