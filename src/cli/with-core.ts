// Opens the server's core for one command and closes it afterwards, also on failure.
import { keepCrashesIn } from '../app/crash-file.ts';
import { type GraphCore, openGraphCore } from '../app/graph-core.ts';
import { openLogFile } from '../app/log-file.ts';
import { shellWord } from '../base/command-line.ts';
import { createLog, joinLogs, type Log, type LogFields, type LogLevel, withoutEvent } from '../base/log.ts';
import { outcomeOf } from '../base/outcome.ts';
import type { Config } from '../config/config.ts';
import { type CommonOptions, configFor, configsFor } from './common-options.ts';
import { closeAtEarlyEnd } from './end-process.ts';
import { exitCodeOf } from './exit-code.ts';
import { print, printJson, report, screen, styled } from './output.ts';
import { failureJson, failureText } from './perform.ts';

/**
 * @param hidden an event that the command shows itself
 * @returns what `work` returns. @throws CONFIG_INVALID, CONFIG_MISSING, STORE_*, and what `work` throws
 */
export async function withCore<T>(
  options: CommonOptions,
  work: (core: GraphCore) => Promise<T>,
  hidden?: string,
): Promise<T> {
  const config = await configFor(options);
  keepCrashesIn(config.dataFolder);
  const core = await openGraphCore(config, openLog(config, 'warn', options, hidden));
  const forget = closeAtEarlyEnd(core.close);
  try {
    await core.ready;
    return await core.within(() => work(core));
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
 * The file gets the levels of the config, independent of what the command shows on stderr: lines for people on a terminal, else JSON.
 * @throws CONFIG_INVALID if the file cannot be opened
 */
export function openLog(
  { log, outputs }: Pick<Config, 'log' | 'outputs'>,
  shown: LogLevel,
  { json }: Pick<CommonOptions, 'json'>,
  hidden?: string,
): Log {
  const isRead = process.stderr.isTTY && json !== true;
  const all = createLog(shown, writeToStderr, isRead ? logLine : undefined);
  const toStderr = hidden === undefined ? all : withoutEvent(all, hidden);
  if (outputs.log === undefined) return toStderr;
  const onFault = (code: string): void => toStderr('error', 'log_file_failed', { code });
  const { write } = openLogFile(outputs.log, onFault);
  return joinLogs(toStderr, createLog(log.level, write));
}

/** What programs need; people read the rest. */
const FOR_PROGRAMS: readonly (keyof LogFields)[] = [
  'request_id',
  'category',
  'job_id',
  'cause',
  'frames',
  'session',
  'token',
];

const COLOURS = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red' } as const;

/** `10:33:19 error call failed: tool=read_notes code=BATCH_FAILED`. */
function logLine(level: LogLevel, event: string, { counts = {}, error_id, ...fields }: LogFields): string {
  const time = new Date().toLocaleTimeString('sv');
  const named = Object.entries({ ...fields, ...counts, error_id }).filter(
    ([name, value]) => value !== undefined && value !== 0 && !FOR_PROGRAMS.includes(name as keyof LogFields),
  );
  const facts = named.map(([name, value]) => `${name}=${shellWord(String(value))}`).join(' ');
  const head = `${time} ${styled(COLOURS[level], level.padEnd(LEVEL_WIDTH), 'stderr')} ${event.replaceAll('_', ' ')}`;
  return facts === '' ? head : `${head}: ${facts}`;
}

const LEVEL_WIDTH = 5;

/** What a command did in one vault. */
export interface Done {
  readonly exit: number;
  readonly json: object;
  readonly text: string;
}

/** The names of several vaults; undefined if the command is about one. @throws CONFIG_INVALID, CONFIG_MISSING */
export async function severalNames(options: CommonOptions): Promise<readonly string[] | undefined> {
  const configs = await configsFor(options);
  return 'one' in configs ? undefined : configs.several.map(({ name }) => name);
}

/** Prints what `run` did in the vault; in each of several, under its name. @returns the highest exit code */
export async function inEachVault<O extends CommonOptions>(
  options: O,
  run: (options: O) => Promise<Done>,
): Promise<number> {
  const names = await severalNames(options);
  if (names === undefined) return printed(await run(options), options);
  const all: Done[] = [];
  for (const name of names) {
    const done = await doneIn(run({ ...options, vault: name }));
    all.push({ ...done, json: { vault: name, ...done.json }, text: `${name}\n${indented(done.text)}` });
  }
  const exit = Math.max(...all.map((done) => done.exit));
  const text = all.map((done) => done.text).join('\n');
  return printed({ exit, text, json: { vaults: all.map(({ json }) => json) } }, options);
}

function printed({ exit, json, text }: Done, options: CommonOptions): number {
  if (options.json) printJson(json);
  else print(text);
  return exit;
}

async function doneIn(run: Promise<Done>): Promise<Done> {
  const outcome = await outcomeOf(run);
  if ('value' in outcome) return outcome.value;
  const { error } = outcome;
  return { exit: exitCodeOf(error), json: failureJson(error), text: failureText(error) };
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
