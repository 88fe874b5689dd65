// Runs one call of a tool: parses its arguments, waits for the index, and collects what the tool returns and reports.
import { isDeepStrictEqual } from 'node:util';
import { type BatchResult, isBatchResult } from '../../base/batch.ts';
import { contentHash } from '../../base/content-hash.ts';
import { repeatFailure, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Dialect, NotePath } from '../../base/note.ts';
import { inDialect } from '../../base/threads/dialect.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { Capabilities, CapabilityName, Granted } from '../../contracts/capability.ts';
import type { Compute } from '../../contracts/compute.ts';
import type { IndexState } from '../../contracts/indexer.ts';
import type { StoreCache, WriteSession } from '../../contracts/session.ts';
import type { Store } from '../../contracts/store.ts';
import type {
  AnswerNotes,
  AnyTool,
  CallContext,
  Consent,
  FileLink,
  Image,
  ServerReport,
  Warning,
} from '../../contracts/tool.ts';
import { type FileContent, type HashedFile, type Vault, withReads } from '../../contracts/vault.ts';
import { wholeStore } from '../../contracts/whole-store.ts';
import { type IndexView, viewOf } from '../render/index-view.ts';
import type { PathMask } from '../render/safe-text.ts';
import { type ArgumentLimits, parseInput, readsIndex } from './arguments.ts';
import { CallClock, workMs } from './call-clock.ts';
import type { CallJournal } from './call-journal.ts';
import type { Exposed } from './expose.ts';
import { orBuilding, passIndexGate } from './index-gate.ts';

/** The caller of a tool: its identity, its time limit and its listener for progress. */
export interface Caller {
  /** Aborted with a VaultgraphError by the server, with anything else by the client. */
  readonly signal: AbortSignal;
  /** For the whole call; Infinity for none, by default the limit of the server. */
  readonly limitMs?: number;
  readonly requestId?: string;
  /** The name that the client gave. */
  readonly client?: string;
  /** Names the session of the client; absent for a command. */
  readonly session?: string;
  readonly progress?: CallContext['progress'];
  /** Only if the client can show its user a question. */
  readonly ask?: AskUser;
}

/** Waits at most `waitMs` for an answer. @throws the reason of the signal, which also withdraws the question */
export type AskUser = (question: string, waitMs: number, signal: AbortSignal) => Promise<Consent>;

/** Everything that the calls of one vault need. */
export interface Host extends IndexSources {
  readonly exposed: Exposed;
  /** Obsidian's by default. */
  readonly dialect?: Dialect;
  readonly compute: Compute;
  readonly storeCache: StoreCache;
  readonly writes: WriteSession;
  /** For a whole call. */
  readonly callLimitMs: number;
  /** How long the first calls wait for a first index. */
  readonly firstWaitMs: number;
  /** How long a question to the user may wait; absent if the user is not asked. */
  readonly consentMs?: number;
  readonly argumentLimits: ArgumentLimits;
  /** Bytes of the images of one answer. */
  readonly imageLimit: number;
  /** `require`: every answer from the index must be fresh; otherwise the caller decides. */
  readonly freshness?: 'show' | 'require';
  readonly report: (signal: AbortSignal) => Promise<ServerReport>;
  /** Whether servers on other machines, with copies of the vault, share the index. */
  readonly spansMachines?: boolean;
  /** Whether work that providers do after opening has finished, such as a migration of the index. */
  readonly isReady?: () => boolean;
  /** Why no answer from the index can be trusted, once that is known. */
  readonly damage?: () => VaultgraphError | undefined;
  /** @throws MASS_DELETE_BLOCKED if the index is of another vault */
  readonly refuseOther?: (signal: AbortSignal) => Promise<void>;
  readonly journal: CallJournal;
  /** If the config asks for it: the health of the services other than the failing one. */
  readonly otherHealth?: (error: VaultgraphError, limitMs: number) => Promise<Readonly<Record<string, string>>>;
  readonly mask: PathMask;
  readonly log: Log;
}

