// Tool: the rows of a view of an Obsidian base.
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import type { BaseWorld } from '../../bases/evaluate.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { resolveNote } from '../notes/note-reference.ts';
import { createPaging, pageShape } from '../notes/page.ts';
import { BASE_FAILURES, type RequestedBase, requestedBase } from './requested-base.ts';
import { showView } from './show-view.ts';
import { vaultFiles } from './vault-files.ts';
import { evaluateView } from './view-answer.ts';

const input = z.strictObject({
  base: z.string(),
  /** The first by default. */
  view: z.string().optional(),
  /** The base itself by default. */
  note: z.string().optional().describe('what `this` means'),
  ...pageShape,
});
const paging = createPaging('query_base', input.shape);
type BaseQuery = z.infer<typeof input>;

/** Views of other types, such as maps, are answered as a table. */
const SHOWN_TYPES: readonly string[] = ['table', 'cards', 'list'];

export const queryBase = defineTool({
  name: 'query_base',
  title: 'Query a base',
  summary: 'Rows, groups and summaries of a view of an Obsidian base.',
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
