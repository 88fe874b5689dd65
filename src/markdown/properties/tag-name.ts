// Compares tags by their segments and maps them to the tags that a rename makes of them.
import { foldName } from '../links/fold.ts';

export interface TagRename {
  /** Without `#`, each a valid tag. */
  readonly from: string;
  readonly to: string;
  /** Whether the tags nested below `from` move along. */
  readonly nested: boolean;
}

/** What becomes of a tag, without its `#`; undefined if the rename does not concern it. `#ab` is not below `#a`. */
export type MapTag = (tag: string) => string | undefined;

/** Tags compare without case; the segments below `from` keep their spelling. */
export function tagMapper({ from, to, nested }: TagRename): MapTag {
  const depth = from.split('/').length;
  const oldName = foldName(from);
  return (tag) => {
    const segments = tag.split('/');
    const isMeant = segments.length === depth || (nested && segments.length > depth);
    if (!isMeant || foldName(segments.slice(0, depth).join('/')) !== oldName) return undefined;
    return [to, ...segments.slice(depth)].join('/');
  };
}
