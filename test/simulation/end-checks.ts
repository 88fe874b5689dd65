// Compares everything with what it must be at the end of a schedule: the texts of the vault, the index, what clients were notified of.
import { isDeepStrictEqual } from 'node:util';
import type { NotePath } from '../../src/base/note.ts';
import { outcomeOf } from '../../src/base/outcome.ts';
import type { Store } from '../../src/contracts/store.ts';
import { isIndexThere } from './away.ts';
import { feedFaults } from './feed-checks.ts';
import { answersOf, freshIndex } from './fresh-index.ts';
import type { Schedule } from './schedule.ts';
import { FOLLOWED, type SimulatedServer } from './server.ts';
import { real } from './simulated-disk.ts';
import { inProcess } from './world.ts';

const { signal: never } = new AbortController();
/** All times are of the virtual clock. */
const MAX_WAIT_MS = 120_000;
/** By then each event has come, and each client was notified. */
const QUIET_MS = 1_000;
/** By then a file that was replaced has been looked at for the last time. */
const LOOKED_MS = 10_500;
/** By then late events have come; then, the whole vault has been scanned again, unless scans take longer than a second. */
const [EVENTS_MS, SCANNED_MS] = [4_000, 1_000_000];
/** By then a server has made a new index in place of one that was removed. */
const MADE_ANEW_MS = 30_000;
const MAX_SHOWN = 3_000;

export async function checkEnd(schedule: Schedule): Promise<void> {
  const { others, model, faults, servers } = schedule;
  if (schedule.up().length === 0) schedule.start('C');
  const isIdle = await settle(schedule, QUIET_MS);
  const isQuiet = others.bringBack() ? await settle(schedule, QUIET_MS) : isIdle;
  if (!isQuiet || (others.late.length > 0 && !(await settle(schedule, LOOKED_MS))))
    faults.push(`never quiet: ${JSON.stringify(servers.map(stateOf))}`);
  if (!isIndexThere(schedule.dataFolder)) await settle(schedule, MADE_ANEW_MS);
  // A process that has ended looks at nothing any more.
  if (schedule.ends === 0) for (const mark of others.late) model.set(mark, 'confirmed');
  faults.push(...model.faults());
  await checkIndex(schedule);
  for (const server of schedule.up()) await checkFollowed(schedule, server);
  await checkFollower(schedule);
  for (const server of schedule.up()) server.close();
  const areClosed = (): boolean => servers.every(({ open, process }) => process.isDead || open.size === 0);
  if (!(await schedule.world.runUntil(areClosed, MAX_WAIT_MS)))
    faults.push(`not closed: ${JSON.stringify(servers.map(stateOf))}`);
  const left = (real.readdirSync(model.root, { recursive: true }) as string[]).filter((path) => IS_OURS.test(path));
  if (left.length > 0) faults.push(`temporary files: ${left.join(', ')}`);
}

const IS_OURS = /\.vaultgraph-/;

const stateOf = ({ process, open, core }: SimulatedServer): unknown => [process, [...open], core?.indexer.state()];

/** Waits until each call is answered, and the index has been up to date for a while. */
function settle(schedule: Schedule, ms: number): Promise<boolean> {
  const { world, others, servers } = schedule;
  let since = world.now;
  const isBusy = (): boolean => others.pending + schedule.pending > 0 || servers.some(isServerBusy);
  const isQuiet = (): boolean => {
    if (isBusy()) since = world.now;
    return world.now - since > ms;
  };
  return world.runUntil(isQuiet, ms + MAX_WAIT_MS);
}

function isServerBusy({ process, isClosing, open, core }: SimulatedServer): boolean {
  if (process.isDead || (isClosing && open.size === 0)) return false;
  const state = core?.indexer.state();
  if (state === undefined || open.size > 0) return true;
  return state.running !== undefined || state.watching.pending > 0 || !state.complete;
}

