// Decides which changes a call is about: those in a folder or with a tag, and never those of files that lists leave out.
import type { Store } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { folderCalled, isInFolder } from '../notes/file-names.ts';
import { folderOf } from '../notes/filters.ts';
import type { FoldedChange } from './fold-changes.ts';

interface ChangeArgs {
  readonly folder?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A deleted note is known by its last path and tags, a moved one also by its former path. @throws PATH_NOT_ALLOWED */
export async function changeFilter(
  { folder: written, tags }: ChangeArgs,
  excluded: ReadonlySet<string>,
  store: Store,
  call: CallContext,
): Promise<(change: FoldedChange) => boolean> {
  const asked = folderOf(written);
  // The folder as the vault spells it; one whose notes are all deleted is taken as written.
  const folder = asked === undefined ? undefined : ((await folderCalled(asked, store, call)) ?? asked);
  const wanted = tags?.map((tag) => foldName(tag.replace(/^#?/, '#').replace(/\/+$/, '')));
  const isIn = (path: string): boolean => folder === undefined || isInFolder(path, folder);
  const has = ({ records }: FoldedChange): boolean =>
    wanted === undefined || records.some((record) => record.tags.some((tag) => matches(foldName(tag), wanted)));
  return (change) => {
    const { path, from = path, records } = change;
    const isHidden = records.at(-1)?.kind === 'deleted' ? records.at(-1)?.excluded === true : excluded.has(path);
    return !isHidden && (isIn(path) || isIn(from)) && has(change);
  };
}

const matches = (tag: string, wanted: readonly string[]): boolean =>
  wanted.some((one) => tag === one || tag.startsWith(`${one}/`));
