// A call of each tool that writes, on a small vault: a tool of the catalogue without one fails the test.
import assert from 'node:assert/strict';
import type { AnyTool } from '../../src/contracts/tool.ts';
import { toolCatalog } from '../../src/tools/catalog.ts';
import { createNote } from '../../src/tools/write/create_note.ts';
import { moveNote } from '../../src/tools/write/move_note.ts';
import { replaceInNotes } from '../../src/tools/write/replace_in_notes.ts';
import type { ToolsUnderTest } from '../tools/tools-under-test.ts';

export const FILES: Readonly<Record<string, string>> = {
  'Harbour.md': '# Harbour\n\nThe old quay. #sea\n',
  'Hub.md': '---\nkind: hub\n---\nSee [[Harbour]], [[Ship|the ship]].\r\n',
  'Fleet/Ship.md': '# Ship\n\nSails from [[Harbour]]. #sea\n',
  'Fleet/Deep/Wreck.md': 'Lies near the quay, see [[Ship]].\n',
  '.trash/Harbour.md': 'An older note of that name.\n',
};

export interface Faulted {
  readonly title: string;
  readonly tool: AnyTool;
  readonly input: object;
  /** Comes before the call, and may change the vault. @returns more arguments */
  readonly prepare?: (under: ToolsUnderTest) => Promise<object>;
}

async function created({ ask }: ToolsUnderTest): Promise<object> {
  const { change_id } = await ask(createNote, { path: 'Log/Today.md', content: 'Fog.\n' });
  return { change_id };
}

async function moved({ ask }: ToolsUnderTest): Promise<object> {
  const { change_id } = await ask(moveNote, { note: 'Harbour.md', to: 'Places/Harbour.md', confirm: true });
  return { change_id };
}

async function planned({ ask }: ToolsUnderTest): Promise<object> {
  const { plan_id } = await ask(replaceInNotes, { find: 'quay', replace: 'pier', everywhere: true });
  return { plan_id };
}

const CALLS: Readonly<Record<string, readonly Omit<Faulted, 'tool' | 'title'>[]>> = {
  create_note: [{ input: { path: 'Log/New/Today.md', content: 'Fog.\n' } }],
  edit_note: [{ input: { note: 'Harbour.md', edits: [{ op: 'append', text: 'Rain.\n' }] } }],
  set_properties: [{ input: { note: 'Hub.md', set: [{ property: 'kind', value: 'port' }] } }],
  move_note: [
    { input: { note: 'Harbour.md', to: 'Places/Harbour.md', confirm: true } },
    { input: { note: 'Fleet/', to: 'Archive/', confirm: true } },
  ],
  merge_notes: [{ input: { notes: ['Harbour.md'], into: 'Fleet/Ship.md', confirm: true } }],
  rename_tag: [{ input: { from: 'sea', to: 'water', confirm: true } }],
  replace_in_notes: [{ prepare: planned, input: {} }],
  delete_note: [{ input: { note: 'Fleet/Deep/Wreck.md', confirm: true } }],
  undo_change: [
    { prepare: created, input: { confirm: true } },
    { prepare: moved, input: { confirm: true } },
  ],
};

export function faultedTools(): readonly Faulted[] {
  const writing = toolCatalog.filter(({ needs }) => needs.some((need) => need === 'writer'));
  assert.deepEqual(writing.map(({ name }) => name).sort(), Object.keys(CALLS).sort());
  return writing.flatMap((tool) =>
    (CALLS[tool.name] ?? []).map((call, at) => ({ title: `${tool.name} ${at + 1}`, tool, ...call })),
  );
}
