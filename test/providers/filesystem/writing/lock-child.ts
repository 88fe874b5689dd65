// Started by a test as a process or thread: takes the lock of the change log on its command line, and keeps it.
import { sleepSync } from '../../../../src/base/system/sleep.ts';
import { realDisk } from '../../../../src/providers/filesystem/writing/disk.ts';
import { withLogLock } from '../../../../src/providers/filesystem/writing/log-lock.ts';

const LONGER_THAN_ANY_TEST_MS = 60_000;
const [log = ''] = process.argv.slice(2);
const nothing = (): void => undefined;

withLogLock(realDisk, log, nothing, () => sleepSync(LONGER_THAN_ANY_TEST_MS));
