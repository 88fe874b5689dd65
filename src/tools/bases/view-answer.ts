// Evaluates a view of a base over all files, in slices, and makes the page of rows that a call asks for.
import { letOthersRun } from '../../base/threads/turns.ts';
import { orFault } from '../../bases/base-fault.ts';
import { type BaseWorld, RowEvaluation } from '../../bases/evaluate.ts';
import { type PlainCell, plainCell } from '../../bases/values/plain.ts';
import { CellFault, type Value } from '../../bases/values/value.ts';
import { type PlannedSummary, SUMMARIES, type ViewPlan } from '../../bases/view-plan.ts';
import { cellValues, compareRows, groupName, type OnFault, type ViewRow, viewRow } from '../../bases/view-row.ts';
import type { Page } from '../../contracts/note-filter.ts';
import type { CallContext } from '../../contracts/tool.ts';

/** In characters of JSON. A page ends where it becomes larger; a longer cell is not shown. */
const MAX_PAGE_SIZE = 200_000;
const MAX_CELL_SIZE = 20_000;

/** The steps of one summary, over all rows. */
const MAX_SUMMARY_STEPS = 1_000_000;

export interface AnsweredRow {
  readonly path: string;
  readonly group?: PlainCell;
  readonly cells: readonly PlainCell[];
}

export interface AnsweredSummary {
  readonly property: string;
  readonly summary: string;
  readonly value: PlainCell;
}

/**
 * `total`: the rows of the view. `matched`: the files that pass the filters, if the limit of the view cuts them. `groups`: those on
 * this page, with the number of all their rows.
 */
export async function evaluateView(plan: ViewPlan, world: BaseWorld, page: Page, call: CallContext) {
  const matching = await matchingRows(plan, world, call);
  const total = Math.min(matching.length, plan.view.limit ?? matching.length);
  const isEachCounted = plan.groupBy !== undefined || plan.summaries.length > 0;
  const needed = isEachCounted ? total : Math.min(total, page.offset + page.limit);
  const rows = await firstInOrder(matching, needed, (one, other) => compareRows(one, other, plan), call.signal);
  const shown = await pageRows(rows.slice(page.offset, page.offset + page.limit), plan, world, call.signal);
  return {
    rows: shown,
    total,
    ...(total < matching.length ? { matched: matching.length } : {}),
    ...(plan.groupBy === undefined ? {} : { groups: await groupsOf(rows, page.offset, shown.length, call.signal) }),
    ...(plan.summaries.length === 0 ? {} : { summaries: await summariesOf(rows, plan, world, call) }),
  };
}

/** Counts the files for which an expression cannot be evaluated, by its place. */
class Faults {
  readonly #found = new Map<string, { readonly count: number; readonly first: string; readonly as: string }>();

  readonly add: OnFault = (place, { path }, reason, as) => {
    const { count, first } = this.#found.get(place) ?? { count: 0, first: `${path}: ${reason}` };
    this.#found.set(place, { count: count + 1, first, as });
  };

  warn(files: number, call: CallContext): void {
    for (const [place, { count, first, as }] of this.#found) {
      const message = `${place} cannot be evaluated for ${count} of ${files} files, where it counts as ${as}; first ${first}`;
      call.warn({ code: 'FILTER_FAILED', message, count });
    }
  }
}

async function matchingRows(plan: ViewPlan, world: BaseWorld, call: CallContext): Promise<ViewRow[]> {
  const faults = new Faults();
  const rows: ViewRow[] = [];
  const { all } = world.files;
  for (const [at, file] of all.entries()) {
    const row = viewRow(plan, world, file, faults.add);
    if (row !== undefined) rows.push(row);
    const waiting = letOthersRun(call.signal);
    if (waiting === undefined) continue;
    call.progress(at, all.length, 'evaluating the filters');
    await waiting;
  }
  faults.warn(all.length, call);
  return rows;
}

/** The rows as far as they fit; at least one. */
async function pageRows(
  rows: readonly ViewRow[],
  plan: ViewPlan,
  world: BaseWorld,
  signal: AbortSignal,
): Promise<AnsweredRow[]> {
  const shown: AnsweredRow[] = [];
  const expressions = plan.columns.map(({ expression }) => expression);
  let left = MAX_PAGE_SIZE;
  for (const { file, group } of rows) {
    const cells = cellValues(expressions, world, file).map((value) => shownCell(value, world));
    const row = { path: file.path, ...(plan.groupBy === undefined ? {} : { group: withinLimit(group) }), cells };
    left -= JSON.stringify(row).length;
    if (left < 0 && shown.length > 0) break;
    shown.push(row);
    await letOthersRun(signal);
  }
  return shown;
}

