// One JSON line on stderr per event. Never sees note text, query text or an absolute path.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** Writes every event at or above `least`; `write` gets one whole line with its line end. */
export function createLog(least: LogLevel, write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    if (RANK[level] < RANK[least]) return;
    write(`${JSON.stringify({ ts: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}
