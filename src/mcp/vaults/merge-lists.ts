// Merges the pages of several vaults into one: by rank, because scores of different indexes do not compare.
import type { AnyTool } from '../../contracts/tool.ts';
import type { Outcome } from '../dispatch/run-tool.ts';
import type { CallPlan } from './call-plan.ts';
import type { VaultMember } from './member.ts';
import {
  background,
  besides,
  byRank,
  missingView,
  type VaultAnswer,
  type VaultFailure,
  withVault,
} from './merge-answers.ts';
import { cursorOf, type MergedPlace, pageOf, placeOf, type VaultPlace } from './page-cursor.ts';
import { type RunIn, runEach } from './run-each.ts';

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
  const asked = members.filter(({ name }) => places.has(name));
  const { answers, missing } = await runEach(
    asked,
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

/** As without other vaults: the answer itself, whose rows name the vault. */
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
    const own = {
      ...args,
      ...(Number.isFinite(pageSize) && { limit: pageSize }),
      ...(cursor !== undefined && { cursor }),
    };
    const outcome = await runIn(member, own);
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
