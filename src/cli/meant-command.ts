// Finds the command or tool that a wrong name means: by its spelling, by a part of a tool's name, or by another word for it.

import { TOOL_NAMES, TOOL_WORDS } from '../app/exposed-tools.ts';
import { nearestName } from '../base/nearest.ts';

const OWN_COMMANDS: Readonly<Record<string, string>> = {
  search: 'search',
  search_text: 'search',
  read_notes: 'read',
  undo_change: 'undo',
  status: 'status',
  reindex: 'index',
};

/** Other words for commands; the tools have theirs. */
const WORDS: Readonly<Record<string, string>> = {
  search: 'find query lookup grep rg',
  read: 'open show cat less more get note print',
  undo: 'revert restore rollback redo',
  changes: 'log history journal',
  index: 'sync update refresh scan rebuild',
  serve: 'start run server mcp http',
  status: 'info state',
  doctor: 'check diagnose verify health fix',
  config: 'settings options preferences',
  view: 'graph map page browse ui web',
  install: 'connect register client',
  init: 'setup configure create-config',
  models: 'embedding embeddings download',
  tokens: 'auth login',
  call: 'tool tools',
};

/** How a tool is called from the command line: `search`, or `call list_tags`. */
export const commandOf = (tool: string): string => OWN_COMMANDS[tool] ?? `call ${tool}`;

/** Names of tools are written with - as well. */
const asName = (word: string): string => word.toLowerCase().replaceAll('-', '_');

/** Such as `search`, `call list_tags` or undefined. @param commands the names of all commands */
export function meantCommand(word: string, commands: readonly string[]): string | undefined {
  const tool = asName(word);
  if (TOOL_NAMES.includes(tool)) return commandOf(tool);
  const named = commands.find((name) => WORDS[name]?.split(' ').includes(word.toLowerCase()));
  const near = named ?? nearestName(word, commands);
  if (near !== undefined) return near;
  const meant = meantTool(word, TOOL_NAMES);
  return meant === undefined ? undefined : commandOf(meant);
}

/** One of `tools`, or undefined. */
export function meantTool(word: string, tools: readonly string[]): string | undefined {
  const name = asName(word);
  const hasWord = (text: string): boolean =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}-]+/u)
      .includes(name);
  return (
    nearestName(name, tools) ??
    tools.find((tool) => tool.split('_').some((part) => part === name || part === `${name}s`)) ??
    tools.find((tool) => hasWord(TOOL_WORDS.get(tool) ?? ''))
  );
}