/** What a tool returned and reported, before it is rendered. */
export interface Outcome {
  readonly value: object;
  readonly index: IndexView | undefined;
  readonly warnings: readonly Warning[];
  readonly notes: readonly AnswerNotes[];
  readonly images: readonly Image[];
  readonly links: readonly FileLink[];
  /** Instead of that of the tool. */
  readonly show?: AnyTool['show'];
}

/** @throws what the tool and the index gate throw, INVALID_INPUT, LIMIT_EXCEEDED, DEADLINE_EXCEEDED, NOT_READY */
export function runTool(host: Host, tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  return inDialect(host.dialect ?? 'obsidian', () => runByRules(host, tool, args, caller));
}

async function runByRules(host: Host, tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  const { input, requireFresh } = parseInput(tool, args, host.argumentLimits);
  refuseUntilReady(host, tool);
  const run = new ToolRun(caller.limitMs ?? host.callLimitMs);
  const scope = {
    signal: caller.signal,
    clock: run.clock,
    makeTimeout: run.timeout,
    makeCutOff: run.cutOff,
    onLate: () => host.journal.count('late_results_dropped'),
  };
  return runInScope(scope, async (signal) => {
    const call = run.contextFor(host, caller, signal);
    run.phase = 'waiting for the index';
    const isFresh = requireFresh || host.freshness === 'require';
    const rules = { requireFresh: isFresh, firstWaitMs: host.firstWaitMs };
    if (needsOwnIndex(tool)) await host.refuseOther?.(signal);
    const state = await passIndexGate(tool.index, host.capabilities.indexer, call, rules);
    const before = await viewBefore(tool, input, state, host, call);
    run.phase = `running ${tool.name}`;
    const granted = grant(tool, capabilitiesFor(tool, host, state, call));
    const value = await runOn(state, () => tool.run(input, granted, call));
    // Long answers take some milliseconds to render.
    await letOthersRun();
    const index = (await viewAfter(tool, host)) ?? before;
    return { value, index, warnings: run.warnings, notes: run.notes, images: run.images, links: run.links };
  });
}

/** More are named by the text alone. */
const MAX_FILE_LINKS = 20;

type Committed = 'none' | 'partial' | 'all';

/** The state of one running tool call: how far it is and what it reported. */
class ToolRun {
  readonly clock: CallClock;
  readonly warnings: Warning[] = [];
  readonly notes: AnswerNotes[] = [];
  readonly images: Image[] = [];
  readonly links: FileLink[] = [];
  phase = '';
  #committed: Committed = 'none';

  constructor(limitMs: number) {
    this.clock = new CallClock(limitMs);
  }

  /** After a write, which may have happened, a blind retry is not advised. */
  readonly timeout = (committed = this.#committed): VaultgraphError => {
    const details = { budget_ms: this.clock.limitMs, phase: this.phase, committed };
    return new VaultgraphError('DEADLINE_EXCEEDED', details, committed === 'none' ? {} : { retry: 'C' });
  };

  /** By the client, or by the server for a reason of its own. */
  readonly cutOff = ({ reason }: AbortSignal, committed = this.#committed): VaultgraphError => {
    if (!(reason instanceof VaultgraphError)) return new VaultgraphError('CANCELLED', { committed });
    if (committed === 'none' || reason.code !== 'SHUTTING_DOWN') return repeatFailure(reason);
    return new VaultgraphError('SHUTTING_DOWN', { committed }, { cause: reason, retry: 'C' });
  };

