// Tool: what changed in the vault since a time, a position or a remembered name.
import * as z from 'zod';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Checkpoint, FeedState } from '../../contracts/feed.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { folderCalled, isInFolder } from '../notes/file-names.ts';
import { filterShape, folderOf } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { parseDate } from '../notes/parse-date.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { isPeriodFault, parsePeriod, UNKNOWN } from '../periods/period.ts';
import { ChangeTexts, diffOf } from './change-diff.ts';
import { changeView } from './change-view.ts';
import { ToolChanges } from './changed-by.ts';
import { type FoldedChange, foldChanges } from './fold-changes.ts';

const MAX_NAME = 100;
const MAX_CHECKPOINTS = 1_000;

const input = z.strictObject({
  since: z.string().optional().describe('default 7d; position, name, last week'),
  remember: z
    .string()
    .trim()
    .refine((name) => name.length > 0 && name.length <= MAX_NAME, `must have 1 to ${MAX_NAME} characters`)
    .optional()
    .describe('name for position'),
  folder: filterShape.folder,
  tags: filterShape.tags,
  detail: z.enum(['brief', 'full']).default('brief').describe('full: diffs'),
  ...pageShape,
});
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'indexer' | 'feed'>;
const paging = createPaging('list_changes', input.shape);

const refusal = (path: keyof Args) => (rule: string) =>
  inputRefusal('list_changes', Object.keys(input.shape), { path, rule });

export const listChanges = defineTool({
  name: 'list_changes',
  title: 'Changes',
  summary:
    'What changed: notes created, edited (sections, lines), moved, deleted (who linked), by whom. Returns a position for since.',
  words: 'deleted notes',
  effect: 'reads',
  needs: ['store', 'vault', 'indexer', 'feed'],
  instead: ['list_notes'],
  index: 'part',
  fails: ['INVALID_INPUT', 'INVALID_QUERY', 'PATH_NOT_ALLOWED'],
  input,
  run: async (args, granted, call) => {
    const { feed, store } = granted;
    await firstScan(granted, call);
    const { revision } = await store.progress(call.signal);
    const state = await feed.state(call.signal);
    const checkpoints = await feed.checkpoints(call.signal);
    refuseName(args, checkpoints);
    const span = spanOf(args, state, checkpoints);
    const { changes, excluded } = await foldedIn(span, args, granted, call);
    // What was deleted may have been the last in its folder or with its tag.
    if (changes.length === 0) await warnOfNothing(args, span, store, call);
    const end = Math.min(span.offset + args.limit, changes.length);
    if (args.remember !== undefined) await feed.remember(args.remember, span.upTo, call.signal);
    // That a new feed has less than the default is no surprise, and `known_since` says it.
    const isNew = args.since === undefined && state?.forgotten === 0;
    warnOfGaps(state, isNew ? { after: 0 } : span, revision, call);
    const place = end < changes.length ? [span.after, span.sinceMs ?? 0, span.upTo, end] : undefined;
    return {
      changes: await viewsOf(changes.slice(span.offset, end), excluded, args, granted, call),
      total: changes.length,
      ...(span.sinceMs !== undefined && { since: timeOf(span.sinceMs) }),
      known_since: timeOf(state?.knownSince ?? null),
      ...(state && { position: positionOf(state, span.upTo) }),
      ...(args.remember !== undefined && { remembered: args.remember }),
      ...paging.nextPlace(args, place),
    };
  },
});

interface Folded {
  readonly changes: readonly FoldedChange[];
  readonly excluded: ReadonlySet<string>;
}

/** What the last call folded, for its next page, which has the same changes. Emptied with every change of the index. */
const lastFolded = async () => new Map<string, Folded>();

async function foldedIn(span: Span, args: Args, { feed, store }: Sources, call: CallContext): Promise<Folded> {
  const lastList = await call.storeCache.get(lastFolded, store, call.signal);
  const { after, sinceMs, upTo } = span;
  const key = JSON.stringify([after, sinceMs, upTo, args.folder, args.tags]);
  const earlierPage = span.offset > 0 ? lastList.get(key) : undefined;
  if (earlierPage !== undefined) return earlierPage;
  const { records, excluded, taken } = await feed.read(span, call.signal);
  const isWanted = await changeFilter(args, store, call);
  // What was done to a file while it was excluded: earlier versions recorded that.
  const seen = records.filter((record) => record.excluded !== true);
  const folded = { changes: (await foldChanges(seen, taken)).filter(isWanted), excluded };
  lastList.clear();
  lastList.set(key, folded);
  return folded;
}

