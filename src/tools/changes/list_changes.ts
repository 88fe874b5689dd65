// Tool: what changed in the vault since a time, a position or a remembered name.
import * as z from 'zod';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { Checkpoint, FeedState } from '../../contracts/feed.ts';
import type { Store } from '../../contracts/store.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { filterShape } from '../notes/filters.ts';
import { inputRefusal } from '../notes/input-refusal.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { vaultFilter, warnOfFilters } from '../notes/vault-filter.ts';
import { ChangeTexts, diffOf } from './change-diff.ts';
import { changeFilter } from './change-filter.ts';
import { changeView } from './change-view.ts';
import { ToolChanges } from './changed-by.ts';
import { type FoldedChange, foldChanges } from './fold-changes.ts';
import { faultOfName, parseSince, positionOf, type Since } from './since.ts';

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
    if (changes.length === 0) await warnOfNothing(args, store, call);
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

/** Of the last call, for its next page, which has the same changes. Emptied with every change of the index. */
const lastFolded = async () => new Map<string, Folded>();

async function foldedIn(span: Span, args: Args, { feed, store }: Sources, call: CallContext): Promise<Folded> {
  const kept = await call.storeCache.get(lastFolded, store, call.signal);
  const { after, sinceMs, upTo } = span;
  const key = JSON.stringify([after, sinceMs, upTo, args.folder, args.tags]);
  const known = span.offset > 0 ? kept.get(key) : undefined;
  if (known !== undefined) return known;
  const { records, excluded } = await feed.read(span, call.signal);
  const isWanted = await changeFilter(args, excluded, store, call);
  const folded = { changes: (await foldChanges(records)).filter(isWanted), excluded };
  kept.clear();
  kept.set(key, folded);
  return folded;
}

async function warnOfNothing({ folder, tags }: Args, store: Store, call: CallContext): Promise<void> {
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
  const known = state?.knownSince ?? null;
  if (state === undefined || known === null) {
    call.warn({
      code: 'TRUNCATED',
      message: 'no change is known yet: changes are recorded once a scan of the vault has ended',
    });
    return;
  }
  const isCut = sinceMs === undefined ? after < state.forgotten : sinceMs < known;
  if (isCut)
    call.warn({
      code: 'TRUNCATED',
      message: `changes are known only since ${timeOf(known)}; earlier ones may be missing`,
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
  const own = await outcomeOf(feed.ownChanges(Date.now() - LOG_SLACK_MS, call.signal));
  call.signal.throwIfAborted();
  const past = 'error' in own ? [] : own.value.changes;
  if ('error' in own)
    call.warn({ code: 'EXTRA_MISSING', message: `by whom is unknown: [${own.error.code}] ${own.error.message}` });
  const tools = 'error' in own ? undefined : new ToolChanges(own.value);
  const texts = new ChangeTexts(past, vault, call.signal);
  const views: object[] = [];
  for (const change of shown) {
    const diff = detail === 'full' ? await diffOf(change, texts) : {};
    views.push({ ...changeView(change, tools, excluded), ...diff });
  }
  return views;
}
