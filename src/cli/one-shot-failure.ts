// Adapts the failure of a one-shot `call`: the jobs that it names end with the command, so it says which command runs them to their end.
import { commandLine } from '../base/command-line.ts';
import { VaultgraphError } from '../base/errors.ts';
import type { Failure } from '../mcp/render/failure.ts';
import { hintForUser } from './perform.ts';

type FailureError = Failure['error'];

const indexCommand = (): string => `\`${commandLine('index')}\``;

const ADVICE: Readonly<Partial<Record<FailureError['code'], () => string>>> = {
  EMBEDDER_MISMATCH: () =>
    `Run ${indexCommand()} to make vectors with the model in the config, or configure the old model again. search_text works meanwhile.`,
  INDEX_BUILDING: () => `Run ${indexCommand()} and wait until it ends, then try again.`,
  INDEX_EMPTY: () => `Run ${indexCommand()} to build it.`,
  PROVIDER_MODEL_PULLING: () => `The download ends with this command: run ${indexCommand()}, which waits for it.`,
};

export function oneShotFailure({ ok, error }: Failure): Failure {
  const advice = ADVICE[error.code];
  if (advice === undefined) return { ok, error: { ...error, hint: hintForUser(error.hint) } };
  const { details: all, actions = [], ...rest } = error;
  const { job_id: _job, done: _done, total: _total, ...details } = all;
  // Without a job in its details, its message does not say that vectors are being made.
  const isMismatch = error.code === 'EMBEDDER_MISMATCH';
  const message = isMismatch ? new VaultgraphError('EMBEDDER_MISMATCH', details as never).message : error.message;
  const others = actions.filter((action) => action.kind !== 'tool_call' || action.tool !== 'reindex');
  const more = others.length === 0 ? {} : { actions: others };
  return { ok, error: { ...rest, message, hint: advice(), ...more, details } };
}
