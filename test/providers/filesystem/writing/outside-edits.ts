// The edits that other programs make during a change or after its kill, and checks that none is lost.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { inBench, type Kind, onDisk } from './change-kinds.ts';
import type { Snapshot } from './workbench.ts';

const THEIRS = 'an outside edit';

export interface Deed {
  readonly title: string;
  readonly needsFile: boolean;
  readonly leavesText: boolean;
  readonly act: (file: string) => void;
  /** Runs at the next call, on the file that was open. */
  readonly later?: (descriptor: number) => void;
  /** A save by rename at the moment of ours is lost on every system, because no call could detect it. */
  readonly isBeyond?: (call: Call, file: string) => boolean;
}

export interface Call {
  readonly name: string;
  readonly given: readonly unknown[];
}

const isOurRename = ({ name, given }: Call, file: string): boolean =>
  name === 'renameSync' && basename(String(given[1])) === basename(file);

const write = (file: string): void => writeFileSync(file, THEIRS);

export const DEEDS: readonly Deed[] = [
  { title: 'edits it in place', needsFile: true, leavesText: true, act: write },
  {
    title: 'edits it in two steps',
    ...{ needsFile: true, leavesText: true },
    act: (file) => truncateSync(file),
    later: (descriptor) => void writeSync(descriptor, THEIRS),
  },
  {
    title: 'saves it by a rename',
    ...{ needsFile: true, leavesText: true, isBeyond: isOurRename },
    act(file) {
      write(`${file}~`);
      renameSync(`${file}~`, file);
    },
  },
  { title: 'deletes it', needsFile: true, leavesText: false, act: (file) => rmSync(file) },
  {
    title: 'creates it where it does not exist',
    ...{ needsFile: false, leavesText: true },
    act(file) {
      mkdirSync(dirname(file), { recursive: true });
      write(file);
    },
  },
];

/** The paths of an operation, as they are on disk. */
export function pathsOf(operation: FileOperation): string[] {
  const to = operation.kind === 'move' ? [operation.to] : [];
  return [operation.path, ...to].map(onDisk);
}

const isOf = (paths: readonly string[], path: string): boolean =>
  paths.includes(path) || (path.startsWith('.trash/') && paths.some((each) => path.includes(stemOf(each))));
const stemOf = (path: string): string => basename(path).replace(/\.[^.]*$/, '');

/** The files of all other operations, which change completely or not at all. */
export function others(snapshot: Snapshot, paths: readonly string[]): Snapshot {
  return new Map([...snapshot].filter(([path]) => !path.endsWith('/') && !isOf(paths, path)));
}

/** The result of a change with an outside edit. */
export interface Ending {
  readonly paths: readonly string[];
  readonly isMade: boolean;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly now: Snapshot;
}

/** Checks the files of the operation that had an outside edit. */
export function assertNothingLost({ paths, isMade, before, after, now }: Ending, deed: Deed, what: string): void {
  const there = new Set([...now.values()].map(textOf));
  if (deed.leavesText) assert.ok(there.has(THEIRS), `${what}, their text is lost`);
  const [path = '', to = path] = paths;
  const ours = isMade ? after.get(to) : before.get(path);
  if (!deed.needsFile && ours !== undefined) assert.ok(there.has(textOf(ours)), `${what}, our text is lost`);
}

/** A change that was not made left nothing in its new place. */
export function assertWithdrawn({ paths, isMade, before, after, now }: Ending, what: string): void {
  if (isMade || !before.has(paths[0] ?? '')) return;
  const made = [...after.keys()].filter((path) => isOf(paths, path) && !before.has(path));
  assert.deepEqual(
    made.filter((path) => now.has(path)),
    [],
    what,
  );
}

const textOf = (content: string): string => content.replace(/^\d+ /, '');

export function afterwards(kind: Kind): { readonly after: Snapshot; readonly operations: readonly FileOperation[] } {
  return inBench((bench) => {
    const request = kind.request(bench);
    bench.apply(request);
    return { after: bench.snapshot(), operations: request.operations };
  });
}
