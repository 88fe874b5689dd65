// Formats the figures of several stores as a table with a column for each, or as JSON.
import type { BenchSetting } from './bench-setting.ts';
import type { Ledger } from './figures.ts';
import { machine } from './report.ts';
import { STORE_FIGURES, type StoreFigureName } from './store-figures.ts';

export interface Column {
  readonly name: string;
  readonly ledger: Ledger<StoreFigureName>;
}

const FIGURES = Object.entries(STORE_FIGURES) as [StoreFigureName, { readonly name: string; readonly unit: string }][];
const MIN_COLUMN = 12;

export function columnsAsJson({ vault, program }: BenchSetting, columns: readonly Column[]): string {
  const stores = columns.map(({ name, ledger }) => ({
    name,
    figures: FIGURES.map(([key, { name: figure, unit }]) => {
      const value = ledger.value(key);
      return value === undefined ? { figure, unit, reason: ledger.reason(key) } : { figure, unit, value };
    }),
  }));
  return JSON.stringify({ machine: machine(), notes: vault.plan.notes.length, program, stores }, null, 2);
}

export function columnsAsText({ vault, program }: BenchSetting, columns: readonly Column[]): string {
  const { node, processor, cores, memoryGiB, platform } = machine();
  const width = Math.max(...FIGURES.map(([, { name, unit }]) => `${name} (${unit})`.length));
  const widths = columns.map(({ name }) => Math.max(MIN_COLUMN, name.length));
  const row = (title: string, cells: readonly string[]): string =>
    [title.padEnd(width), ...cells.map((cell, at) => cell.padStart(widths[at] ?? MIN_COLUMN))].join('  ').trimEnd();
  return [
    `machine   ${processor}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}`,
    `vault     ${vault.plan.notes.length} notes, ${(vault.noteBytes / 1e6).toFixed(1)} MB`,
    `program   ${program}`,
    '',
    row(
      '',
      columns.map(({ name }) => name),
    ),
    ...FIGURES.map(([key, { name, unit }]) =>
      row(
        unit === '' ? name : `${name} (${unit})`,
        columns.map(({ ledger }) => cellOf(ledger.value(key))),
      ),
    ),
    ...columns.flatMap(missing),
  ].join('\n');
}

/** Three significant digits; a dash for what was not taken. */
function cellOf(value: number | undefined): string {
  if (value === undefined) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Figures with the same reason share a line. One that does not belong to the store is not reached and needs no reason. */
function missing({ name, ledger }: Column): string[] {
  const untaken = FIGURES.filter(([key]) => ledger.value(key) === undefined && ledger.reason(key) !== 'not reached');
  return [...Map.groupBy(untaken, ([key]) => ledger.reason(key))].map(([reason, figures]) => {
    const names = figures.map(([, figure]) => figure.name);
    return `${name}: ${names[0]} and ${names.length - 1} others are not taken, because ${reason}`;
  });
}