  contextFor(
    { compute, storeCache, writes, report, imageLimit, consentMs }: Host,
    { progress, client = '', session = '', ask }: Caller,
    signal: AbortSignal,
  ): CallContext {
    return Object.freeze({
      signal,
      client,
      session,
      compute,
      storeCache,
      writes,
      commits: (now: Committed) => {
        this.#committed = now;
      },
      msLeft: () => this.clock.msLeft(),
      progress: (done: number, total: number, message: string) => progress?.(done, total, message),
      warn: (warning: Warning) => this.#warn(warning),
      annotate: (notes: AnswerNotes) => void this.notes.push(notes),
      showImage: (image: Image) => this.#show(image, imageLimit),
      linkFile: (file: FileLink) => this.#link(file),
      report: () => report(signal),
      ...(ask !== undefined &&
        consentMs !== undefined && {
          consent: (question: string) => this.clock.outside(() => ask(question, consentMs, signal)),
        }),
    });
  }

  /** A change that is planned again, after a conflict or a question, warns of the same. */
  #warn(warning: Warning): void {
    if (!this.warnings.some((other) => isDeepStrictEqual(other, warning))) this.warnings.push(warning);
  }

  #show(image: Image, limit: number): void {
    const alone = image.bytes.length;
    if (alone > limit) {
      const field = `the size of ${image.path} in bytes`;
      const of = image.type.startsWith('image/') ? 'image' : 'attachment';
      throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit, actual: alone, of });
    }
    const actual = this.images.reduce((sum, { bytes }) => sum + bytes.length, alone);
    const field = 'the size of the images in bytes';
    if (actual > limit) throw new VaultgraphError('LIMIT_EXCEEDED', { field, limit, actual, of: 'images' });
    this.images.push(image);
  }

  #link(file: FileLink): void {
    const isKnown = this.links.some(({ path }) => path === file.path);
    if (!isKnown && this.links.length < MAX_FILE_LINKS) this.links.push(file);
  }
}

/** Only `status` answers on a damaged index, and warns. @throws NOT_READY, STORE_CORRUPT */
function refuseUntilReady({ isReady, damage }: Host, { name, needs }: AnyTool): void {
  const damaged = name === 'status' ? undefined : damage?.();
  if (damaged !== undefined) throw damaged;
  if (isReady?.() === false && needs.includes('store')) throw new VaultgraphError('NOT_READY', { phase: 'migrating' });
}

/** Only `status` says what is wrong, and `reindex` can accept that all notes are others. */
const needsOwnIndex = ({ name, needs }: AnyTool): boolean =>
  needs.includes('store') && name !== 'status' && name !== 'reindex';

/** A note that is not found while the first index is being built may only not be indexed yet. */
async function runOn(state: IndexState | undefined, run: () => Promise<object>): Promise<object> {
  if (state === undefined || state.complete) return run();
  try {
    const value = await run();
    if (!isBatchResult(value)) return value;
    return { ...value, failed: value.failed.map(({ id, error }) => ({ id, error: orBuilding(error, state) })) };
  } catch (thrown) {
    throw orBuilding(toVaultgraphError(thrown), state);
  }
}

function capabilitiesFor(
  tool: AnyTool,
  { capabilities, spansMachines }: Host,
  state: IndexState | undefined,
  call: CallContext,
): Capabilities {
  const { vault } = capabilities;
  const store = storeFor(tool, capabilities, state, call);
  if (store === undefined) return capabilities;
  const isShared = spansMachines === true && vault !== undefined && isOfAnotherCopy(state);
  return { ...capabilities, store, ...(isShared && { vault: besideSharedIndex(vault, store, call) }) };
}

/** An answer that does not say that the index is incomplete comes from one that is complete; `status` reports on any. */
function storeFor(
  { name, needs }: AnyTool,
  { store }: Capabilities,
  state: IndexState | undefined,
  { signal }: CallContext,
): Store | undefined {
  const isWhole = state?.complete === true && needs.includes('store') && name !== 'status';
  return store !== undefined && isWhole ? wholeStore(store, signal) : store;
}

function grant({ needs }: AnyTool, capabilities: Capabilities): Granted<CapabilityName> {
  return Object.freeze(Object.fromEntries(needs.map((need) => [need, capabilities[need]]))) as Granted<CapabilityName>;
}

