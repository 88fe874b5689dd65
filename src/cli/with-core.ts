// Opens the server's core for one command and closes it again, whatever happens. Knows no command.
import { createLog } from '../base/log.ts';
import { type GraphCore, openGraphCore } from '../graph-core.ts';
import type { CommonOptions } from './common-options.ts';
import { configFor } from './config-for.ts';

/** What `work` returns. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_* when nothing could be opened, and what `work` throws */
export async function withCore<T>(options: CommonOptions, work: (core: GraphCore) => Promise<T>): Promise<T> {
  const config = await configFor(options);
  const core = await openGraphCore(
    config,
    createLog('warn', (line) => process.stderr.write(line)),
  );
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}