async function checkIndex(schedule: Schedule): Promise<void> {
  const { faults, model, disk } = schedule;
  const [server] = schedule.up();
  if (server?.core === undefined) return void faults.push('no server is up');
  const { store } = server.core;
  await untilCompared(schedule, server, store);
  const fresh = await freshIndex(model.root, disk, schedule.seed);
  const content = (): Promise<unknown> => within(schedule, server, () => answersOf(store, schedule.seed));
  const isEqual = async (): Promise<boolean> => isDeepStrictEqual(await content(), fresh);
  if ((await isEqual()) || ((await settle(schedule, EVENTS_MS)) && (await isEqual()))) {
    faults.push(...feedFaults(schedule.stateFolder, fresh.files));
    return;
  }
  schedule.count('an index that a scan corrects');
  schedule.world.note(differenceOf(await content(), fresh));
  await settle(schedule, SCANNED_MS);
  // After a scan that took seconds, as on a slow disk or one that hung, the next one begins only after half an hour.
  if (disk.lostEvents > 0 || schedule.hasHung) {
    server.call('reindex', {}, never, () => undefined);
    await settle(schedule, QUIET_MS);
  }
  const later = await content();
  if (!isDeepStrictEqual(later, fresh))
    faults.push(`the index differs from a fresh one: ${differenceOf(later, fresh)}`);
}

/** An index that another server made in place of one that was removed is not answered from before it was compared with the vault. */
async function untilCompared(schedule: Schedule, server: SimulatedServer, store: Store): Promise<void> {
  const isCompared = async (): Promise<boolean> => {
    const outcome = await outcomeOf(store.graph(never));
    return 'value' in outcome || outcome.error.code !== 'NOT_READY';
  };
  for (let waited = 0; waited < MAX_WAIT_MS; waited += QUIET_MS) {
    if (await within(schedule, server, isCompared)) return;
    await settle(schedule, QUIET_MS);
  }
}

/** What a client knows that continues where its last call ended, is what is there. */
async function checkFollower(schedule: Schedule): Promise<void> {
  const { follower, world, others, faults } = schedule;
  if (follower === undefined) return;
  const isFree = (): boolean => !follower.isAsking;
  await world.runUntil(isFree, MAX_WAIT_MS);
  follower.ask(schedule.up()[0]);
  await world.runUntil(isFree, MAX_WAIT_MS);
  follower.check(others.paths());
  faults.push(...follower.faults);
}

/** What a client read last, when it was notified, is what the index has. */
async function checkFollowed(schedule: Schedule, server: SimulatedServer): Promise<void> {
  const store = server.core?.store;
  if (store !== undefined) await untilCompared(schedule, server, store);
  const found = await within(schedule, server, async () => store?.notes(FOLLOWED as NotePath[], never));
  for (const path of FOLLOWED) {
    const now = found?.find((note) => note.path === path)?.hash ?? 'none';
    const seen = server.seen.get(path);
    if (seen !== undefined && seen !== now)
      schedule.faults.push(`${server.process.name} was not notified of ${path}: ${seen}, ${now}`);
  }
}

/** The result of work of a process of the world, which needs its clock. */
async function within<T>(
  { world, faults }: Schedule,
  server: SimulatedServer,
  work: () => Promise<T>,
): Promise<T | undefined> {
  let outcome: PromiseSettledResult<T> | undefined;
  inProcess(server.process, () => {
    void Promise.allSettled([work()]).then(([ended]) => {
      outcome = ended;
    });
  });
  await world.runUntil(() => outcome !== undefined, MAX_WAIT_MS);
  if (outcome?.status === 'fulfilled') return outcome.value;
  faults.push(`${server.process.name}: ${outcome?.reason?.stack ?? 'no end'}`);
  return undefined;
}

/** The parts that differ, row by row. */
function differenceOf(one: unknown, other: unknown): string {
  const [left, right] = [one, other].map(linesOf);
  const only = (these: readonly string[] = [], those: readonly string[] = []): string[] =>
    these.filter((line) => !those.includes(line));
  const shown = [...only(left, right).map((line) => `- ${line}`), ...only(right, left).map((line) => `+ ${line}`)];
  return shown.join('\n').slice(0, MAX_SHOWN);
}

function linesOf(content: unknown): string[] {
  return Object.entries(content ?? {}).flatMap(([name, part]) =>
    (Array.isArray(part) ? part : [part]).map((row) => `${name}: ${JSON.stringify(row)}`),
  );
}