interface IndexSources {
  readonly capabilities: Capabilities;
  /** How many changes of the vault are not finished, by this process or another one. */
  readonly unfinished?: () => Promise<number>;
  /** Says which change of a server with another state folder is not finished. */
  readonly foreignChange?: () => string | undefined;
}

/** Belongs to a tool that needs the store. Made before the tool runs: changes during the run may be missing from the answer. */
async function viewBefore(
  tool: AnyTool,
  input: unknown,
  state: IndexState | undefined,
  { capabilities: { store }, unfinished, foreignChange }: IndexSources,
  call: CallContext,
): Promise<IndexView | undefined> {
  if (state === undefined || !tool.needs.includes('store') || store === undefined) return undefined;
  const { folder }: { readonly folder?: string } = Object(input);
  const isPart = folder !== undefined && state.quarantined > 0;
  const quarantined = isPart ? await quarantinedIn(folder, store, call) : state.quarantined;
  const foreign = foreignChange?.();
  return viewOf(state, { unfinished: await unfinished?.(), foreign, takesFresh: readsIndex(tool), quarantined });
}

const MAX_QUARANTINED = 10_000;

async function quarantinedIn(folder: string, store: Store, { signal }: CallContext): Promise<number> {
  const within = `${folder.normalize('NFC').toLowerCase().replace(/\/+$/, '')}/`;
  const entries = await store.quarantine({ limit: MAX_QUARANTINED, offset: 0 }, signal);
  return entries.filter(({ path }) => path.toLowerCase().startsWith(within)).length;
}

/** The state after the run of a tool that reports on the index or changes it. */
async function viewAfter(
  tool: AnyTool,
  { capabilities: { indexer }, unfinished, foreignChange }: IndexSources,
): Promise<IndexView | undefined> {
  const isAboutIndex = (!readsIndex(tool) || tool.effect !== 'reads') && tool.needs.includes('indexer');
  if (indexer === undefined || !isAboutIndex) return undefined;
  const foreign = foreignChange?.();
  return viewOf(indexer.state(), { unfinished: await unfinished?.(), foreign, takesFresh: readsIndex(tool) });
}

interface ScopeOptions {
  /** Aborted with a VaultgraphError by the server, with anything else by the client. */
  readonly signal: AbortSignal;
  readonly clock: CallClock;
  /** Both by default say what is written by now. */
  readonly makeTimeout: (committed?: Committed) => VaultgraphError;
  /** The failure of this call alone. */
  readonly makeCutOff: (signal: AbortSignal, committed?: Committed) => VaultgraphError;
  /** Called if the work still ends with a result or an unrelated failure after its caller was answered. */
  readonly onLate: () => void;
}

/**
 * Runs `work` until it ends, the limit lapses or `signal` aborts. Its own signal aborts a little before the limit.
 * @throws the timeout, the reason of the abort as a failure of this call, or what `work` threw
 */
