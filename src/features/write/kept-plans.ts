// The plans that dry runs made, by their ids, until they are carried out or too old.
import { randomBytes } from 'node:crypto';
import { VaultgraphError } from '../../base/errors.ts';
import type { Writer } from '../../contracts/writer.ts';

export interface KeptPlan {
  readonly tool: string;
  /** The tool's own arguments that it was made with. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The etag of the note it is about. */
  readonly was?: string;
  /** As `planLines` has them: the same plan made again has the same. */
  readonly lines: readonly string[];
}

const MAX_PLANS = 50;
const MAX_CHARACTERS = 16 * 1024 * 1024;
const KEPT_MS = 30 * 60 * 1000;
const RECENT = 5;

interface Row {
  readonly plan: KeptPlan;
  readonly characters: number;
  readonly until: number;
}

/** The oldest stands first. */
const kept = new WeakMap<Writer, Map<string, Row>>();

/** @returns the plan's id */
export function keepPlan(writer: Writer, plan: KeptPlan, now = performance.now()): string {
  const rows = rowsOf(writer, now);
  const id = `plan_${randomBytes(5).toString('hex')}`;
  rows.set(id, { plan, characters: sizeOf(plan), until: now + KEPT_MS });
  for (const [oldest] of rows) {
    if (rows.size <= MAX_PLANS && charactersIn(rows) <= MAX_CHARACTERS) break;
    if (oldest !== id) rows.delete(oldest);
  }
  return id;
}

/** @throws CHANGE_NOT_FOUND for an id that no plan of this tool has, or has any more */
export function keptPlan(writer: Writer, tool: string, id: string, now = performance.now()): KeptPlan {
  const rows = rowsOf(writer, now);
  const plan = rows.get(id)?.plan;
  if (plan?.tool === tool) return plan;
  const own = [...rows].filter(([, row]) => row.plan.tool === tool).map(([known]) => known);
  throw new VaultgraphError('CHANGE_NOT_FOUND', { id, recent: own.slice(-RECENT).toReversed() });
}

/** A plan is carried out once. */
export function dropPlan(writer: Writer, id: string): void {
  kept.get(writer)?.delete(id);
}

function rowsOf(writer: Writer, now: number): Map<string, Row> {
  const rows = kept.get(writer) ?? new Map<string, Row>();
  kept.set(writer, rows);
  for (const [id, { until }] of rows) if (until < now) rows.delete(id);
  return rows;
}

function sizeOf({ given, lines }: KeptPlan): number {
  return JSON.stringify(given).length + lines.reduce((sum, line) => sum + line.length, 0);
}

function charactersIn(rows: ReadonlyMap<string, Row>): number {
  return [...rows.values()].reduce((sum, { characters }) => sum + characters, 0);
}
