// Small tools that do one odd thing each, for the tests of what carries calls. They are given out as a catalog.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { withLimit } from '../../src/base/async/limits.ts';
import { runBatch } from '../../src/base/batch.ts';
import { VaultgraphError } from '../../src/base/errors.ts';
import { type AnyTool, defineTool, listedAs } from '../../src/contracts/tool.ts';
import { interactiveCalls } from '../../src/tools/search/provider-call.ts';

const nothing = z.strictObject({});
const common = { effect: 'reads', needs: [], index: 'none', fails: [] } as const;

export const echo = defineTool({
  ...common,
  name: 'echo',
  title: 'A test',
  summary: 'Gives back what it was given.',
  input: z.strictObject({
    text: z.string().min(1).max(50),
    limit: z.int().min(1).max(100).default(10),
    sort: z.enum(['name', 'modified']).optional(),
    tags: z.array(z.string()).max(2).optional(),
    where: z
      .record(z.string(), z.union([z.string(), z.number(), z.strictObject({ above: z.number() })]))
      .optional()
      .describe('pairs')
      .meta(listedAs(z.array(z.string()))),
    page: z.strictObject({ size: z.int().optional() }).optional(),
  }),
  run: async (input) => input,
});

/** Says that it writes, and that it wrote, and never ends; `diff` is what changed meanwhile. */
export const slowWrite = defineTool({
  ...common,
  name: 'slow_write',
  title: 'A test',
  summary: 'Writes.',
  effect: 'writes',
  fails: ['WRITE_CONFLICT'],
  input: z.strictObject({ until: z.enum(['none', 'partial', 'all']), diff: z.string().optional() }),
  run: async ({ until, diff }, _granted, call) => {
    if (diff !== undefined) throw new VaultgraphError('WRITE_CONFLICT', { path: 'a.md', if_match: 'x', diff });
    if (until !== 'none') call.commits('partial');
    if (until === 'all') call.commits('all');
    await sleep(10_000, undefined, { signal: call.signal, ref: false });
    return { client: call.client };
  },
});

/** Ends on demand, or after `ms`. */
const wait = defineTool({
  ...common,
  name: 'wait',
  title: 'A test',
  summary: 'Waits.',
  input: z.strictObject({ ms: z.int(), deaf: z.boolean().default(false), steps: z.int().default(0) }),
  run: async ({ ms, deaf, steps }, _granted, call) => {
    for (let step = 0; step < Math.max(1, steps); step += 1) {
      call.progress(step, steps, `step ${step}`);
      await sleep(ms / Math.max(1, steps), undefined, deaf ? {} : { signal: call.signal });
    }
    return { waited: ms };
  },
});

const throwAnything = defineTool({
  ...common,
  name: 'throw_anything',
  title: 'A test',
  summary: 'Fails in a way that no tool should.',
  input: z.strictObject({ kind: z.enum(['text', 'nothing', 'type', 'errno', 'reject_late', 'shape', 'nan', 'class']) }),
  run: async ({ kind }): Promise<object> => {
    if (kind === 'text') throw 'a text /home/ann/secret';
    if (kind === 'nothing') throw undefined;
    if (kind === 'type') return (undefined as unknown as { a: { b: object } }).a.b;
    if (kind === 'errno') throw Object.assign(new Error("ENOENT, open '/home/ann/secret.md'"), { code: 'ENOENT' });
    if (kind === 'reject_late') {
      void sleep(5).then(() => process.emitWarning('late'));
      return { said: 'before' };
    }
    if (kind === 'shape') return 'no object' as unknown as object;
    if (kind === 'nan') return { score: Number.NaN };
    return new Map([['a', 1]]);
  },
});

/** Throws the failure it is given as JSON. */
const fail = defineTool({
  ...common,
  name: 'fail',
  title: 'A test',
  summary: 'Fails as requested.',
  fails: ['NOTE_NOT_FOUND', 'NOTE_AMBIGUOUS', 'FILE_UNREADABLE', 'VAULT_NOT_FOUND'],
  input: z.strictObject({
    code: z.enum(['NOTE_NOT_FOUND', 'NOTE_AMBIGUOUS', 'FILE_UNREADABLE', 'VAULT_NOT_FOUND']),
    ref: z.string(),
  }),
  run: async ({ code, ref }): Promise<object> => {
    if (code === 'NOTE_NOT_FOUND') throw notFound(ref);
    if (code === 'FILE_UNREADABLE') throw new VaultgraphError(code, { path: ref, errno: 'EACCES' });
    if (code === 'VAULT_NOT_FOUND') throw new VaultgraphError(code, { path: ref });
    throw ambiguous(ref, 12);
  },
});

