// Enables Node's compile cache in test processes, so that later processes that load the same files start faster.
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(tmpdir(), 'vaultgraph-test-compiled');
// Child processes inherit the setting through their environment.
process.env.NODE_COMPILE_CACHE ??= folder;
enableCompileCache(process.env.NODE_COMPILE_CACHE);
