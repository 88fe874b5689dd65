// Runs a command and turns what it throws into words on stderr and an exit code.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import { endsEarly } from './early-end.ts';
import { exitCodeOf } from './exit-code.ts';
import { endIfHeld } from './hard-exit.ts';

/** Nobody kills a command that takes its time to end, so only what never ends is ended by force. */
const MAX_WAIT_MS = 3_000;

/** Runs `work`; its number becomes the exit code. A failure is told on stderr, with `--json` also as JSON on stdout. */
export async function perform(options: { readonly json?: boolean }, work: () => Promise<number>): Promise<void> {
  try {
    const code = await work();
    if (!endsEarly()) process.exitCode = code;
  } catch (thrown) {
    if (!endsEarly()) tellFailure(toVaultgraphError(thrown), options.json ?? false);
  }
  if (!endsEarly()) await endIfHeld(MAX_WAIT_MS);
}

/** On stderr, with `json` also on stdout; its exit code becomes the one of the process. */
export function tellFailure(error: VaultgraphError, json: boolean): void {
  process.stderr.write(failureText(error));
  if (json) process.stdout.write(`${JSON.stringify(failureJson(error))}\n`);
  process.exitCode = exitCodeOf(error);
}

function failureText(error: VaultgraphError): string {
  const faults = error.code === 'CONFIG_INVALID' ? error.message : `Error [${error.code}]: ${error.message}`;
  const cause = error.code === 'INTERNAL' && error.cause instanceof Error ? `${error.cause.stack}\n` : '';
  const choices = error.choices?.items.map(({ value }) => `  - ${value}\n`).join('') ?? '';
  return `${faults}\nHint: ${error.hint}\n${choices}${cause}`;
}

/** As `--json` prints it. */
export function failureJson(error: VaultgraphError): object {
  const { code, category, message, hint, retryable, errorId, details, choices } = error;
  const offered = choices === undefined ? {} : { choices: choices.items, total_matches: choices.total };
  const told = { code, category, message, hint, retryable, error_id: errorId, details, ...offered };
  return { ok: false as const, error: told };
}
