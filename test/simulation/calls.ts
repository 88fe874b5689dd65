// Makes random calls of tools for a simulation: mostly of those that write, for notes that exist or existed a moment ago.
import type { Random } from '../bench/random.ts';
import type { Model } from './model.ts';
import type { Age } from './other-programs.ts';

export interface Called {
  readonly tool: string;
  readonly args: object;
  /** The text that it adds. */
  readonly mark?: string;
  /** Texts that it may take away. */
  readonly undoes: readonly string[];
  /** Whether it may also take away what is being written. */
  readonly undoesAll?: true;
}

interface Change {
  readonly id: string;
  readonly marks: readonly string[];
}

export function nextCall(
  random: Random,
  model: Model,
  paths: readonly string[],
  changes: readonly Change[],
  age: Age,
): Called {
  const note = random.pick([...(paths as [string, ...string[]]), 'Note 0.md']);
  const other = `Note ${random.below(12)}`;
  const adding = (tool: string, args: (mark: string) => object): Called => {
    const mark = model.newMark();
    return { tool, args: args(mark), mark, undoes: [] };
  };
  const plain = (tool: string, args: object): Called => ({ tool, args, undoes: [] });
  const edit = (op: string): Called =>
    adding('edit_note', (mark) => ({ note, edits: [{ op, text: `gamma ${mark} [[${other}]]` }] }));
  const undo = (): Called => {
    const change = changes[random.below(changes.length)];
    if (change === undefined) return plain('list_changes', {});
    return { tool: 'undo_change', args: { change_id: change.id, confirm: true }, undoes: change.marks };
  };
  const replaceText = (): Called =>
    plain('edit_note', { note, edits: [{ op: 'replace_text', target: 'alpha', text: 'delta' }], confirm: true });
  const kinds: (() => Called)[] = [
    () => edit('append'),
    () => edit('append'),
    () => edit('prepend'),
    replaceText,
    () =>
      adding('create_note', (mark) => ({
        path: `${random.pick(['', 'Folder/', 'Made/'])}New ${random.below(5)}.md`,
        content: `${mark} [[${other}]]\n`,
      })),
    () => adding('set_properties', (mark) => ({ note, set: [{ property: mark.replace('mark-', 'p'), value: mark }] })),
    () =>
      plain('move_note', {
        note,
        to: `${random.pick(['', 'Folder/', 'Moved/'])}Moved ${random.below(6)}.md`,
        confirm: true,
      }),
    () => plain('move_note', { note: 'Folder/', to: `Place ${random.below(3)}/`, confirm: true }),
    () => plain('merge_notes', { notes: [note], into: other, confirm: true }),
    () => plain('delete_note', { note, confirm: true }),
    undo,
    undo,
    () => plain('replace_in_notes', { find: 'alpha', replace: 'omega', everywhere: true }),
    () => plain('rename_tag', { from: `t${random.below(3)}`, to: `t${random.below(3)}`, confirm: true }),
    () => plain('search_text', { query: 'alpha' }),
    () => plain('read_notes', { notes: [note] }),
    () => plain('reindex', {}),
    () => plain('status', {}),
  ];
  const some = (): string[] => Array.from({ length: 2 + random.below(3) }, () => random.pick(paths as [string]));
  if (age >= 1)
    kinds.push(
      () =>
        adding('edit_note', (mark) => ({
          edits: [...new Set(some())].map((each) => ({ note: each, op: 'append', text: `beta ${mark}` })),
          confirm: true,
        })),
      () => plain('move_note', { note, to: note.toUpperCase().replace(/\.MD$/, '.md'), confirm: true }),
      () => plain('move_note', { notes: [...new Set(some())], to: random.pick(['Folder/', 'Moved/']), confirm: true }),
      () => plain('reindex', { rebuild: true, confirm: true }),
      () => plain('reindex', { notes: [note] }),
      () => ({
        tool: 'undo_change',
        args: { session: true, confirm: true },
        undoes: changes.flatMap(({ marks }) => marks),
        undoesAll: true,
      }),
    );
  const board = `Board ${random.below(3)}.canvas`;
  const replacesInBoard = { op: 'replace_text', target: 'alpha', text: 'delta' };
  if (age >= 3)
    kinds.push(
      () =>
        adding('edit_note', (mark) => ({
          note,
          edits: [{ op: 'append', target: '#Log', create_heading: true, text: `- [ ] ${mark}` }],
        })),
      () =>
        adding('edit_note', (mark) => ({
          note: '@today',
          create: true,
          edits: [{ op: 'append', text: `beta ${mark}` }],
        })),
      () =>
        adding('create_note', (mark) => ({ path: `Made/From ${random.below(4)}.md`, template: note, content: mark })),
      () => plain('edit_note', { note, edits: [{ op: 'set_task', target: 'task', status: 'done' }] }),
      () => plain('edit_note', { note: board, edits: [replacesInBoard], confirm: true }),
      () => plain('move_note', { note: board, to: `Folder/Board ${random.below(3)}.canvas`, confirm: true }),
      () => plain('delete_note', { note: board, confirm: true }),
      () =>
        plain('move_note', {
          note: `Picture ${random.below(3)}.png`,
          to: `Picture ${random.below(3)}.png`,
          confirm: true,
        }),
      () => plain('list_tasks', { status: 'any' }),
      () => plain('query_base', { base: `Base ${random.below(3)}.base` }),
      // The plan is carried out later, when the notes may be others.
      () => adding('edit_note', (mark) => ({ note, edits: [{ op: 'append', text: `gamma ${mark}` }], dry_run: true })),
      () => plain('move_note', { note, to: `Planned/Moved ${random.below(6)}.md`, dry_run: true }),
      undo,
    );
  return (kinds[random.below(kinds.length)] as () => Called)();
}
