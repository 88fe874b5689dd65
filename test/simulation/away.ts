// Ends all servers of a simulation, changes the vault, the clock and the index while none runs, and starts them again.
import { join } from 'node:path';
import type { Schedule } from './schedule.ts';
import type { SimulatedServer } from './server.ts';
import { real } from './simulated-disk.ts';

const MAX_BACK_MS = 10_000_000;
const MAX_AWAY_MS = 2_000;
const LOOK_MS = 200;
/** The files of an index begin so. */
const INDEX = 'index.db';
const SUFFIXES = ['', '-wal', '-shm', '.seal'];

export function everyoneAway(schedule: Schedule): void {
  const { world, up } = { world: schedule.world, up: schedule.up() };
  const names = up.map(({ process }) => process.name);
  for (const server of up) {
    schedule.ends += 1;
    if (world.random.chance(0.3)) server.kill();
    else server.close();
  }
  const whenDown = (): void => {
    if (!up.every(isDown)) {
      schedule.plan(LOOK_MS, whenDown);
      return;
    }
    // Another such action may have started some again.
    if (schedule.servers.every(isDown)) meanwhile(schedule);
    for (const name of names) schedule.plan(world.random.below(MAX_AWAY_MS), () => schedule.start(name));
  };
  schedule.plan(LOOK_MS, whenDown);
}

const isDown = ({ process, isClosing, open }: SimulatedServer): boolean =>
  process.isDead || (isClosing && open.size === 0);

/** On a disk whose times have steps, a change may get the very time that the file had, once the clock is set back. */
function meanwhile(schedule: Schedule): void {
  const { world, others, disk } = schedule;
  const { random } = world;
  if (disk.stepMs === 0 && random.chance(0.5)) world.jump(-random.below(MAX_BACK_MS));
  for (let n = random.below(3); n >= 0; n -= 1)
    schedule.count(others.act(random.chance(0.4) ? 'times kept' : undefined));
  if (random.chance(0.3)) schedule.count(changeIndex(schedule));
}

/** As a user does it who believes that it is broken, or who restores a backup. */
function changeIndex({ dataFolder, world }: Schedule): string {
  const files = SUFFIXES.map((suffix) => join(dataFolder, `${INDEX}${suffix}`));
  const copies = files.map((file) => `${file}.kept`);
  const isKept = real.existsSync(copies[0] ?? '');
  if (!isKept && world.random.chance(0.6)) {
    copy(files, copies);
    return 'index kept';
  }
  const removed = removeIndex(dataFolder);
  if (isKept) copy(copies, files);
  return isKept ? 'index of before' : removed;
}

export const isIndexThere = (dataFolder: string): boolean => real.existsSync(join(dataFolder, INDEX));

/** Also while servers use it. */
export function removeIndex(dataFolder: string): string {
  for (const suffix of SUFFIXES) real.rmSync(join(dataFolder, `${INDEX}${suffix}`), { force: true });
  return 'index removed';
}

function copy(from: readonly string[], to: readonly string[]): void {
  for (const [at, file] of from.entries()) if (real.existsSync(file)) real.copyFileSync(file, to[at] ?? '');
}
