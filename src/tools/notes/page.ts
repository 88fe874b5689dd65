// Pages through long results with a cursor that is valid for one query only.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Page } from '../../contracts/note-filter.ts';
import { inputRefusal } from './input-refusal.ts';

export const limitArgument = z.int().min(1).max(100).default(10).describe('rows');

export const cursorArgument = z.string().min(1).optional().describe('next_cursor');

/** The arguments of every paged tool. */
export const pageShape = { limit: limitArgument, cursor: cursorArgument };

interface PagedInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A position in a nested walk, such as note, file and mention. */
export type Place = readonly number[];

/** @param shape the tool's input, for its argument names */
export function createPaging(tool: string, shape: object) {
  const refusal = (rule: string) => inputRefusal(tool, Object.keys(shape), { path: 'cursor', rule });

  /** The position that the cursor names; empty at the start. @throws as `pageOf` */
  function placeOf(input: PagedInput): Place {
    if (input.cursor === undefined) return [];
    const [, place, mark] = /^([0-9a-z]{1,8}(?:-[0-9a-z]{1,8}){0,3})\.([\w-]{12})$/.exec(input.cursor) ?? [];
    if (place === undefined) throw refusal('is not a cursor of this server');
    if (mark !== markOf(tool, input)) throw refusal('belongs to another query; repeat its other arguments');
    return place.split('-').map((number) => Number.parseInt(number, 36));
  }

  /** The cursor for a position to continue from, as a field to spread; nothing at the end. */
  function nextPlace(input: PagedInput, place: Place | undefined): { next_cursor?: string } {
    if (place === undefined) return {};
    return { next_cursor: `${place.map((number) => number.toString(36)).join('-')}.${markOf(tool, input)}` };
  }

  return {
    placeOf,
    nextPlace,
    /**
     * The page that the cursor names. All arguments except `limit` and `cursor` belong to the query.
     * @throws INVALID_INPUT if the cursor is malformed or belongs to another query
     */
    pageOf: (input: PagedInput) => ({ limit: input.limit, offset: placeOf(input)[0] ?? 0 }),
    /** The cursor after `shown` rows as a field to spread; nothing at the end of the list. */
    next: (input: PagedInput, page: Page, { shown, total }: { readonly shown: number; readonly total: number }) => {
      const offset = page.offset + shown;
      return nextPlace(input, shown === 0 || offset >= total ? undefined : [offset]);
    },
  };
}

function markOf(tool: string, { limit, cursor, ...query }: PagedInput): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, query]))
    .digest('base64url')
    .slice(0, 12);
}
