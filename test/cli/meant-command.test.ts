// Checks that a wrong name leads to the command or tool that was meant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOL_NAMES } from '../../src/app/exposed-tools.ts';
import { createProgram } from '../../src/cli/command-line.ts';
import { meantCommand, meantTool } from '../../src/cli/meant-command.ts';

const COMMANDS = createProgram().commands.map((each) => each.name());

test('an unknown command means a command, or a tool that is called', () => {
  for (const [word, meant] of [
    ['serch', 'search'],
    ['Search', 'search'],
    ['satus', 'status'],
    ['search_text', 'search'],
    ['read-notes', 'read'],
    ['undo_change', 'undo'],
    ['list_tags', 'call list_tags'],
    ['list-tags', 'call list_tags'],
    ['lst_tags', 'call list_tags'],
    ['tags', 'call list_tags'],
    ['task', 'call list_tasks'],
    ['backlinks', 'call get_neighbors'],
    ['orphans', 'call find_gaps'],
    ['find', 'search'],
    ['grep', 'search'],
    ['open', 'read'],
    ['revert', 'undo'],
    ['graph', 'view'],
    ['sync', 'index'],
    ['frobnicate', undefined],
  ] as const)
    assert.equal(meantCommand(word, COMMANDS), meant, word);
});

test('an unknown tool means one that is listed', () => {
  assert.equal(meantTool('grep', TOOL_NAMES), 'search_text');
  assert.equal(meantTool('serch-text', TOOL_NAMES), 'search_text');
  assert.equal(meantTool('grep', ['status']), undefined);
});
