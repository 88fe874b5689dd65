// A log of JSON lines with a fixed set of fields; it never contains note text, query text or absolute paths.

import { visibleJson } from './visible-controls.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Fields of most events, in the order of output. */
interface CommonFields {
  readonly tool?: string | undefined;
  readonly request_id?: string | undefined;
  /** In exactly one record: the one with the cause. */
  readonly error_id?: string | undefined;
  readonly code?: string | undefined;
  readonly category?: string | undefined;
  readonly job_id?: string | undefined;
  readonly provider?: string | undefined;
  /** `2/5`: the one that is next, and the last there may be where that is known. */
  readonly attempt?: string | number | undefined;
  readonly duration_ms?: number | undefined;
  /** Relative to the vault. */
  readonly path?: string | undefined;
}

/** Further fields of some events: fixed words, class names, counts. */
interface FurtherFields {
  /** The name of one of several vaults. */
  readonly vault?: string | undefined;
  /** What a job, a lease or a change is. */
  readonly kind?: string | undefined;
  readonly state?: string | undefined;
  readonly phase?: string | undefined;
  /** A fixed word or an error code. */
  readonly reason?: string | undefined;
  readonly capability?: string | undefined;
  readonly model?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Class, code and source positions of the error; never its message. */
  readonly cause?: string | undefined;
  readonly cause_code?: string | undefined;
  readonly frames?: string | undefined;
  /** The call failed with a code its tool does not declare. */
  readonly undeclared?: boolean | undefined;
  readonly change_id?: string | undefined;
  /** The name that an MCP client gives itself. */
  readonly client?: string | undefined;
  /** The name of the token with which an HTTP client identifies itself. */
  readonly principal?: string | undefined;
  /** The beginning of the id of an HTTP session. */
  readonly session?: string | undefined;
  readonly outcome?: string | undefined;
  /** The id of another process. */
  readonly pid?: number | undefined;
  /** The token of a lease. */
  readonly token?: number | undefined;
  readonly wait_ms?: number | undefined;
  readonly version?: string | undefined;
  /** A key of the config. */
  readonly key?: string | undefined;
  readonly glob?: string | undefined;
  /** A glob for an existing folder; this log is for the user, and no client gets it. */
  readonly did_you_mean?: string | undefined;
  /** Numbers that add up to what the event did. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

export type LogFields = CommonFields & FurtherFields;

/** Rejects fields that are not listed above, also in variables and spreads. */
type OnlyNamed<F> = F & LogFields & { readonly [name in Exclude<keyof F, keyof LogFields>]: never };

export type Log = <F extends object>(level: LogLevel, event: string, fields?: OnlyNamed<F>) => void;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

const FIRST: readonly (keyof CommonFields)[] = [
  'tool',
  'request_id',
  'error_id',
  'code',
  'category',
  'job_id',
  'provider',
  'attempt',
  'duration_ms',
  'path',
];

type LineOf = (level: LogLevel, event: string, fields: LogFields) => string;

const jsonLine: LineOf = (level, event, fields) => {
  const first = Object.fromEntries(FIRST.map((name) => [name, fields[name]]));
  return visibleJson({ ts: new Date().toISOString(), level, event, ...first, ...fields });
};

/** Writes every event at or above `least`; `write` gets a line with its line end. */
export function createLog(least: LogLevel, write: (line: string) => void, lineOf = jsonLine): Log {
  return (level, event, fields) => {
    if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)) write(`${lineOf(level, event, fields ?? {})}\n`);
  };
}

/** Writes to each of the logs. */
export function joinLogs(...logs: readonly Log[]): Log {
  return (level, event, fields) => {
    for (const log of logs) log(level, event, fields);
  };
}

/** Leaves out one event. */
export function withoutEvent(log: Log, hidden: string): Log {
  return (level, event, fields) => {
    if (event !== hidden) log(level, event, fields);
  };
}
