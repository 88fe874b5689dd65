// From arguments as they came to the input a tool takes, or a refusal that says how to mend them.
import { VaultgraphError } from '../../base/errors.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { argumentIssues } from './argument-issues.ts';
import { type ArgumentLimits, checkShape } from './argument-shape.ts';
import { argumentNamesOf } from './input-schema.ts';
import { inputOf } from './tool-input.ts';

/**
 * The parsed input; absent arguments are no arguments. Nothing is stripped: an unknown key is an issue of its own.
 * @throws INVALID_INPUT with every issue at once, LIMIT_EXCEEDED for arguments too deep, too many or too long
 */
export function parseArguments(tool: AnyTool, given: unknown, limits: ArgumentLimits): unknown {
  const value = given === undefined ? {} : given;
  const faults = checkShape(value, limits);
  if (faults.length > 0) throw refusal(tool, faults);
  const schema = inputOf(tool);
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusal(tool, argumentIssues(schema, parsed.error.issues));
}

function refusal(tool: AnyTool, issues: ReturnType<typeof argumentIssues>): VaultgraphError {
  return new VaultgraphError('INVALID_INPUT', { tool: tool.name, issues, accepted: argumentNamesOf(tool) });
}
