// Tool: lists tags, including parent tags, with the number of notes.
import * as z from 'zod';
import { oneLine, visibleControls } from '../../base/visible-controls.ts';
import { defineTool } from '../../contracts/tool.ts';
import { createPaging, cursorArgument } from './page.ts';
import { warnOfUnknownTag } from './vault-filter.ts';

/** About five thousand tokens; longer lists are paged. */
const MAX_TAGS = 500;

const input = z.strictObject({
  prefix: z.string().optional().describe('this tag and those below it: area/sub'),
  sort: z.enum(['name', 'count']).optional().describe('default name'),
  limit: z.int().min(1).max(MAX_TAGS).default(MAX_TAGS).describe('rows'),
  cursor: cursorArgument,
});
const paging = createPaging('list_tags', input.shape);

export const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  summary: 'Lists the tags of the vault, each with its number of notes, nested tags included.',
  words: 'hashtags, categories',
  effect: 'reads',
  across: ['tags'],
  needs: ['store'],
  index: 'part',
  fails: ['INVALID_INPUT'],
  input,
  brief: briefTags,
  show: showTags,
  run: async (args, { store }, call) => {
    const page = paging.pageOf(args);
    const prefix = prefixOf(args.prefix);
    const byName = await store.listTags(prefix, {}, call.signal);
    if (prefix !== undefined && byName.length === 0) await warnOfUnknownTag(prefix, store, call);
    const all = args.sort === 'count' ? byName.toSorted((one, other) => other.count - one.count) : byName;
    const tags = all.slice(page.offset, page.offset + page.limit);
    return { tags, total: all.length, ...paging.next(args, page, { shown: tags.length, total: all.length }) };
  },
});

function prefixOf(prefix: string | undefined): string | undefined {
  if (prefix === undefined || prefix.trim() === '') return undefined;
  return `#${prefix.trim().replace(/^#/, '')}`;
}

interface TagList {
  readonly tags: readonly (CountedTag | string)[];
}

interface CountedTag {
  readonly tag: string;
  readonly count: number;
  /** Present if one call lists the tags of several vaults. */
  readonly vault?: string;
}

/** A tag has no blanks, so `#tag 3` is unambiguous. Tags of several vaults stay objects, each with its vault. */
function briefTags({ tags, ...answer }: { readonly tags: readonly CountedTag[] }): object {
  const vaults = new Set(tags.map(({ vault }) => vault));
  if (vaults.size > 1) return { tags, ...answer };
  const [vault] = vaults;
  return { ...(vault !== undefined && { vault }), tags: tags.map(({ tag, count }) => `${tag} ${count}`), ...answer };
}

function showTags({ tags, ...answer }: TagList, render: (value: object) => string): string {
  const isBrief = tags.length > 0 && tags.every((row) => typeof row === 'string');
  return isBrief
    ? `tags (${tags.length}): ${tags.map((tag) => oneLine(visibleControls(tag))).join(' ')}\n${render(answer)}`
    : render({ tags, ...answer });
}
