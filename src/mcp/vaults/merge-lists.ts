// Merges the pages of several vaults into one: by rank, because scores of different indexes do not compare.

import { createHash } from 'node:crypto';
import { VaultgraphError } from '../../base/errors.ts';
import { isObject, parsedJson } from '../../base/plain-object.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { argumentNamesOf } from '../dispatch/arguments.ts';
import type { Outcome } from '../dispatch/run-tool.ts';
import type { CallPlan } from './call-plan.ts';
import {
  background,
  besides,
  byRank,
  missingView,
  type RunIn,
  runEach,
  type VaultAnswer,
  type VaultFailure,
  type VaultMember,
  withVault,
} from './run-each.ts';

const MERGED_BY = 'by rank, since scores of different indexes do not compare';

/** Rows of one vault from a place on. */
interface Rows {
  readonly outcome: Outcome;
  /** The name of the list. */
  readonly list: string;
  readonly rows: readonly object[];
  /** The place after `count` of the rows; undefined at the end. */
  readonly placeAfter: (count: number) => VaultPlace | undefined;
}

/** @throws INVALID_INPUT for a cursor of another query; the first failure, if every vault failed */
export async function mergeLists(
  tool: AnyTool,
  { members, args, input }: Extract<CallPlan, { kind: 'across' }>,
  runIn: RunIn,
  onMissing: (failure: VaultFailure) => void,
): Promise<Outcome> {
  const page = pageOf(input);
  const query = { ...input, vaults: members.map(({ name }) => name) };
  const limit = page?.limit ?? Number.POSITIVE_INFINITY;
  const start = { pageSize: limit, vaults: members.map(({ name }) => ({ name, shown: 0, rank: 0 })) };
  const from: MergedPlace = page?.cursor === undefined ? start : placeOf(tool, query, page.cursor);
  const places = new Map(from.vaults.map((place) => [place.name, place]));
  const pageMembers = members.filter(({ name }) => places.has(name));
  const { answers, missing } = await runEach(
    pageMembers,
    (member) => {
      const place = places.get(member.name) ?? { name: member.name, shown: 0, rank: 0 };
      return rowsFrom(tool, member, args, { place, pageSize: from.pageSize, limit }, runIn);
    },
    onMissing,
  );
  const shown = byRank(
    answers.map(({ name, value }) => ({ name, rows: value.rows, rank: places.get(name)?.rank ?? 0 })),
  ).slice(0, limit);
  const left = answers.flatMap(({ name, value }) => {
    const place = value.placeAfter(shown.filter((row) => row.name === name).length);
    return place === undefined ? [] : [place];
  });
  // A vault that did not answer is asked again for the same place.
  const unanswered = missing.flatMap(({ name }) => places.get(name) ?? []);
  const next = { pageSize: from.pageSize, vaults: [...left, ...unanswered] };
  const isOver = left.length === 0 || ('sort' in input && input.sort === 'random');
  const all = answers.map(({ name, value }): VaultAnswer => ({ name, outcome: value.outcome }));
  const value = {
    [answers[0]?.value.list ?? '']: shown.map(withVault),
    ...(members.length === 1 ? ofOne(all[0], tool) : ofSeveral(all, tool)),
    ...(missing.length === 0 ? {} : { missing: missing.map(missingView) }),
    ...(isOver ? {} : { next_cursor: cursorOf(tool.name, query, next) }),
  };
  return { ...background(all, missing), value };
}

/** Returns what one vault alone would: the answer itself, whose rows name the vault. */
function ofOne(answer: VaultAnswer | undefined, { across = [] }: AnyTool): object {
  if (answer === undefined) return {};
  const { vault: _, ...others } = besides(answer, across) as { vault: string };
  return others;
}

function ofSeveral(answers: readonly VaultAnswer[], { across = [] }: AnyTool): object {
  const totals = answers.flatMap(({ outcome }) => ('total' in outcome.value ? Number(outcome.value.total) : []));
  const total = totals.reduce((sum, count) => sum + count, 0);
  return {
    merged: MERGED_BY,
    ...(totals.length === 0 ? {} : { total }),
    vaults: answers.map((answer) => besides(answer, across)),
  };
}

interface Wanted {
  readonly place: VaultPlace;
  readonly pageSize: number;
  /** Rows that may be shown. */
  readonly limit: number;
}

