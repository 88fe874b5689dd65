// Opens the log of one command: stderr and, if the config names one, a file.
import { createLog, joinLogs, type Log, type LogLevel } from '../base/log.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { openLogFile } from '../lifecycle/log-file.ts';

/** Bytes buffered for stderr: a client that never reads it must not fill the memory. */
const MAX_UNREAD = 1024 * 1024;

function writeToStderr(line: string): void {
  if (process.stderr.writableLength < MAX_UNREAD) process.stderr.write(line);
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