async function warnOfNothing(
  { folder, tags }: Args,
  { sinceMs = 0 }: Since,
  store: Store,
  call: CallContext,
): Promise<void> {
  if (sinceMs > Date.now())
    call.warn({ code: 'FILTER_MATCHES_NOTHING', message: `since (${timeOf(sinceMs)}) is a time that is yet to come` });
  const filter = await vaultFilter({ ...(folder && { folder }), ...(tags && { tags }) }, store, call);
  await warnOfFilters(filter, store, call);
}

/** @throws INVALID_INPUT */
function refuseName({ remember }: Args, checkpoints: readonly Checkpoint[]): void {
  if (remember === undefined) return;
  const isKnown = checkpoints.some(({ name }) => name === remember);
  const isFull = !isKnown && checkpoints.length >= MAX_CHECKPOINTS;
  const fault = isFull ? `is one name more than the ${MAX_CHECKPOINTS} that can be remembered` : faultOfName(remember);
  if (fault !== undefined) throw refusal('remember')(fault);
}

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** What was changed while no server ran is noticed by the scan at the start. */
const MAX_SCAN_WAIT_MS = 5_000;

async function firstScan({ indexer }: Sources, { signal, msLeft }: CallContext): Promise<void> {
  const { freshness, running } = indexer.state();
  if (freshness !== 'unknown' || running === undefined) return;
  const enough = AbortSignal.timeout(Math.floor(Math.min(MAX_SCAN_WAIT_MS, msLeft() / 2)));
  await outcomeOf(indexer.ended(running.id, AbortSignal.any([signal, enough])));
  signal.throwIfAborted();
}

interface Span extends Since {
  readonly upTo: number;
  readonly offset: number;
}

/** Later pages are of the same records as the first. */
function spanOf(args: Args, state: FeedState | undefined, checkpoints: readonly Checkpoint[]): Span {
  const [after = 0, sinceMs = 0, upTo = 0, offset] = paging.placeOf(args);
  if (offset !== undefined) return { after, upTo, offset, ...(sinceMs > 0 && { sinceMs }) };
  return { ...parseSince(args.since, state, checkpoints, refusal('since')), upTo: state?.last ?? 0, offset: 0 };
}

function warnOfGaps(
  state: FeedState | undefined,
  { after, sinceMs }: Since,
  revision: number,
  call: CallContext,
): void {
  const knownSince = state?.knownSince ?? null;
  if (state === undefined || knownSince === null) {
    call.warn({
      code: 'TRUNCATED',
      message: 'no change is known yet: changes are recorded once a scan of the vault has ended',
    });
    return;
  }
  const isCut = sinceMs === undefined ? after < state.forgotten : sinceMs < knownSince;
  if (isCut)
    call.warn({
      code: 'TRUNCATED',
      message: `changes are known only since ${timeOf(knownSince)}; earlier ones may be missing`,
    });
  if (state.revision < revision)
    call.warn({
      code: 'STALE_UNKNOWN',
      message: 'the feed of changes is behind the index: what is missing follows after the next scan (reindex)',
    });
}

/** A server may notice what a tool did long before: while no server ran. */
const LOG_SLACK_MS = 90 * 24 * 60 * 60_000;

async function viewsOf(
  shown: readonly FoldedChange[],
  excluded: ReadonlySet<string>,
  { detail }: Args,
  { feed, vault }: Sources,
  call: CallContext,
): Promise<object[]> {
  if (shown.length === 0) return [];
  const toolChanges = await outcomeOf(feed.ownChanges(Date.now() - LOG_SLACK_MS, call.signal));
  call.signal.throwIfAborted();
  const past = 'error' in toolChanges ? [] : toolChanges.value.changes;
  if ('error' in toolChanges)
    call.warn({
      code: 'EXTRA_MISSING',
      message: `by whom is unknown: [${toolChanges.error.code}] ${toolChanges.error.message}`,
    });
  const tools = 'error' in toolChanges ? undefined : new ToolChanges(toolChanges.value);
  const texts = new ChangeTexts(past, vault, call.signal);
  const views: object[] = [];
  for (const change of shown) {
    const diff = detail === 'full' ? await diffOf(change, texts, call) : {};
    views.push({ ...changeView(change, tools, excluded), ...diff });
  }
  return views;
}

