// The cursor of a list that is merged from several vaults: how far each of them has been shown.
import { createHash } from 'node:crypto';
import { VaultgraphError } from '../../base/errors.ts';
import { isObject } from '../../base/plain-object.ts';
import type { AnyTool } from '../../contracts/tool.ts';
import { argumentNamesOf } from '../dispatch/tool-input.ts';

/** Where the next rows of one vault are. */
export interface VaultPlace {
  readonly name: string;
  /** Of the vault's own page; undefined for its first one. */
  readonly cursor?: string;
  /** Rows of that page that have been shown. */
  readonly shown: number;
  /** Rows of all its pages that have been shown. */
  readonly rank: number;
}

export interface MergedPlace {
  /** The rows of the vaults' own pages, which stay the same from page to page. */
  readonly pageSize: number;
  /** Only the vaults that have more. */
  readonly vaults: readonly VaultPlace[];
}

type Query = Readonly<Record<string, unknown>>;

/** @param query the arguments of the call, the names of the vaults included */
export function cursorOf(tool: string, query: Query, { pageSize, vaults }: MergedPlace): string {
  const rows = vaults.map(({ name, cursor = '', shown, rank }) => [name, shown, rank, cursor]);
  return Buffer.from(JSON.stringify([markOf(tool, query), pageSize, rows])).toString('base64url');
}

/** @throws INVALID_INPUT if the cursor is malformed or belongs to another query */
export function placeOf(tool: AnyTool, query: Query, cursor: string): MergedPlace {
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
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
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

/** Of the arguments of a paged tool; undefined for other tools. */
export function pageOf(input: unknown): { readonly limit: number; readonly cursor?: string } | undefined {
  if (!isObject(input) || !('limit' in input) || typeof input.limit !== 'number') return undefined;
  const { limit } = input;
  return 'cursor' in input && typeof input.cursor === 'string' ? { limit, cursor: input.cursor } : { limit };
}
