// Works out what a view shows of one file.
import { comparePaths } from '../base/path-order.ts';
import { orFault } from './base-fault.ts';
import { type BaseWorld, RowEvaluation } from './evaluate.ts';
import type { Expression } from './expression.ts';
import type { BaseFile } from './files.ts';
import { compareSortKeys, type SortKey, sortKeyOf } from './values/compare.ts';
import { type PlainCell, plainCell } from './values/plain.ts';
import { CellFault, isTruthy, type Value } from './values/value.ts';
import type { PlannedFilter, ViewPlan } from './view-plan.ts';

/** A file that passes the filters, with what it is sorted and grouped by. */
export interface ViewRow {
  readonly file: BaseFile;
  /** The group as it is shown; null without groups. */
  readonly group: PlainCell;
  /** Undefined for null. */
  readonly groupKey: SortKey | undefined;
  readonly sortKeys: readonly (SortKey | undefined)[];
}

/** Called with the place of an expression that cannot be evaluated for a file: a filter counts as false, any other as empty. */
export type OnFault = (place: string, file: BaseFile, reason: string, as: 'false' | 'empty') => void;

/** Undefined if the filters leave the file out. */
export function viewRow(plan: ViewPlan, world: BaseWorld, file: BaseFile, onFault: OnFault): ViewRow | undefined {
  const row = new RowEvaluation(world, file);
  const passes = (filter: PlannedFilter): boolean => {
    if (filter.type === 'and') return filter.filters.every(passes);
    if (filter.type !== 'statement') return filter.filters.some(passes) === (filter.type === 'or');
    const value = orFault(CellFault, () => row.value(filter.expression));
    if (!(value instanceof CellFault)) return isTruthy(value);
    onFault(filter.place, file, value.message, 'false');
    return false;
  };
  if (!plan.filters.every(passes)) return undefined;
  const keyOf = (expression: Expression, place: string): Keyed => {
    const cell = orFault(CellFault, () => keyed(row, expression, world));
    if (!(cell instanceof CellFault)) return cell;
    onFault(place, file, cell.message, 'empty');
    return NO_KEY;
  };
  const { groupBy, sort } = plan;
  const grouped = groupBy === undefined ? NO_KEY : keyOf(groupBy.expression, `the group ${groupBy.property}`);
  const group = isEmptyCell(grouped.cell) ? NO_KEY : grouped;
  return {
    file,
    group: group.cell,
    groupKey: group.key,
    sortKeys: sort.map(({ expression, property }) => keyOf(expression, `the order by ${property}`).key),
  };
}

interface Keyed {
  readonly cell: PlainCell;
  readonly key: SortKey | undefined;
}

const NO_KEY: Keyed = { cell: null, key: undefined };

/** An empty text or list is in the group of the files that have no value. */
const isEmptyCell = (cell: PlainCell): boolean => cell === '' || (Array.isArray(cell) && cell.length === 0);

/** @throws CellFault */
function keyed(row: RowEvaluation, expression: Expression, { files, types }: BaseWorld): Keyed {
  const isCheckbox = expression.type === 'property' && types.get(expression.name.toLowerCase()) === 'checkbox';
  const value = row.value(expression);
  // An empty checkbox is shown as one that is not checked.
  return { cell: plainCell(value, files), key: sortKeyOf(isCheckbox ? (value ?? false) : value) };
}

/** The value of each expression for the file, or why it has none. */
export function cellValues(
  expressions: readonly Expression[],
  world: BaseWorld,
  file: BaseFile,
): readonly (Value | CellFault)[] {
  const row = new RowEvaluation(world, file);
  return expressions.map((expression) => orFault(CellFault, () => row.value(expression)));
}

/** A text that two groups share only if they are the same; how a link is shown makes no difference. */
export function groupName({ group }: ViewRow): string {
  return JSON.stringify(group, (key, value) => (key === 'display' ? undefined : value));
}

/** By group and by the sort of the view, then by path; null comes last in either direction. */
export function compareRows(one: ViewRow, other: ViewRow, { groupBy, sort }: ViewPlan): number {
  const groups = groupBy === undefined ? 0 : compareKeys(one.groupKey, other.groupKey, groupBy.descending);
  if (groups !== 0) return groups;
  for (const [at, { descending }] of sort.entries()) {
    const order = compareKeys(one.sortKeys[at], other.sortKeys[at], descending);
    if (order !== 0) return order;
  }
  return comparePaths(one.file.path, other.file.path);
}

function compareKeys(one: SortKey | undefined, other: SortKey | undefined, descending: boolean): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
  return compareSortKeys(one, other) * (descending ? -1 : 1);
}
