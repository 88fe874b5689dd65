// The log of one command: stderr, and beside it the file that the config names.
import { createLog, joinLogs, type Log, type LogLevel } from '../base/log.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { openLogFile } from '../lifecycle/log-file.ts';

/** Bytes that wait for a reader of stderr: a client that never reads must not fill the memory with them. */
const MAX_UNREAD = 1024 * 1024;

function tell(line: string): void {
  if (process.stderr.writableLength < MAX_UNREAD) process.stderr.write(line);
}

/**
 * The file gets what the config asks for, whatever the command shows on stderr.
 * @throws CONFIG_INVALID where the file cannot be opened
 */
export function openLog({ log, outputs }: Pick<Config, 'log' | 'outputs'>, shown: LogLevel): Log {
  const toStderr = createLog(shown, tell);
  if (outputs.log === undefined) return toStderr;
  const onFault = (code: string): void => toStderr('error', 'log_file_failed', { code });
  const { write } = openLogFile(outputs.log, onFault);
  return joinLogs(toStderr, createLog(log.level, write));
}
