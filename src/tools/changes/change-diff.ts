// Shows the difference of a folded change, where both texts can be had: from the change log, and the vault as it is now.
import { contentHash } from '../../base/content-hash.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { PastChange } from '../../contracts/writer.ts';
import { boundedDiff, type FileDifference, textOf } from '../../markdown/edit/unified-diff.ts';
import type { FoldedChange } from './fold-changes.ts';

const MAX_DIFF_CHARACTERS = 4_000;

export interface ShownDiff {
  readonly diff?: string;
  readonly diff_cut?: true;
  /** Why there is none. */
  readonly no_diff?: string;
}

/** @param past those since the change, newest first */
export async function diffOf(
  { kind, path, from = path, records }: FoldedChange,
  past: readonly PastChange[],
  vault: Vault,
  signal: AbortSignal,
): Promise<ShownDiff> {
  const [before, after] = [records[0]?.before ?? null, records.at(-1)?.after ?? null];
  const isMade = kind === 'created' || kind === 'created_and_deleted';
  if (records[0]?.fileKind === 'attachment') return { no_diff: 'it is an attachment' };
  if (before === after && !isMade) return {};
  const old = isMade ? undefined : textFromLog(before, past, from);
  if (!isMade && old === undefined)
    return { no_diff: 'the text before is not kept: no tool of this server has changed or written it' };
  const isGone = kind === 'deleted' || kind === 'created_and_deleted';
  const now = isGone ? undefined : ((await textNow(path, after, vault, signal)) ?? textFromLog(after, past, path));
  if (!isGone && now === undefined) return { no_diff: 'the text after is not kept: the note has changed since' };
  if (isMade && isGone) return { no_diff: 'neither text is kept' };
  const file: FileDifference = {
    from: isMade ? null : from,
    to: isGone ? null : path,
    ...(old !== undefined && { before: old }),
    ...(now !== undefined && { after: now }),
  };
  const { diff, cut } = boundedDiff([file], MAX_DIFF_CHARACTERS);
  return { diff, ...(cut > 0 && { diff_cut: true as const }) };
}

function textFromLog(hash: string | null, past: readonly PastChange[], path: FoldedChange['path']): string | undefined {
  if (hash === null) return undefined;
  for (const one of past) {
    if (!one.change.files.some(({ before, after }) => before === hash || after === hash)) continue;
    const bytes = one.contentOf(hash);
    if (bytes !== undefined) return textOf(bytes, path);
  }
  return undefined;
}

async function textNow(
  path: FoldedChange['path'],
  hash: string | null,
  vault: Vault,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { succeeded } = await vault.read([path], signal);
  const bytes = succeeded[0]?.result.bytes;
  return bytes !== undefined && contentHash(bytes) === hash ? textOf(bytes, path) : undefined;
}
