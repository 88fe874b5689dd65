// Creates the error for arguments that are each valid but not in combination.
import { type InputIssue, VaultgraphError } from '../../base/errors.ts';

/** @param accepted the names of the tool's arguments */
export function inputRefusal(tool: string, accepted: readonly string[], ...issues: InputIssue[]): VaultgraphError {
  return new VaultgraphError('INVALID_INPUT', { tool, issues, accepted });
}
