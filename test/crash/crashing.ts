// Runs index work that is killed, fails or is stopped at a commit, and compares the index with one built from nothing.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { VaultFolder } from '../providers/filesystem/vault-folder.ts';
import { bundledProgram } from '../runner/bundles.ts';
import { assertSameRows, type IndexRows, indexRows } from './index-rows.ts';

export type Deed = 'kill' | 'throw' | 'stop';

/** A commit of some work, such as `apply`, `completeScan`, `applyVectors` or `activate`; `open` for the first schema. */
export interface Failpoint {
  readonly work: string;
  readonly side: 'before' | 'after';
  /** Which commit of that work, counted from 1. */
  readonly at: number;
  readonly deed: Deed;
}

export interface Work {
  readonly kind?: 'catch_up' | 'rebuild';
  /** The model's digest: another one starts another generation. */
  readonly digest?: string;
  readonly failpoint?: Failpoint;
  /** Milliseconds after which it is killed. */
  readonly killAfter?: number;
  /** Default: `data`. */
  readonly data?: string;
  /** Whether the next version of the program works, which migrates the index. */
  readonly isNext?: boolean;
}

export interface Ended {
  /** States and codes of the index job and of the embed job; empty if the process was killed. */
  readonly said: string;
  readonly status: number | string | null;
  /** The work of each commit, in order. */
  readonly commits: readonly string[];
}

const MAX_AGAIN = 3;
const FAILPOINTS = join(import.meta.dirname, 'failpoints.ts');
/** A program with this before it is the next version. */
export const NEXT_VERSION = join(import.meta.dirname, 'next-version.ts');
const CHILD = bundledProgram('test/crash/crash-child.ts');

export const spelled = ({ work, side, at, deed }: Failpoint): string => `${work}:${side}:${at}:${deed}`;

const living = new Set<ChildProcess>();

/** Kills the processes that a failed test left behind: a stopped one would keep the test file from ending. */
export function endWork(): void {
  for (const child of living) child.kill('SIGKILL');
}

export function startWork(
  folder: VaultFolder,
  work: Work,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const { kind = 'catch_up', digest = 'sha256:one', failpoint, data = 'data', isNext = false } = work;
  const commitLog = join(folder.outside, 'commits.log');
  rmSync(commitLog, { force: true });
  const env = {
    ...process.env,
    FAILPOINT_LOG: commitLog,
    ...(failpoint === undefined ? {} : { FAILPOINT: spelled(failpoint) }),
  };
  const given = [folder.outside, join(folder.outside, data), kind, digest, join(folder.outside, 'sent.log')];
  const preloaded = ['--import', FAILPOINTS, ...(isNext ? ['--import', NEXT_VERSION] : [])];
  const child = spawn(process.execPath, [...preloaded, CHILD, ...given], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  living.add(child);
  child.once('exit', () => living.delete(child));
  const timer = work.killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), work.killAfter);
  const ended = Promise.all([once(child, 'exit'), text(child.stdout)]).then(([[code, signal], said]) => {
    clearTimeout(timer);
    const commits = existsSync(commitLog) ? readFileSync(commitLog, 'utf8').trim().split('\n') : [];
    return { said: said.trim(), status: (signal as string | null) ?? (code as number), commits };
  });
  return { child, ended };
}

/** Retries if the machine is so busy that the folder seems to hang. */
export async function doWork(folder: VaultFolder, work: Work = {}): Promise<Ended> {
  for (let again = 0; ; again += 1) {
    const ended = await startWork(folder, work).ended;
    if (again === MAX_AGAIN || !ended.said.includes('VAULT_UNAVAILABLE')) return ended;
  }
}

/** Every text that was sent to the provider so far, in order. */
export function sentTexts(folder: VaultFolder): readonly string[] {
  const log = join(folder.outside, 'sent.log');
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line) as string[]);
}

export const forgetSent = (folder: VaultFolder): void => rmSync(join(folder.outside, 'sent.log'), { force: true });

export const indexFileIn = (folder: VaultFolder, data = 'data'): string => join(folder.outside, data, 'index.db');

/** The rows of an index that is built from nothing in its own process. */
export async function coldRows(folder: VaultFolder, digest = 'sha256:one'): Promise<IndexRows> {
  rmSync(join(folder.outside, 'cold'), { recursive: true, force: true });
  const { said } = await doWork(folder, { digest, data: 'cold' });
  assert.equal(said, 'succeeded - succeeded -');
  forgetSent(folder);
  return servedRows(folder, 'cold');
}

/** Checks that the index is valid and has the same rows as the one built from nothing. */
export const assertLike = (cold: IndexRows, folder: VaultFolder, what: string): void =>
  assertSameRows(servedRows(folder, 'data'), cold, what);

/** Without the previous generation, which an index built from nothing does not have. */
function servedRows(folder: VaultFolder, data: string): IndexRows {
  const rows = indexRows(indexFileIn(folder, data));
  const isServed = (row: string): boolean => !row.includes('"main previous ') && !row.includes('"state":"previous"');
  return Object.fromEntries(Object.entries(rows).map(([table, all]) => [table, all.filter(isServed)]));
}
