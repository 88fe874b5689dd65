// Tool: the rows of a view of an Obsidian base.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { visibleControls } from '../../base/visible-controls.ts';
import type { BaseWorld } from '../../bases/evaluate.ts';
import { markdownCell, type PlainCell } from '../../bases/values/plain.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { BASE_FAILURES, type RequestedBase, requestedBase } from './requested-base.ts';
import { vaultFiles } from './vault-files.ts';
import { type AnsweredRow, type AnsweredSummary, evaluateView } from './view-answer.ts';

const input = z.strictObject({
  base: z.string().describe('path or name'),
  /** The first by default. */
  view: z.string().optional().describe('its name; default the first'),
  /** The base itself by default. */
  note: z.string().optional().describe('what `this` means; default the base'),
  ...pageShape,
});
const paging = createPaging('query_base', input.shape);
type BaseQuery = z.infer<typeof input>;

/** Views of other types, such as maps, are answered as a table. */
const SHOWN_TYPES: readonly string[] = ['table', 'cards', 'list'];

export const queryBase = defineTool({
  name: 'query_base',
  title: 'Query a base',
  summary: 'Evaluates a view of an Obsidian base (.base file). Returns columns, rows, groups, summaries and the total.',
  others: { list_notes: 'other filters' },
  words: 'table view, database',
  long: true,
  effect: 'reads',
  references: ['base', 'note'],
  needs: ['store', 'vault'],
  index: 'part',
  fails: BASE_FAILURES,
  input,
  show: showView,
  run: async (args: BaseQuery, granted, call) => {
    const page = paging.pageOf(args);
    const requested = await requestedBase(args, Object.keys(input.shape), granted, call);
    const { path, plan, views } = requested;
    const world = await worldOf(args, requested, granted, call);
    const { rows, total, ...answer } = await evaluateView(plan, world, page, call);
    const { name, type } = plan.view;
    return {
      base: path,
      view: name,
      type,
      ...(SHOWN_TYPES.includes(type) ? {} : { shown_as: 'table' }),
      ...(views.length > 1 ? { views } : {}),
      ...(world.self.path === path ? {} : { this: world.self.path }),
      columns: plan.columns.map((column) => ({ property: column.property, name: column.name })),
      ...(plan.groupBy === undefined ? {} : { group_by: plan.groupBy.property }),
      rows,
      total,
      ...answer,
      ...paging.next(args, page, { shown: rows.length, total }),
    };
  },
});

async function worldOf(
  { note }: BaseQuery,
  { path, plan, regexes }: RequestedBase,
  granted: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<BaseWorld> {
  const selfPath = note === undefined ? path : (await resolveNote(note, 'note', granted, call)).path;
  const files = await vaultFiles(plan.needsLinks, granted.store, call);
  const self = files.at(selfPath);
  // The index has changed since the note was found.
  if (self === undefined)
    throw new VaultgraphError('NOTE_NOT_FOUND', { ref: selfPath, suggestions: [], unresolved_link: false });
  return { files, basePath: path, self, now: new Date(), formulas: plan.formulas, regexes };
}

interface ShownView {
  readonly base: string;
  readonly view: string;
  readonly type: string;
  readonly shown_as?: string;
  readonly views?: readonly string[];
  readonly this?: string;
  readonly columns: readonly { readonly property: string; readonly name: string }[];
  readonly group_by?: string;
  readonly rows: readonly AnsweredRow[];
  readonly total: number;
  readonly matched?: number;
  readonly groups?: readonly { readonly group: PlainCell; readonly rows: number }[];
  readonly summaries?: readonly AnsweredSummary[];
  readonly next_cursor?: string;
}

export function showView(answer: ShownView): string {
  const { columns, rows, group_by, groups = [], summaries = [] } = answer;
  const grouping = group_by === undefined ? [] : [group_by];
  const heads = ['path', ...grouping, ...columns.map(headOf)];
  const lines = rows.map(({ path, group, cells }) => {
    const grouped = group_by === undefined ? [] : [group ?? null];
    return tableLine([path, ...grouped, ...cells].map(markdownCell));
  });
  const text = [
    ...factsOf(answer),
    ...groups.map(({ group, rows: count }) => `group ${markdownCell(group) || 'none'}: ${count} rows`),
    ...(rows.length === 0 ? [] : [tableLine(heads), `|${heads.map(() => '---').join('|')}|`, ...lines]),
    ...summaries.map(({ property, summary, value }) => `${summary} of ${property}: ${markdownCell(value) || 'none'}`),
    ...(answer.next_cursor === undefined ? [] : [`next_cursor: ${answer.next_cursor}`]),
  ].join('\n');
  return visibleControls(text);
}

function factsOf({ base, view, type, shown_as, views, total, matched, columns, ...rest }: ShownView): string[] {
  const shown = shown_as === undefined ? type : `${type}, shown as a ${shown_as}`;
  return [
    `base: ${base} · view: ${view} (${shown}) · total: ${total}${matched === undefined ? '' : ` of ${matched} matched`}`,
    ...(views === undefined ? [] : [`views: ${views.join(' · ')}`]),
    ...(rest.this === undefined ? [] : [`this: ${rest.this}`]),
    ...(rest.rows.length === 0 ? [`columns: ${columns.map(headOf).join(' · ')}`] : []),
  ];
}

/** The display name, and the property that it stands for. */
function headOf({ property, name }: ShownView['columns'][number]): string {
  const plain = property === name || property === `note.${name}` || property === `formula.${name}`;
  return markdownCell(plain ? property : `${name} (${property})`);
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
