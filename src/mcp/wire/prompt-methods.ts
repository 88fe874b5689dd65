// `prompts/list` and `prompts/get`: lists the prompts and builds one on request.
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { AnyPrompt, FailedAnswer, PromptCall } from '../../contracts/prompt.ts';
import { type ArgumentLimits, argumentIssues, readArguments } from '../dispatch/arguments.ts';
import { failureFields } from '../dispatch/call-journal.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import { openProgress, type ProgressReporter } from '../dispatch/progress.ts';
import { failureOf } from '../render/failure.ts';
import type { PathMask } from '../render/safe-text.ts';
import {
  bugFault,
  type Fault,
  failureLine,
  INVALID_PARAMS,
  type Method,
  type Params,
  type Reply,
  refusedCursor,
  unknownName,
  type WireRequest,
} from './method.ts';

export interface PromptParts {
  /** By name, in the catalog's order. */
  readonly prompts: ReadonlyMap<string, AnyPrompt>;
  /** The names of the tools that are listed. */
  readonly tools: ReadonlySet<string>;
  readonly dispatch: Dispatch;
  /** Milliseconds for a whole prompt. */
  readonly limitMs: number;
  readonly argumentLimits: ArgumentLimits;
  readonly mask: PathMask;
  readonly log: Log;
}

/** The gate: a prompt whose tools are not all listed does not exist. */
export function offeredPrompts(
  catalog: readonly AnyPrompt[],
  tools: ReadonlySet<string>,
): ReadonlyMap<string, AnyPrompt> {
  const offered = catalog.filter(({ needs }) => needs.every((name) => tools.has(name)));
  return new Map(offered.map((prompt) => [prompt.name, prompt]));
}

export function promptMethods(parts: PromptParts): [string, Method][] {
  const list = { prompts: [...parts.prompts.values()].map(listed) };
  return [
    [
      'prompts/list',
      async (params) => {
        const fault = refusedCursor(params);
        return fault === undefined ? { result: list } : { fault };
      },
    ],
    ['prompts/get', (params, request) => getPrompt(parts, params, request)],
  ];
}

function listed({ name, title, description, arguments: promptArguments }: AnyPrompt): object {
  const shown = promptArguments.map(({ name: argument, description: what, required }) => ({
    name: argument,
    description: what,
    required,
  }));
  return { name, title, description, arguments: shown };
}

async function getPrompt(parts: PromptParts, params: Params, request: WireRequest): Promise<Reply> {
  const { name, arguments: args } = params ?? {};
  const prompt = typeof name === 'string' ? parts.prompts.get(name) : undefined;
  if (prompt === undefined) return { fault: unknownPrompt(parts, name) };
  const progress = request.progress && openProgress(prompt.name, request.progress);
  try {
    const input = parsedArguments(prompt, args, parts.argumentLimits);
    const message = await prompt.write(input, promptCall(parts, request, progress));
    if ('refused' in message) return { fault: refusal(prompt, message.refused) };
    const { description } = prompt;
    return { result: { description, messages: [{ role: 'user', content: { type: 'text', text: message.text } }] } };
  } catch (thrown) {
    return { fault: failed(parts, prompt, toVaultgraphError(thrown), request) };
  } finally {
    progress?.close();
  }
}

function unknownPrompt({ prompts }: PromptParts, name: unknown): Fault {
  const available = [...prompts.keys()];
  if (typeof name !== 'string') {
    return { code: INVALID_PARAMS, message: 'prompts/get needs the name of a prompt', data: { available } };
  }
  return unknownName('prompt', name, available);
}

/** A wrong argument is the caller's to fix; anything else thrown here is a bug. */
function failed({ mask, log }: PromptParts, prompt: AnyPrompt, error: VaultgraphError, request: WireRequest): Fault {
  log('error', 'call_failed', { tool: `prompts/get ${prompt.name}`, request_id: request.id, ...failureFields(error) });
  if (error.category !== 'input') return bugFault(error).fault;
  return refusal(prompt, failureOf(error, new Set(), mask).error);
}

function refusal({ name }: AnyPrompt, error: FailedAnswer): Fault {
  const message = error.message.startsWith(`${name}: `) ? error.message.slice(name.length + 2) : error.message;
  return { code: INVALID_PARAMS, message: `${name}: ${failureLine({ ...error, message: message })}`, data: error };
}

/** Drops empty values, which forms send for fields left blank. @throws INVALID_INPUT with every issue, LIMIT_EXCEEDED */
function parsedArguments(prompt: AnyPrompt, written: unknown, limits: ArgumentLimits): unknown {
  const refused = (issues: VaultgraphError<'INVALID_INPUT'>['details']['issues']): VaultgraphError => {
    const accepted = prompt.arguments.map(({ name }) => name);
    return new VaultgraphError('INVALID_INPUT', { tool: prompt.name, issues, accepted });
  };
  const { args, issues } = readArguments(prompt.input, written, true, limits);
  if (issues.length > 0) throw refused(issues);
  const parsed = prompt.input.safeParse(args, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refused(argumentIssues(prompt.input, parsed.error.issues));
}

/** All that one prompt asks shares one limit. */
function promptCall(
  { tools, dispatch, limitMs }: PromptParts,
  { id: requestId, client, signal }: WireRequest,
  progress: ProgressReporter | undefined,
): PromptCall {
  const deadline = performance.now() + limitMs;
  const caller = { requestId, client, signal, ...(progress && { progress: progress.report }) };
  return Object.freeze({
    lists: (tool: string) => tools.has(tool),
    ask: async (tool: string, args: object) => {
      const leftMs = Math.max(1, deadline - performance.now());
      const { text, structured } = await dispatch(tool, args, { ...caller, limitMs: leftMs });
      if (!structured.ok) return { text, error: structured.error };
      const { total } = structured.data;
      return typeof total === 'number' ? { text, total } : { text };
    },
  });
}
