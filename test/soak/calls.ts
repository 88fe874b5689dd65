// Makes random calls of every tool: mostly valid ones, for notes that exist or existed a moment ago.
import { basename } from 'node:path';
import type { Random } from '../bench/random.ts';
import type { Notes } from './notes.ts';

export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

export interface Requested {
  readonly tool: string;
  readonly given: object;
  /** For a call that creates a note, the mark in its text. */
  readonly mark?: string;
}

export interface Calls {
  next(): Requested;
  /** Records the result of a write. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
  heard(requested: Requested, answer: any): void;
}

/** The folders in which the tools create and delete notes. */
const MADE = 'made';
const KEPT_CHANGES = 50;
/** How often an optional argument is given, and how often an argument is invalid. */
const GIVEN = 0.3;
const NONSENSE = 0.05;

export function createCalls(tools: readonly ListedTool[], notes: Notes, random: Random): Calls {
  const changes: { readonly id: string; readonly mark?: string }[] = [];
  let serial = 0;
  /** First calls each tool once, so that even a slow machine covers all of them. */
  let requested = 0;
  const path = (): string => random.pick(notes.paths());
  const reference = (): string => (random.chance(0.3) ? basename(path(), '.md') : path());
  const words = (): string => `word${random.below(500)} of #topic${random.below(20)} and [[${reference()}]]`;

  const text = (name: string): string => {
    if (random.chance(NONSENSE))
      return random.pick(['', '..', 'Nobody', '"', 'x'.repeat(300), '../out', 'job_00000000']);
    if (/note|from|^to$/.test(name)) return reference();
    if (name === 'where') return random.pick(['count > 50', 'count exists', 'status = open']);
    if (/folder/.test(name)) return random.pick(['outside', 'made', 'outside/1', 'Places']);
    if (/tag|prefix/.test(name)) return `#topic${random.below(20)}`;
    return words();
  };
  const fitting = (name: string, schema: Schema): unknown => {
    if (schema.enum !== undefined) return schema.enum[random.below(schema.enum.length)];
    if (name === 'wait_ms') return random.below(1_000);
    if (schema.type === 'string') return text(name);
    if (schema.type === 'boolean') return random.chance(0.5);
    if (schema.type === 'integer' || schema.type === 'number') return 1 + random.below(20);
    if (schema.type === 'array')
      return Array.from({ length: 1 + random.below(3) }, () => fitting(name, schema.items ?? {}));
    return schema.properties === undefined ? text(name) : fittingAll(schema);
  };
  const fittingAll = ({ properties = {}, required = [] }: Schema): object =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || random.chance(GIVEN))
        .map(([name, schema]) => [name, fitting(name, schema)]),
    );

  const writes: Readonly<Record<string, () => Omit<Requested, 'tool'>>> = {
    create_note: () => {
      serial += 1;
      const { text: content, mark } = notes.marked(words());
      return { given: { path: `${MADE}/${random.below(3)}/New ${serial}.md`, content }, mark };
    },
    edit_note: () => ({ given: { note: path(), edits: [{ op: random.pick(['append', 'prepend']), text: words() }] } }),
    set_properties: () => ({
      given: { note: path(), set: { count: random.below(100) }, add_tags: [`topic${random.below(20)}`] },
    }),
    move_note: () => {
      serial += 1;
      return { given: { note: path(), to: `${MADE}/moved/Moved ${serial}.md`, confirm: true } };
    },
    delete_note: () => ({ given: { note: path(), confirm: random.chance(0.5) } }),
    undo_change: () => {
      const { id, mark } = changes[random.below(changes.length)] ?? { id: 'chg_000000000_000000' };
      // Undoing the creation of a note deletes the note.
      if (mark !== undefined) notes.giveUp(mark);
      return { given: { change_id: id } };
    },
    reindex: () => ({
      given: random.chance(0.1)
        ? { rebuild: true, confirm: true, wait_ms: random.below(2_000) }
        : { wait_ms: random.below(2_000), ...(random.chance(0.4) ? { notes: [path()] } : {}) },
    }),
  };

  return {
    next: () => {
      const { name: tool, inputSchema } = tools[
        requested < tools.length ? requested : random.below(tools.length)
      ] as ListedTool;
      requested += 1;
      return { tool, ...(writes[tool]?.() ?? { given: fittingAll(inputSchema) }) };
    },
    heard: ({ mark }, answer) => {
      const id = answer?.data?.change_id;
      if (id === undefined) return;
      if (mark !== undefined) notes.expect(mark);
      changes.unshift(mark === undefined ? { id } : { id, mark });
      changes.length = Math.min(changes.length, KEPT_CHANGES);
    },
  };
}
