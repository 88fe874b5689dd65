// A host for the tools of these tests: the real dispatcher and guard, an index that is scripted, a vault that only has a name.

import { VaultgraphError } from '../../src/base/errors.ts';
import type { LogFields } from '../../src/base/log.ts';
import type { Capabilities } from '../../src/contracts/capability.ts';
import type { Compute } from '../../src/contracts/compute.ts';
import type { Indexer, IndexJob, IndexState } from '../../src/contracts/indexer.ts';
import { StoreCache } from '../../src/contracts/session.ts';
import type { Store } from '../../src/contracts/store.ts';
import type { AnyTool, ServerReport } from '../../src/contracts/tool.ts';
import type { Vault } from '../../src/contracts/vault.ts';
import { type CallJournal, createCallJournal } from '../../src/mcp/dispatch/call-journal.ts';
import { createDispatch, type Dispatch, type Host } from '../../src/mcp/dispatch/dispatch.ts';
import { type Exposed, expose } from '../../src/mcp/dispatch/expose.ts';
import { createPathMask } from '../../src/mcp/render/safe-text.ts';
import { createWriteSession } from '../../src/tools/write/write-session.ts';
import { testCatalog } from './test-tools.ts';

const untaught = (): never => {
  throw new VaultgraphError('INTERNAL', { kind: 'this test taught no answer' });
};

export const vaultNamed = (access: Vault['access']): Vault => ({
  name: 'Notes',
  access,
  progress: { listed: 0 },
  list: untaught,
  listSome: untaught,
  earlier: untaught,
  listAt: untaught,
  listAndRead: untaught,
  read: untaught,
  readKept: untaught,
  readSamples: untaught,
  readHashes: untaught,
  watch: untaught,
  settings: untaught,
});
/** No tool of these tests asks it anything. */
export const storeWithoutAnswers = Object.freeze({}) as unknown as Store;
const noCompute: Compute = { run: untaught };

export const FRESH: IndexState = {
  role: 'leader',
  watching: { mode: 'events', pending: 0 },
  freshness: 'fresh',
  complete: true,
  asOf: '2026-11-21T10:00:00.000Z',
  total: 12,
  indexed: 12,
  pending: 0,
  quarantined: 0,
};

export const RUNNING: IndexJob = {
  id: 'job_1',
  kind: 'catch_up',
  state: 'running',
  phase: 'indexing',
  startedAt: '2026-11-21T10:00:00.000Z',
  counts: { listed: 2_000, changed: 2_000, done: 120, indexed: 120, failed: 0, removed: 0 },
  failures: [],
};

export interface ScriptedIndexer extends Indexer {
  /** The state from now on; a waiting caller is woken. */
  become(state: IndexState): void;
}

export function scriptedIndexer(first: IndexState, catchUp: Indexer['catchUp'] = untaught): ScriptedIndexer {
  let state = first;
  let wake: (() => void)[] = [];
  return {
    state: () => state,
    start: untaught,
    refresh: untaught,
    catchUp,
    jobs: () => [],
    cancel: untaught,
    providerAnswered: untaught,
    ended: (_id, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        wake.push(() => resolve({ ...RUNNING, state: 'succeeded' }));
      }),
    become: (next) => {
      state = next;
      for (const go of wake) go();
      wake = [];
    },
  };
}

export interface LogRecord {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

export interface TestHost {
  readonly dispatch: Dispatch;
  readonly exposed: Exposed;
  readonly journal: CallJournal;
  readonly records: LogRecord[];
  readonly indexer: ScriptedIndexer;
}

export interface HostScript {
  readonly catalog?: readonly AnyTool[];
  readonly access?: Vault['access'];
  readonly index?: IndexState;
  readonly store?: Store;
  readonly callLimitMs?: number;
  readonly firstWaitMs?: number;
  readonly consentMs?: number;
  readonly compute?: Compute;
  readonly freshness?: 'show' | 'require';
  readonly catchUp?: Indexer['catchUp'];
  readonly unfinished?: number;
  readonly log?: Host['log'];
}

export function createTestHost(script: HostScript = {}): TestHost {
  const indexer = scriptedIndexer(script.index ?? FRESH, script.catchUp);
  const vault = vaultNamed(script.access ?? 'read-only');
  const capabilities: Capabilities = Object.freeze({ vault, store: script.store ?? storeWithoutAnswers, indexer });
  const exposed = expose(script.catalog ?? testCatalog, capabilities);
  const journal = createCallJournal();
  const records: LogRecord[] = [];
  const log: Host['log'] = (level, event, fields) => {
    records.push({ level, event, fields: { ...fields } });
    script.log?.(level, event, fields);
  };
  const report = async (): Promise<ServerReport> => untaught();
  const mask = createPathMask([
    { folder: '/home/ann', shown: '~' },
    { folder: '/home/ann/Notes', shown: '<vault>' },
  ]);
  const callLimitMs = script.callLimitMs ?? 55_000;
  const dispatch = createDispatch({
    exposed,
    capabilities,
    compute: script.compute ?? noCompute,
    storeCache: new StoreCache(),
    writes: createWriteSession('read-write'),
    callLimitMs,
    firstWaitMs: script.firstWaitMs ?? 0,
    ...(script.consentMs && { consentMs: script.consentMs }),
    ...(script.freshness && { freshness: script.freshness }),
    unfinished: async () => script.unfinished ?? 0,
    argumentLimits: { batch: 1_000, text: 1_000_000 },
    imageLimit: 5_000_000,
    report,
    journal,
    mask,
    log,
  });
  return { dispatch, exposed, journal, records, indexer };
}
