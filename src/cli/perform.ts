// Runs a command and turns what it throws into words on stderr and an exit code. Knows no command.
import { toVaultgraphError, type VaultgraphError } from '../base/errors.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';

/** For commands that print: a reader that has seen enough, such as `head`, is no failure. */
export function endWithReader(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(EXIT.done);
    throw fault;
  });
}

/** Runs `work`; its number becomes the exit code. A failure is told on stderr, with `--json` also as JSON on stdout. */
export async function perform(options: { readonly json?: boolean }, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    process.stderr.write(failureText(error));
    if (options.json) process.stdout.write(`${JSON.stringify(failureJson(error))}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

function failureText(error: VaultgraphError): string {
  const faults = error.code === 'CONFIG_INVALID' ? error.message : `Error [${error.code}]: ${error.message}`;
  const cause = error.code === 'INTERNAL' && error.cause instanceof Error ? `${error.cause.stack}\n` : '';
  return `${faults}\nHint: ${error.hint}\n${cause}`;
}

function failureJson(error: VaultgraphError): object {
  const { code, category, message, hint, retryable, errorId, details } = error;
  return { ok: false, error: { code, category, message, hint, retryable, error_id: errorId, details } };
}
