// Opens the server's core for one command and closes it afterwards, also on failure.
import { createLog, joinLogs, type Log, type LogLevel } from '../base/log.ts';
import { type GraphCore, openGraphCore } from '../core/graph-core.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { keepCrashesIn } from '../lifecycle/crash-file.ts';
import { openLogFile } from '../lifecycle/log-file.ts';
import { type CommonOptions, configFor } from './common-options.ts';
import { closeAtEarlyEnd } from './early-end.ts';
import { report, screen } from './output.ts';

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

/** Bytes buffered for stderr: a client that never reads it must not fill the memory. */
const MAX_UNREAD = 1024 * 1024;

function writeToStderr(line: string): void {
  if (screen.writableLength < MAX_UNREAD) report(line);
}

/**
 * The file gets the levels of the config, independent of what the command shows on stderr.
 * @throws CONFIG_INVALID if the file cannot be opened
 */
export function openLog({ log, outputs }: Pick<Config, 'log' | 'outputs'>, shown: LogLevel): Log {
  const toStderr = createLog(shown, writeToStderr);
  if (outputs.log === undefined) return toStderr;
  const onFault = (code: string): void => toStderr('error', 'log_file_failed', { code });
  const { write } = openLogFile(outputs.log, onFault);
  return joinLogs(toStderr, createLog(log.level, write));
}