/** Names that begin with `!` are missing, with `?` ambiguous, with `#` a bug, with `~` busy; `slow` takes its time. */
const readMany = defineTool({
  ...common,
  name: 'read_many',
  title: 'A test',
  summary: 'Reads several.',
  fails: ['NOTE_NOT_FOUND', 'NOTE_AMBIGUOUS', 'STORE_BUSY'],
  input: z.strictObject({ names: z.array(z.string()).min(1) }),
  run: ({ names }, _granted, call) =>
    runBatch(names, call.signal, async (name) => {
      if (name.startsWith('!')) throw notFound(name);
      if (name.startsWith('?')) throw ambiguous(name, 2);
      if (name.startsWith('#')) throw new TypeError('a bug about my diary');
      if (name.startsWith('~')) throw new VaultgraphError('STORE_BUSY', { op: 'read', waited_ms: 2_000 });
      if (name.startsWith('slow')) await sleep(60);
      return { path: `${name}.md`, size: name.length };
    }),
});

export const print = defineTool({
  ...common,
  name: 'print',
  title: 'A test',
  summary: 'Prints to stdout, which is not allowed.',
  input: nothing,
  run: async () => {
    // biome-ignore lint/suspicious/noConsole: printing is what this tool is for.
    console.log('a line');
    process.stdout.write('no line end');
    return { printed: true };
  },
});

const long = defineTool({
  ...common,
  name: 'long',
  title: 'A test',
  summary: 'Answers at length.',
  input: z.strictObject({ characters: z.int() }),
  run: async ({ characters }) => ({ text: 'x'.repeat(characters) }),
});

/** What it was granted, and what the call looks like from inside. */
const lookAround = defineTool({
  ...common,
  name: 'look_around',
  title: 'A test',
  summary: 'Tells what it was given.',
  needs: ['store'],
  index: 'part',
  input: nothing,
  run: async (_input, granted, call) => {
    call.warn({ code: 'TRUNCATED', message: 'two were cut', count: 2 });
    return { granted: Object.keys(granted), msLeft: call.msLeft() > 0 };
  },
});

export const needsAll = defineTool({
  ...common,
  name: 'needs_all',
  title: 'A test',
  summary: 'Needs the whole index.',
  needs: ['store'],
  index: 'whole',
  input: nothing,
  run: async () => ({ done: true }),
});

/** Tells what it is given as JSON of how its answer came about. */
const tellNotes = defineTool({
  ...common,
  name: 'tell_notes',
  title: 'A test',
  summary: 'Tells of itself.',
  needs: ['store'],
  index: 'part',
  input: z.strictObject({ reported: z.array(z.string()) }),
  run: async ({ reported }, _granted, call) => {
    for (const notes of reported) call.annotate(JSON.parse(notes));
    return { done: true };
  },
});

/** Waits for a provider that never answers, as long as the call has time for it. */
const askHanging = defineTool({
  ...common,
  name: 'ask_hanging',
  title: 'A test',
  summary: 'Waits for a provider.',
  fails: ['PROVIDER_TIMEOUT'],
  input: nothing,
  run: async (_input, _granted, call): Promise<object> => {
    const { msLeft } = interactiveCalls(call)();
    const timeout_ms = Math.round(msLeft());
    const lapse = (elapsed_ms: number): VaultgraphError =>
      new VaultgraphError('PROVIDER_TIMEOUT', {
        ...{ capability: 'embedding', provider: 'fake', model: 'none', attempts: 1, elapsed_ms, level: 'call' },
        ...{ phase: 'headers', timeout_ms, clipped: true, cold_start: false },
      });
    return withLimit(msLeft(), lapse, call.signal, (stop) => sleep(60_000, {}, { signal: stop }));
  },
});

export const embed = defineTool({
  ...common,
  name: 'search',
  title: 'A test',
  summary: 'Needs an embedding.',
  needs: ['store', 'embedding'],
  instead: ['echo', 'not_listed'],
  input: nothing,
  run: async () => ({ done: true }),
});

export const write = defineTool({
  ...common,
  name: 'edit_note',
  title: 'A test',
  summary: 'Writes.',
  effect: 'writes',
  needs: ['writer'],
  input: nothing,
  run: async () => ({}),
});
const destroy = defineTool({
  ...common,
  name: 'delete_note',
  title: 'A test',
  summary: 'Deletes.',
  effect: 'destroys',
  needs: ['writer'],
  input: nothing,
  run: async () => ({}),
});

export const testCatalog: readonly AnyTool[] = [
  echo,
  wait,
  throwAnything,
  fail,
  readMany,
  print,
  long,
  lookAround,
  needsAll,
  tellNotes,
  askHanging,
  embed,
  write,
  destroy,
];

function notFound(ref: string): VaultgraphError {
  return new VaultgraphError('NOTE_NOT_FOUND', { ref, suggestions: ['Tides.md'], unresolved_link: false });
}

function ambiguous(ref: string, count: number): VaultgraphError {
  const items = Array.from({ length: count }, (_, index) => ({
    value: `Folder ${index}/${ref.slice(0, 20)}.md`,
    line: index + 1,
    label: `of ${index}`,
  }));
  return new VaultgraphError(
    'NOTE_AMBIGUOUS',
    { ref, ref_kind: 'name' },
    { choices: { items, total: count, retryWith: 'note' } },
  );
}
