// `vaultgraph undo`: undoes one change, or all since a time, with the tool undo_change. A command is a session of its own.
import { runCall } from '../call-command.ts';
import type { CommonOptions } from '../common-options.ts';
import { usageError } from '../usage.ts';

export interface UndoOptions extends CommonOptions {
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly confirm?: boolean;
}

export async function runUndo(change: string | undefined, options: UndoOptions): Promise<number> {
  const { since, dryRun, confirm } = options;
  if ((change === undefined) === (since === undefined))
    throw usageError({
      command: 'undo',
      rule: 'name one change, or a time with --since; `vaultgraph changes` lists them',
      accepted: ['CHANGE', '--since', '--dry-run', '--confirm'],
    });
  const what = change === undefined ? { since } : { change_id: change };
  const how = { ...(dryRun && { dry_run: true }), ...(confirm && { confirm: true }) };
  return runCall('undo_change', JSON.stringify({ ...what, ...how }), options);
}