/** Reads the vault's own pages until there are enough rows. */
async function rowsFrom(
  tool: AnyTool,
  member: VaultMember,
  { cursor: _, ...args }: Readonly<Record<string, unknown>>,
  { place, pageSize, limit }: Wanted,
  runIn: RunIn,
): Promise<Rows> {
  const pages: { readonly cursor: string | undefined; readonly rows: readonly object[]; readonly outcome: Outcome }[] =
    [];
  let cursor = place.cursor;
  let count = -place.shown;
  do {
    const first = {
      ...args,
      ...(Number.isFinite(pageSize) && { limit: pageSize }),
      ...(cursor !== undefined && { cursor }),
    };
    const outcome = await runIn(member, first);
    const rows = rowsOf(tool, outcome);
    pages.push({ cursor, rows, outcome });
    count += rows.length;
    cursor = nextOf(outcome);
  } while (cursor !== undefined && count < limit);
  const end = cursor;
  const rows = pages.flatMap((page) => page.rows).slice(place.shown);
  const placeAfter = (taken: number): VaultPlace | undefined => {
    let shown = place.shown + taken;
    for (const page of pages) {
      if (shown < page.rows.length) return placeIn(member.name, page.cursor, shown, place.rank + taken);
      shown -= page.rows.length;
    }
    return end === undefined ? undefined : placeIn(member.name, end, 0, place.rank + taken);
  };
  const outcome = pages[0]?.outcome as Outcome;
  return { outcome, list: listOf(tool, outcome), rows, placeAfter };
}

function placeIn(name: string, cursor: string | undefined, shown: number, rank: number): VaultPlace {
  return cursor === undefined ? { name, shown, rank } : { name, shown, rank, cursor };
}

function listOf({ across = [] }: AnyTool, { value }: Outcome): string {
  return across.find((name) => name in value) ?? across[0] ?? '';
}

function rowsOf(tool: AnyTool, outcome: Outcome): readonly object[] {
  const rows: unknown = Reflect.get(outcome.value, listOf(tool, outcome));
  return Array.isArray(rows) ? rows : [];
}

function nextOf({ value }: Outcome): string | undefined {
  return 'next_cursor' in value && typeof value.next_cursor === 'string' ? value.next_cursor : undefined;
}

/** Where the next rows of one vault are. */
interface VaultPlace {
  readonly name: string;
  /** The cursor of the vault's own page; undefined for its first one. */
  readonly cursor?: string;
  /** Rows of that page that have been shown. */
  readonly shown: number;
  /** Rows of all its pages that have been shown. */
  readonly rank: number;
}

interface MergedPlace {
  /** The rows of the vaults' own pages, which stay the same from page to page. */
  readonly pageSize: number;
  /** Only the vaults that have more. */
  readonly vaults: readonly VaultPlace[];
}

type Query = Readonly<Record<string, unknown>>;

/** @param query the arguments of the call, the names of the vaults included */
function cursorOf(tool: string, query: Query, { pageSize, vaults }: MergedPlace): string {
  const rows = vaults.map(({ name, cursor = '', shown, rank }) => [name, shown, rank, cursor]);
  return Buffer.from(JSON.stringify([markOf(tool, query), pageSize, rows])).toString('base64url');
}

/** @throws INVALID_INPUT if the cursor is malformed or belongs to another query */
function placeOf(tool: AnyTool, query: Query, cursor: string): MergedPlace {
  const [mark, pageSize, rows] = decoded(cursor);
  if (!Number.isInteger(pageSize) || !Array.isArray(rows)) throw refusal(tool, 'is not a cursor of this server');
  if (mark !== markOf(tool.name, query)) throw refusal(tool, 'belongs to another query; repeat its other arguments');
  const vaults = rows.map((row: unknown): VaultPlace => {
    const [name, shown, rank, own] = Array.isArray(row) ? row : [];
    if (typeof name !== 'string' || !Number.isInteger(shown) || !Number.isInteger(rank) || typeof own !== 'string') {
      throw refusal(tool, 'is not a cursor of this server');
    }
    return { name, shown, rank, ...(own === '' ? {} : { cursor: own }) };
  });
  return { pageSize: Number(pageSize), vaults };
}

function decoded(cursor: string): readonly unknown[] {
  const value = parsedJson(Buffer.from(cursor, 'base64url').toString());
  return Array.isArray(value) ? value : [];
}

function markOf(tool: string, { limit: _, cursor: __, require_fresh: ___, ...query }: Query): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, query]))
    .digest('base64url')
    .slice(0, 12);
}

function refusal(tool: AnyTool, rule: string): VaultgraphError {
  const issues = [{ path: 'cursor', rule }];
  return new VaultgraphError('INVALID_INPUT', { tool: tool.name, issues, accepted: argumentNamesOf(tool) });
}

/** Reads the page from the arguments of a paged tool; undefined for other tools. */
function pageOf(input: unknown): { readonly limit: number; readonly cursor?: string } | undefined {
  if (!isObject(input) || !('limit' in input) || typeof input.limit !== 'number') return undefined;
  const { limit } = input;
  return 'cursor' in input && typeof input.cursor === 'string' ? { limit, cursor: input.cursor } : { limit };
}
