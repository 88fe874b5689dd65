// Runs a command and turns what it throws into a message on stderr and an exit code.

import { commandLine } from '../base/command-line.ts';
import { type Choice, toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import { oneLine } from '../base/visible-controls.ts';
import { endsEarly, killIfStuck } from './end-process.ts';
import { exitCodeOf } from './exit-code.ts';
import { printJson, report, styled } from './output.ts';

/** A command may take a while to end; only one that hangs is killed. */
const MAX_WAIT_MS = 3_000;

/** Runs `work`; its result becomes the exit code. A failure is printed to stderr, with `--json` also to stdout. */
export async function perform(options: { readonly json?: boolean }, work: () => Promise<number>): Promise<void> {
  try {
    const code = await work();
    if (!endsEarly()) process.exitCode = code;
  } catch (thrown) {
    if (!endsEarly()) reportFailure(toVaultgraphError(thrown), options.json ?? false);
  }
  if (!endsEarly()) await killIfStuck(MAX_WAIT_MS);
}

/** Prints the failure to stderr, with `json` also to stdout, and sets the exit code. */
export function reportFailure(error: VaultgraphError, json: boolean): void {
  report(failureText(error));
  if (json) printJson(failureJson(error));
  process.exitCode = exitCodeOf(error);
}

export function failureText(error: VaultgraphError): string {
  if (error.code === 'CANCELLED') return 'Interrupted.\n';
  const { code, message, choices } = error;
  const cause = code === 'INTERNAL' && error.cause instanceof Error ? `${error.cause.stack ?? ''}\n` : '';
  return `${failureLines({ code, message, hint: error.hint, choices: choices?.items })}${cause}`;
}

interface Failed extends Pick<VaultgraphError, 'code' | 'message' | 'hint'> {
  readonly choices?: readonly Choice[] | undefined;
}

/** Code and message, hint, and a line for each choice. */
export function failureLines({ code, message, hint, choices = [] }: Failed): string {
  const head = styled(['red', 'bold'], `Error [${code}]:`, 'stderr');
  // Each fault of a config is a line.
  const faults = code === 'CONFIG_INVALID' ? message : `${head} ${oneLine(message)}`;
  const listed = choices.map(({ value }) => `  - ${oneLine(value)}\n`).join('');
  return `${faults}\n${styled('bold', 'Hint:', 'stderr')} ${oneLine(hintForUser(hint))}\n${listed}`;
}

/** Hints are written for an assistant; on the command line the user reads them. */
export function hintForUser(hint: string): string {
  return hint
    .replaceAll(/\b(?:Ask the user to|The user can) (\w)/g, (_, letter: string) => letter.toUpperCase())
    .replaceAll('ask the user to ', '')
    .replaceAll('ask the user for ', 'look for ')
    .replaceAll(' and a restart', '')
    .replaceAll('call reindex with confirm: true', `run \`${commandLine('index --confirm')}\``)
    .replaceAll(', or to ', ', or ')
    .replaceAll(' and to ', ' and ');
}

/** The JSON that `--json` prints. */
export function failureJson(error: VaultgraphError): object {
  const { code, category, message, retryable, errorId, details, choices } = error;
  const hint = hintForUser(error.hint);
  const offered = choices === undefined ? {} : { choices: choices.items, total_matches: choices.total };
  const fields = { code, category, message, hint, retryable, error_id: errorId, details, ...offered };
  return { ok: false as const, error: fields };
}
