// Started by a test as a process or thread: takes the lock of a folder, as another user if one is named, and keeps it.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleepSync } from '../../../../src/base/system/process.ts';
import { realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { withFolderLocks } from '../../../../src/providers/filesystem/writing/folder-lock.ts';
import { becomeUser } from './become-user.ts';

const LONGER_THAN_ANY_TEST_MS = 60_000;
const [folder = '', outside = '', user] = process.argv.slice(2);

const inLock = (locked: string, work: () => void): void => withFolderLocks(realDisk, [locked], () => undefined, work);

// Loads what the lock needs, which another user might not be allowed to.
inLock(mkdtempSync(join(outside, 'another-')), () => undefined);
if (user !== undefined) becomeUser(Number(user), outside);
inLock(folder, () => {
  writeFileSync(join(outside, 'held'), '');
  sleepSync(LONGER_THAN_ANY_TEST_MS);
});
