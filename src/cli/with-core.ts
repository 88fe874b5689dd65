// Opens the server's core for one command and closes it afterwards, also on failure.
import { type GraphCore, openGraphCore } from '../graph-core.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { type CommonOptions, configFor } from './common-options.ts';
import { closeAtEarlyEnd } from './early-end.ts';
import { openLog } from './open-log.ts';

/** @returns what `work` returns. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_*, and what `work` throws */
export async function withCore<T>(options: CommonOptions, work: (core: GraphCore) => Promise<T>): Promise<T> {
  const config = await configFor(options);
  keepCrashesIn(config.dataFolder);
  const core = await openGraphCore(config, openLog(config, 'warn'));
  const forget = closeAtEarlyEnd(core.close);
  try {
    await core.ready;
    return await work(core);
  } finally {
    forget();
    await core.close();
  }
}
