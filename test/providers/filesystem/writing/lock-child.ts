// Started by a test as a process or as a thread: takes the lock of the log on its command line, and keeps it.
import { realDisk, rest } from '../../../../src/providers/filesystem/writing/disk.ts';
import { whileLocked } from '../../../../src/providers/filesystem/writing/log-lock.ts';

const LONGER_THAN_ANY_TEST_MS = 60_000;
const [log = ''] = process.argv.slice(2);
const nothing = (): void => undefined;

whileLocked(realDisk, log, nothing, () => rest(LONGER_THAN_ANY_TEST_MS));