function shownCell(value: Value | CellFault, { files }: BaseWorld): PlainCell {
  const cell = value instanceof CellFault ? value : orFault(CellFault, () => plainCell(value, files));
  return cell instanceof CellFault ? { error: cell.message } : withinLimit(cell);
}

function withinLimit(cell: PlainCell): PlainCell {
  const size = JSON.stringify(cell).length;
  return size <= MAX_CELL_SIZE ? cell : { error: `the value has ${size} characters, the limit is ${MAX_CELL_SIZE}` };
}

async function groupsOf(rows: readonly ViewRow[], from: number, count: number, signal: AbortSignal) {
  const sizes = new Map<string, number>();
  const names: string[] = [];
  for (const row of rows) {
    const name = groupName(row);
    names.push(name);
    sizes.set(name, (sizes.get(name) ?? 0) + 1);
    await letOthersRun(signal);
  }
  const onPage = new Map(rows.slice(from, from + count).map((row, at) => [names[from + at] ?? '', row]));
  return [...onPage].map(([name, { group }]) => ({ group: withinLimit(group), rows: sizes.get(name) ?? 0 }));
}

async function summariesOf(
  rows: readonly ViewRow[],
  plan: ViewPlan,
  world: BaseWorld,
  call: CallContext,
): Promise<AnsweredSummary[]> {
  const faults = new Faults();
  const expressions = plan.summaries.map(({ values }) => values);
  const columns: Value[][] = expressions.map(() => []);
  for (const { file } of rows) {
    for (const [at, value] of cellValues(expressions, world, file).entries()) {
      columns[at]?.push(value instanceof CellFault ? null : value);
      const { summary, property } = plan.summaries[at] as PlannedSummary;
      if (value instanceof CellFault) faults.add(`${summary} of ${property}`, file, value.message, 'empty');
    }
    await letOthersRun(call.signal);
  }
  faults.warn(rows.length, call);
  const summaries: AnsweredSummary[] = [];
  for (const [at, planned] of plan.summaries.entries()) {
    const value = await summaryOf(planned, columns[at] ?? [], world);
    summaries.push({ property: planned.property, summary: planned.summary, value: shownCell(value, world) });
  }
  return summaries;
}

async function summaryOf(
  { summary, custom }: PlannedSummary,
  values: readonly Value[],
  world: BaseWorld,
): Promise<Value | CellFault> {
  if (custom !== undefined)
    return orFault(CellFault, () => new RowEvaluation(world, world.self).value(custom, { values }));
  let steps = 0;
  const spend = (more: number): void => {
    steps += more;
    if (steps > MAX_SUMMARY_STEPS) throw new CellFault(`it takes more than ${MAX_SUMMARY_STEPS} steps`);
  };
  try {
    return (await SUMMARIES[summary]?.(values, { files: world.files, spend })) ?? null;
  } catch (thrown) {
    if (thrown instanceof CellFault) return thrown;
    throw thrown;
  }
}

/** Sorted in some tenths of a millisecond. */
const RUN = 256;

/** With more rows, to sort all of them is faster. */
const MAX_KEPT = 4 * RUN;

/** The first `count` items in order, without sorting those after them where they are many. */
export async function firstInOrder<T>(
  items: readonly T[],
  count: number,
  compare: (one: T, other: T) => number,
  signal: AbortSignal,
): Promise<readonly T[]> {
  if (count > MAX_KEPT || 2 * count > items.length) return (await sortInSlices(items, compare, signal)).slice(0, count);
  let first: readonly T[] = [];
  for (let at = 0; at < items.length && count > 0; at += RUN) {
    const last = first[count - 1];
    const before = (item: T): boolean => last === undefined || compare(item, last) < 0;
    const run = items
      .slice(at, at + RUN)
      .filter(before)
      .sort(compare);
    if (run.length > 0) first = (await merge(first, run, compare, signal)).slice(0, count);
    await letOthersRun(signal);
  }
  return first;
}

/** Stable. Short runs are sorted, then merged in pairs. */
async function sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  signal: AbortSignal,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    await letOthersRun(signal);
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare, signal));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
  signal: AbortSignal,
): Promise<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const isLeft = compare(one[left] as T, other[right] as T) <= 0;
    merged.push((isLeft ? one[left++] : other[right++]) as T);
    if (merged.length % RUN === 0) await letOthersRun(signal);
  }
  return merged.concat(one.slice(left), other.slice(right));
}
