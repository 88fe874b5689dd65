// Formats the figures as plain tables or one JSON object. Takes no measurements.
import { cpus, totalmem } from 'node:os';
import { FLOORS, GROWTH, type Ledger, MEASURES, VECTOR_FLOORS, VECTOR_MEASURES } from './figures.ts';
import { type Goal, GROWTH_GOALS, goalsFor, type VectorSize, vectorGoals } from './goals.ts';

export interface BenchResult {
  readonly notes: number;
  readonly noteBytes: number;
  readonly program: string;
  readonly floors: Ledger<keyof typeof FLOORS>;
  readonly measures: Ledger<keyof typeof MEASURES>;
  /** The same figures for a vault a tenth the size. */
  readonly small: Ledger<keyof typeof MEASURES>;
  readonly smallNotes: number;
  readonly elapsedMs: number;
}

const MAX_REASON_LENGTH = 500;

/** One line of a table: if `value` is null, `reason` says why. */
interface Row {
  readonly name: string;
  readonly unit: string;
  readonly value: number | null;
  readonly reason?: string;
  /** In the same unit. */
  readonly floor?: number;
  readonly goal?: number;
  /** The goal as text. */
  readonly rule?: string;
}

export function reportAsJson(result: BenchResult): string {
  const { notes, noteBytes, program, elapsedMs } = result;
  const rows = { floors: floorRows(result), measures: measureRows(result), growth: growthRows(result) };
  return JSON.stringify({ machine: machine(), notes, noteBytes, program, elapsedMs, ...rows }, null, 2);
}

export function reportAsText(result: BenchResult): string {
  const { notes, smallNotes, noteBytes, program, elapsedMs } = result;
  const { node, processor, cores, memoryGiB, platform } = machine();
  return [
    `machine   ${processor}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}`,
    `vault     ${thousands(notes)} notes, ${(noteBytes / 1e6).toFixed(1)} MB`,
    `program   ${program}`,
    `took      ${(elapsedMs / 1000).toFixed(0)} s`,
    ...table('Floors', floorRows(result)),
    ...table('vaultgraph', measureRows(result)),
    ...table(
      `Growth, ${thousands(smallNotes)} → ${thousands(notes)} notes (floor: the smaller vault)`,
      growthRows(result),
    ),
  ].join('\n');
}

export interface VectorResult extends VectorSize {
  readonly floors: Ledger<keyof typeof VECTOR_FLOORS>;
  readonly measures: Ledger<keyof typeof VECTOR_MEASURES>;
}

export function vectorReportAsText(results: readonly VectorResult[]): string {
  const { node, processor, cores, platform } = machine();
  const tables = results.flatMap((result) =>
    table(`${thousands(result.chunks)} chunks × ${result.dims}`, [...vectorFloorRows(result), ...vectorRows(result)]),
  );
  return [`machine   ${processor}, ${cores} cores, ${platform}, Node ${node}`, ...tables].join('\n');
}

export function vectorReportAsJson(results: readonly VectorResult[]): string {
  const sizes = results.map((result) => {
    const { chunks, dims } = result;
    return { chunks, dims, floors: vectorFloorRows(result), measures: vectorRows(result) };
  });
  return JSON.stringify({ machine: machine(), sizes }, null, 2);
}

function vectorFloorRows({ floors }: VectorResult): Row[] {
  return names(VECTOR_FLOORS).map((name) => ({ ...VECTOR_FLOORS[name], ...figure(floors, name) }));
}

/** The baseline of a search is one pass over all binary codes. */
function vectorRows(result: VectorResult): Row[] {
  const goals = vectorGoals(result);
  const look = result.floors.value('look_at_bits');
  return names(VECTOR_MEASURES).map((name) => ({
    ...VECTOR_MEASURES[name],
    ...figure(result.measures, name),
    ...(name.endsWith('_p50') && look !== undefined ? { floor: look } : {}),
    ...(goals[name] === undefined ? {} : bound({ atMost: goals[name] }, () => undefined)),
  }));
}

