// A vault and a change log in temporary folders, on a given disk, for changes without a thread.
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHash } from '../../../../src/base/content-hash.ts';
import type { NotePath } from '../../../../src/base/note.ts';
import type { Applied, Inverse, Recovered, WriteRequest } from '../../../../src/contracts/writer.ts';
import { createExclusion } from '../../../../src/providers/filesystem/path-rules.ts';
import { applyChange } from '../../../../src/providers/filesystem/writing/apply-change.ts';
import { ChangeLog } from '../../../../src/providers/filesystem/writing/change-log.ts';
import { type Disk, realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { inverseOf } from '../../../../src/providers/filesystem/writing/inverse-change.ts';
import { isCompleted } from '../../../../src/providers/filesystem/writing/logged-change.ts';
import { recoverChanges } from '../../../../src/providers/filesystem/writing/perform-write.ts';
import { openVaultRoot } from '../../../../src/providers/filesystem/writing/vault-root.ts';
import {
  type Failpoint,
  preferVaultUnavailable,
  type WriteContext,
  wrapFsError,
} from '../../../../src/providers/filesystem/writing/write-context.ts';
import { type VaultFolder, vaultFolderAt } from '../vault-folder.ts';

/** The vault's contents: each path with its permissions and bytes; folders end with a slash. */
export type Snapshot = ReadonlyMap<string, string>;

export interface Workbench {
  readonly folder: VaultFolder;
  readonly log: ChangeLog;
  apply(request: WriteRequest, on?: Partial<Hooks>): Applied;
  recover(on?: Partial<Hooks>): readonly Recovered[];
  inverse(id?: string): Inverse;
  snapshot(): Snapshot;
  hash(path: string): string;
}

export interface Hooks {
  readonly disk: Disk;
  readonly at: (point: Failpoint) => void;
  readonly checkStop: () => void;
}

/** In memory if possible, because thousands of folders are created. */
const QUICK_PLACE = existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir());

function createQuickFolder(): VaultFolder {
  const folder = vaultFolderAt(mkdtempSync(join(QUICK_PLACE, 'vaultgraph-test-')));
  mkdirSync(folder.root);
  return folder;
}

export function openWorkbench(
  folder: VaultFolder = createQuickFolder(),
  exclude: readonly string[] = [],
  logFolder: string = join(folder.outside, 'log'),
): Workbench {
  const shop = ({ disk = realDisk, at = () => {}, checkStop = () => {} }: Partial<Hooks> = {}): WriteContext => ({
    ...openVaultRoot(disk, folder.root, createExclusion(exclude), () => {}),
    ...{ log: new ChangeLog(disk, logFolder), at, checkStop },
  });
  const inShop = <T>(on: Partial<Hooks> | undefined, work: (opened: WriteContext) => T): T =>
    wrapFsError(undefined, () => {
      const opened = shop(on);
      return preferVaultUnavailable(opened, () => work(opened));
    });
  const log = new ChangeLog(realDisk, logFolder);
  log.create();
  return {
    folder,
    log,
    apply: (request, on) => inShop(on, (opened) => applyChange(opened, request)),
    recover(on) {
      const reported: Recovered[] = [];
      inShop(on, (opened) => recoverChanges(opened, (recovered) => reported.push(recovered)));
      return reported;
    },
    inverse: (id) => inverseOf(new ChangeLog(realDisk, logFolder), id),
    snapshot: () => snapshotOf(folder.root),
    hash: (path) => contentHash(readFileSync(join(folder.root, path))),
  };
}

export function snapshotOf(root: string): Snapshot {
  const found = new Map<string, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) found.set(`${path}/`, '');
    else if (stats.isSymbolicLink()) found.set(path, `-> ${readlinkSync(join(root, path))}`);
    else found.set(path, `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`);
  }
  return found;
}

/** Checks that no temporary file is left in the vault, and no unfinished change in the log. */
export function assertClean({ log, snapshot }: Workbench): void {
  assert.deepEqual(
    [...snapshot().keys()].filter((path) => path.includes('.vaultgraph-')),
    [],
  );
  assert.deepEqual(
    log.entries().filter((entry) => !isCompleted(entry)),
    [],
  );
}

export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
export const note = (path: string): NotePath => path as NotePath;

/** Makes the code believe that it runs on another platform. */
export function asPlatform(platform: NodeJS.Platform, work: () => void): void {
  const real = process.platform;
  Object.defineProperty(process, 'platform', { value: platform });
  try {
    work();
  } finally {
    Object.defineProperty(process, 'platform', { value: real });
  }
}
