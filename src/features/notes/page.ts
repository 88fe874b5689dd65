// Pages of a long answer: a limit, and a cursor that fits only the query it came from.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Page } from '../../contracts/note-filter.ts';
import { inputRefusal } from './input-refusal.ts';

export const limitArgument = z.int().min(1).max(100).default(10);

/** The two arguments of every paged tool. */
export const pageShape = { limit: limitArgument, cursor: z.string().min(1).optional() };

interface PagedInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A place in a walk that is no plain list: such as which note, which of its files, which place there. */
export type Place = readonly number[];

export interface Paging {
  /**
   * Where the page asked for begins. Every argument but `limit` and `cursor` belongs to the query.
   * @throws INVALID_INPUT when the cursor is none, or another query's
   */
  pageOf(input: PagedInput): Page;
  /** The cursor behind `shown` rows of the page, as a field to spread; none where the list ends. */
  next(
    input: PagedInput,
    page: Page,
    rows: { readonly shown: number; readonly total: number },
  ): { next_cursor?: string };
  /** The place the cursor names; empty where the walk begins. @throws as `pageOf` */
  placeOf(input: PagedInput): Place;
  /** The cursor for a place to go on from, as a field to spread; none where the walk ended. */
  nextPlace(input: PagedInput, place: Place | undefined): { next_cursor?: string };
}

/** @param shape the tool's input, for its argument names */
export function createPaging(tool: string, shape: object): Paging {
  const refusal = (rule: string) => inputRefusal(tool, Object.keys(shape), { path: 'cursor', rule });

  function placeOf(input: PagedInput): Place {
    if (input.cursor === undefined) return [];
    const [, place, mark] = /^([0-9a-z]{1,8}(?:-[0-9a-z]{1,8}){0,3})\.([\w-]{12})$/.exec(input.cursor) ?? [];
    if (place === undefined) throw refusal('is no cursor of this server');
    if (mark !== markOf(tool, input)) throw refusal('belongs to another query; repeat its other arguments');
    return place.split('-').map((number) => Number.parseInt(number, 36));
  }

  function nextPlace(input: PagedInput, place: Place | undefined): { next_cursor?: string } {
    if (place === undefined) return {};
    return { next_cursor: `${place.map((number) => number.toString(36)).join('-')}.${markOf(tool, input)}` };
  }

  return {
    placeOf,
    nextPlace,
    pageOf: (input) => ({ limit: input.limit, offset: placeOf(input)[0] ?? 0 }),
    next: (input, page, { shown, total }) => {
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
