// Checks the parameters of `initialize`, which the SDK would refuse with a dump of its schema.
import { InitializeRequestParamsSchema } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import { argumentIssues } from '../dispatch/arguments.ts';
import { type Fault, INVALID_PARAMS, type Params } from '../wire/method.ts';

const MAX_SHOWN_ISSUES = 3;

export function initializeFault(params: Params = {}): Fault | undefined {
  const parsed = InitializeRequestParamsSchema.safeParse(params, { reportInput: true, jitless: true });
  if (parsed.success) return undefined;
  const issues = argumentIssues(InitializeRequestParamsSchema as unknown as z.ZodType, parsed.error.issues);
  const shown = issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, rule }) => `${path}: ${rule}`);
  return { code: INVALID_PARAMS, message: `initialize: ${shown.join('; ')}` };
}