export function machine() {
  const processor = cpus()[0]?.model.trim() || 'unknown processor';
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  return {
    node: process.versions.node,
    processor,
    cores: cpus().length,
    memoryGiB,
    platform: `${process.platform} ${process.arch}`,
  };
}

function floorRows({ floors }: BenchResult): Row[] {
  return names(FLOORS).map((name) => ({ ...FLOORS[name], ...figure(floors, name) }));
}

function measureRows({ notes, noteBytes, floors, measures }: BenchResult): Row[] {
  const goals = goalsFor(notes);
  const floorOf = (name: keyof typeof FLOORS | 'vault') => (name === 'vault' ? noteBytes / 1e6 : floors.value(name));
  return names(MEASURES).map((name) => ({
    ...MEASURES[name],
    ...figure(measures, name),
    ...(goals[name] && bound(goals[name], floorOf)),
  }));
}

function bound(goal: Goal, floorOf: (name: keyof typeof FLOORS | 'vault') => number | undefined): Partial<Row> {
  if ('atMost' in goal) {
    const beside = goal.beside && floorOf(goal.beside);
    return { goal: goal.atMost, rule: `≤ ${thousands(goal.atMost)}`, ...(beside !== undefined && { floor: beside }) };
  }
  const rule = `≤ ${goal.times} × ${goal.of}`;
  const floor = floorOf(goal.of);
  return floor === undefined ? { rule } : { floor, goal: floor * goal.times, rule };
}

function growthRows({ small, measures }: BenchResult): Row[] {
  return GROWTH.map((name) => {
    const floor = small.value(name);
    const times = GROWTH_GOALS[name];
    const missing = floor === undefined ? { value: null, reason: `smaller vault: ${small.reason(name)}` } : { floor };
    const goal = floor === undefined || times === undefined ? {} : { goal: floor * times };
    const rule = times === undefined ? {} : { rule: `≤ ${times} ×` };
    return { ...MEASURES[name], ...figure(measures, name), ...missing, ...goal, ...rule };
  });
}

function figure<Name extends string>(ledger: Ledger<Name>, name: Name): Pick<Row, 'value' | 'reason'> {
  const value = ledger.value(name);
  return value === undefined ? { value: null, reason: ledger.reason(name) } : { value };
}

function names<Table extends object>(given: Table): (keyof Table)[] {
  return Object.keys(given) as (keyof Table)[];
}

function table(title: string, rows: readonly Row[]): string[] {
  const header = ['', 'figure', 'unit', 'floor', '× floor', 'goal', 'held'];
  const cells = [header, ...rows.map(cellsOf)];
  const used = header.map((_, column) => cells.slice(1).some((row) => row[column] !== '') || column === 0);
  const kept = cells.map((row) => row.filter((_, column) => used[column]));
  const widths = (kept[0] ?? []).map((_, column) => Math.max(...kept.map((row) => [...(row[column] ?? '')].length)));
  const lines = kept.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return ['', title, ...lines, ...reasonLines(rows)];
}

/** Each reason once, with the figures that it explains. */
function reasonLines(rows: readonly Row[]): string[] {
  const untaken = Map.groupBy(
    rows.filter(({ reason }) => reason !== undefined),
    ({ reason }) => reason ?? '',
  );
  return [...untaken].map(([reason, missing]) => {
    const which = missing.map(({ name }) => name).join('; ');
    return `not taken (${missing.length}): ${which}\n  because ${reason.replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH)}`;
  });
}

function cellsOf({ name, unit, value, floor, goal, rule }: Row): string[] {
  const known = value !== null;
  return [
    name,
    known ? shown(value) : 'not taken',
    unit,
    floor === undefined ? '' : shown(floor),
    known && floor !== undefined ? (value / floor).toFixed(2) : '',
    rule ?? '',
    known && goal !== undefined ? (value <= goal ? 'yes' : 'NO') : '',
  ];
}

function padded(cell: string, width: number, column: number): string {
  const gap = ' '.repeat(width - [...cell].length);
  return column === 1 || column === 3 || column === 4 ? gap + cell : cell + gap;
}

/** Three significant digits; whole numbers from 100 on. */
function shown(value: number): string {
  return value >= 100 ? thousands(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