interface ChangeArgs {
  readonly folder?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A deleted note is known by its last path and tags, a moved one also by its former path. @throws PATH_NOT_ALLOWED */
async function changeFilter(
  { folder: written, tags }: ChangeArgs,
  store: Store,
  call: CallContext,
): Promise<(change: FoldedChange) => boolean> {
  const folder = folderOf(written);
  // A folder that the vault does not spell so may be one whose notes are all deleted or moved.
  const isSpelled = folder !== undefined && (await folderCalled(folder, store, call)) === folder;
  const foldedTags = tags?.map((tag) => foldName(tag.replace(/^#?/, '#').replace(/\/+$/, '')));
  const isIn = (path: string): boolean => {
    if (folder === undefined) return true;
    return isSpelled ? isInFolder(path, folder) : isInFolder(foldName(path), foldName(folder));
  };
  const has = ({ records }: FoldedChange): boolean =>
    foldedTags === undefined || records.some((record) => record.tags.some((tag) => matches(foldName(tag), foldedTags)));
  return (change) => {
    const { path, from = path } = change;
    return (isIn(path) || isIn(from)) && has(change);
  };
}

const matches = (tag: string, foldedTags: readonly string[]): boolean =>
  foldedTags.some((one) => tag === one || tag.startsWith(`${one}/`));

/** Later than this record, or noticed at or after this time. */
export interface Since {
  readonly after: number;
  readonly sinceMs?: number;
}

const DEFAULT_SINCE = '7d';
const POSITION = /^([0-9a-f]{10})-([0-9a-z]{1,9})$/;
const MAX_SHOWN_NAMES = 10;

const positionOf = ({ id }: FeedState, seq: number): string => `${id}-${seq.toString(36)}`;

/** @param refuse makes the error for the argument */
function parseSince(
  text: string | undefined,
  state: FeedState | undefined,
  checkpoints: readonly Checkpoint[],
  refuse: (rule: string) => VaultgraphError,
): Since {
  if (text === undefined) return { after: 0, sinceMs: parseDate(DEFAULT_SINCE, 'since', new Date()) };
  const [, id, seq = ''] = POSITION.exec(text) ?? [];
  if (id !== undefined) return { after: seqIn(id, seq, state, refuse) };
  const checkpoint = checkpoints.find(({ name }) => name === text);
  if (checkpoint !== undefined) return { after: checkpoint.seq };
  try {
    return { after: 0, sinceMs: parseDate(text, 'since', new Date()) };
  } catch (thrown) {
    if (toVaultgraphError(thrown).code !== 'INVALID_QUERY' || !isUnknownForm(text)) throw thrown;
    const names = checkpoints.slice(0, MAX_SHOWN_NAMES).map(({ name }) => JSON.stringify(name));
    const remembered = names.length === 0 ? 'none is remembered' : `remembered: ${names.join(', ')}`;
    throw refuse(`is no time such as 7d or monday, no position of an answer, and no remembered name (${remembered})`);
  }
}

function isUnknownForm(text: string): boolean {
  const period = parsePeriod(text, 'past', new Date());
  return isPeriodFault(period) && period.reason === UNKNOWN;
}

function seqIn(
  id: string,
  written: string,
  state: FeedState | undefined,
  refuse: (rule: string) => VaultgraphError,
): number {
  const seq = Number.parseInt(written, 36);
  const last = state?.id === id ? state.last : state?.earlier?.get(id);
  if (last !== undefined && seq <= last) return seq;
  const since = state?.knownSince ?? null;
  const extent = since === null ? 'no change is known yet' : `changes are known since ${new Date(since).toISOString()}`;
  throw refuse(`is a position in a feed that is no longer kept; ${extent}: pass a time instead`);
}

/** Why a name cannot be remembered; undefined if it can. */
function faultOfName(name: string): string | undefined {
  if (POSITION.test(name)) return 'has the form of a position';
  return isUnknownForm(name) ? undefined : 'has the form of a time; choose another name';
}
