// Prints the answer of a tool for people, and why a call failed in the words of the command line; with `--json` as JSON.

import { TOOL_NAMES } from '../../app/exposed-tools.ts';
import { commandLine } from '../../base/command-line.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { oneLine } from '../../base/visible-controls.ts';
import type { Failure } from '../../mcp/render/failure.ts';
import type { PlainObject } from '../../mcp/render/render-text.ts';
import type { Answer } from '../../mcp/render/result.ts';
import { exitCodeOfAnswer, type ToolCall } from '../call-command.ts';
import type { CommonOptions } from '../common-options.ts';
import { commandOf } from '../meant-command.ts';
import { printJson, report, styled } from '../output.ts';
import { failureLines, hintForUser } from '../perform.ts';
import { usageError } from '../usage.ts';

export interface Manner {
  readonly command: string;
  /** What the user writes for an argument of the tool. */
  readonly written: Readonly<Record<string, string>>;
  /** Hints that differ from those for assistants. */
  readonly hints?: Readonly<Partial<Record<ErrorCode, () => string>>>;
  /** Prints the data of an answer for people. */
  print(data: PlainObject): void | Promise<void>;
}

/** The way in which a command shows the answer of its tool. */
export function shownBy(manner: Manner, options: CommonOptions): Pick<ToolCall, 'command' | 'show' | 'showsFailure'> {
  return {
    command: manner.command,
    showsFailure: true,
    show: async (answer, tool) => {
      const shown = answer.ok ? answer : failureFor(answer, tool, manner);
      if (options.json) printJson(shown);
      if (!shown.ok) reportFailureOf(shown.error, tool, manner);
      else if (!options.json) await printFor(shown, tool, manner);
      return exitCodeOfAnswer(shown);
    },
  };
}

async function printFor(
  answer: Extract<Answer['structured'], { ok: true }>,
  tool: string,
  manner: Manner,
): Promise<void> {
  await manner.print(answer.data);
  for (const { message } of answer.warnings ?? [])
    report(`${styled('yellow', 'Warning:', 'stderr')} ${oneLine(message)}\n`);
  reportItems(answer.data, tool, manner);
}

type ItemError = Pick<Failure['error'], 'code' | 'message' | 'hint' | 'choices'>;

interface FailedItem {
  readonly id: string;
  readonly error: ItemError;
}

/** Each failed item of a batch with its own reason. @returns how many there are */
function reportItems({ failed = [] }: PlainObject, tool: string, manner: Manner): number {
  const items = failed as unknown as readonly FailedItem[];
  for (const { id, error } of items) {
    const message = error.message.includes(id) ? error.message : `${id}: ${error.message}`;
    report(failureLines({ ...error, message, hint: hintFor(error, tool, manner) }));
  }
  return items.length;
}

function reportFailureOf(error: Failure['error'], tool: string, manner: Manner): void {
  if (error.code !== 'BATCH_FAILED' || reportItems(error.details, tool, manner) === 0) report(failureLines(error));
}

/** @throws INVALID_INPUT in the words of the command line */
function failureFor({ ok, error }: Failure, tool: string, manner: Manner): Failure {
  const { command, written } = manner;
  if (error.code === 'INVALID_INPUT') {
    const { issues = [] } = error.details as {
      readonly issues?: readonly { readonly path: string; readonly rule: string }[];
    };
    const rule = issues
      .map(({ path, rule }) => (path === '' ? rule : `${writtenFor(path, written)}: ${rule}`))
      .join('; ');
    throw usageError({ command, rule, accepted: Object.values(written) });
  }
  const message = error.message.replace(new RegExp(`^${tool}\\b`), `\`${command}\``);
  return { ok, error: { ...error, message, hint: hintFor(error, tool, manner) } };
}

function writtenFor(path: string, written: Manner['written']): string {
  const [name = ''] = path.split('.');
  return written[name] ?? name;
}

function hintFor({ code, hint }: ItemError, tool: string, { hints = {} }: Manner): string {
  return hints[code]?.() ?? hintWithCommands(hint, tool);
}

const TOOLS = new RegExp(
  `(?:\\b([Cc])all )?\`?\\b(${TOOL_NAMES.filter((name) => /_|reindex/.test(name)).join('|')})\\b\`?`,
  'g',
);

/** The hint with a command in the place of each tool. @param failed the tool that was called */
function hintWithCommands(hint: string, failed: string): string {
  return hintForUser(hint).replaceAll(TOOLS, (_, call: string | undefined, tool: string) => {
    const verb = call === undefined ? '' : call === 'C' ? 'Run ' : 'run ';
    return `${verb}\`${commandLine(commandOf(tool) === commandOf(failed) ? `call ${tool}` : commandOf(tool))}\``;
  });
}

/** A note, or lines of it as `read` takes them: `Note.md:10-20`, `Note.md:10`. */
export const placeText = (path: string, lines: readonly [number, number] | undefined): string =>
  oneLine(lines === undefined ? path : `${path}:${[...new Set(lines)].join('-')}`);