async function runInScope<T>(options: ScopeOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, clock, makeTimeout, makeCutOff, onLate } = options;
  if (signal.aborted) throw makeCutOff(signal);
  const scope = new AbortController();
  const caller = Promise.withResolvers<never>();
  let isAnswered = false;
  let failure = makeTimeout;
  // What ends with the reason of the abort has written nothing. Only within the abort the writer says whether that comes too late.
  const stop = (make: typeof failure): void => {
    failure = make;
    scope.abort(make('none'));
  };
  const giveUp = (make: typeof failure): void => {
    isAnswered = true;
    stop(make);
    caller.reject(make());
  };
  const onAbort = (): void => giveUp((committed) => makeCutOff(signal, committed));
  signal.addEventListener('abort', onAbort, { once: true });
  clock.at(workMs(clock.limitMs), () => stop(makeTimeout));
  clock.at(clock.limitMs, () => giveUp(makeTimeout));
  const running = work(scope.signal);
  const checkLate = (isExpected: boolean): void => {
    if (isAnswered && !isExpected) onLate();
  };
  running.then(
    () => checkLate(false),
    (thrown) => checkLate(isAbort(thrown, scope.signal)),
  );
  try {
    return await Promise.race([running, caller.promise]);
  } catch (thrown) {
    throw isAbort(thrown, scope.signal) && isSameCode(thrown, scope.signal) ? failure() : thrown;
  } finally {
    clock.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

const isAbort = (thrown: unknown, { aborted, reason }: AbortSignal): boolean =>
  aborted && (thrown === reason || (thrown instanceof Error && thrown.cause === reason));

/** Whether the abort is what the caller gets, and not what failed because of it. */
const isSameCode = (thrown: unknown, { reason }: AbortSignal): boolean =>
  toVaultgraphError(thrown).code === (reason as VaultgraphError).code;

/** Paths in the warning; the others are counted. */
const MAX_NAMED = 5;

/** Whether the index may be of another copy of the vault: the leader's own changes are indexed within moments. */
const isOfAnotherCopy = (state: IndexState | undefined): boolean => state?.role === 'follower';

/**
 * A vault whose files are marked with `differsHere` where the index has another content, with one warning for the call. Files that the
 * index has and this copy lacks are named too.
 */
function besideSharedIndex(vault: Vault, store: Store, call: Pick<CallContext, 'signal' | 'warn'>): Vault {
  const named = new Set<string>();
  const marked = async <Batch extends BatchResult<FileContent | HashedFile>>(
    batch: Batch,
    paths: readonly NotePath[],
    signal: AbortSignal,
  ): Promise<Batch> => {
    const { succeeded, failed } = batch;
    const hashes = await indexedHashes(paths, store, signal);
    const differing = succeeded.filter(({ id, result }) => differs(hashes.get(id), result));
    const missing = failed.filter(({ id }) => hashes.has(id));
    const ids = new Set([...differing, ...missing].map(({ id }) => id));
    const unnamed = [...ids].filter((id) => !named.has(id));
    warnOf(unnamed, call);
    for (const id of unnamed) named.add(id);
    const mark = (id: string) => (ids.has(id) ? { differsHere: true } : {});
    return {
      ...batch,
      succeeded: succeeded.map(({ id, result }) => ({ id, result: { ...result, ...mark(id) } })),
      failed: failed.map((failure) =>
        hashes.has(failure.id) ? { ...failure, error: elsewhere(failure.error) } : failure,
      ),
    };
  };
  return Object.freeze({
    ...withReads(vault, (read) => async (paths, signal) => marked(await read(paths, signal), paths, signal)),
    readHashes: async (paths: readonly NotePath[], signal: AbortSignal) =>
      marked(await vault.readHashes(paths, signal), paths, signal),
  });
}

const differs = (indexed: string | undefined, file: FileContent | HashedFile): boolean =>
  indexed !== undefined && indexed !== ('hash' in file ? file.hash : contentHash(file.bytes));

/** A file that is missing here is at the machine that indexed it, so the next scan of this one does not remove it from the index. */
function elsewhere(error: VaultgraphError): VaultgraphError {
  if (error.code !== 'FILE_UNREADABLE') return error;
  const { path, errno } = (error as VaultgraphError<'FILE_UNREADABLE'>).details;
  if (errno !== 'ENOENT') return error;
  return new VaultgraphError('FILE_UNREADABLE', { path, errno, differs_here: true }, { cause: error });
}

/** Only of files whose content is indexed. */
async function indexedHashes(
  paths: readonly NotePath[],
  store: Store,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const records = await store.fileProperties(paths, signal);
  return new Map(records.flatMap(({ path, hash }) => (hash === null ? [] : [[path, hash] as const])));
}

function warnOf(paths: readonly string[], call: Pick<CallContext, 'warn'>): void {
  if (paths.length === 0) return;
  const others = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  const names = paths.slice(0, MAX_NAMED).join(', ');
  const message = `differs_here: ${names}${others}: the copy on this machine is not what another machine indexed, so the answer has no text of it beside indexed lines; sync the copies`;
  call.warn({ code: 'DIFFERS_HERE', message, count: paths.length });
}
