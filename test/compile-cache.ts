// Has the processes of the tests keep what they compiled, so that the next one with the same files starts sooner.
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(tmpdir(), 'vaultgraph-test-compiled');
// Children have it by their environment, as far as they are given one.
process.env.NODE_COMPILE_CACHE ??= folder;
enableCompileCache(process.env.NODE_COMPILE_CACHE);
