// Shows the difference of a folded change, where both texts can be had: from the vault as it is now, and where earlier texts are kept.
import { contentHash } from '../../base/content-hash.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import type { PastChange } from '../../contracts/writer.ts';
import { type FileDifference, textOf } from '../../markdown/edit/unified-diff.ts';
import type { FoldedChange } from './fold-changes.ts';

const MAX_DIFF_CHARACTERS = 4_000;

export interface ShownDiff {
  readonly diff?: string;
  readonly diff_cut?: true;
  /** The revision of the text before, with which read_notes reads it. */
  readonly before?: string;
  /** Why there is none. */
  readonly no_diff?: string;
}

const NOT_KEPT =
  'the text before is not kept: with `history: keep` in the config, or commits in a git repository, it would be';

interface FoundText {
  readonly text: string;
  /** With which it can be read. */
  readonly revision?: string;
}

/** The texts of one call. */
export class ChangeTexts {
  readonly #past: readonly PastChange[];
  readonly #vault: Vault;
  readonly #signal: AbortSignal;
  #isNoneKept = false;

  /** @param past those since the changes, newest first */
  constructor(past: readonly PastChange[], vault: Vault, signal: AbortSignal) {
    this.#past = past;
    this.#vault = vault;
    this.#signal = signal;
  }

  /** @param beforeMs a time at which the file no longer has it, where it is known */
  async find(hash: string | null, path: FoldedChange['path'], beforeMs: number): Promise<FoundText | undefined> {
    if (hash === null) return undefined;
    const logged = textFromLog(hash, this.#past, path);
    if (logged !== undefined) return { text: logged };
    if (this.#isNoneKept) return undefined;
    const earlier = await outcomeOf(this.#vault.earlier(path, { beforeMs, hash }, this.#signal));
    this.#signal.throwIfAborted();
    if ('value' in earlier) {
      const text = textOf(earlier.value.bytes, path);
      return text === undefined ? undefined : { text, revision: earlier.value.revision };
    }
    const { details } = earlier.error;
    this.#isNoneKept = 'reason' in details && (details.reason === 'no_repository' || details.reason === 'no_git');
    return undefined;
  }

  now(path: FoldedChange['path'], hash: string | null): Promise<string | undefined> {
    return textNow(path, hash, this.#vault, this.#signal);
  }
}

export async function diffOf(
  { kind, path, from = path, records }: FoldedChange,
  texts: ChangeTexts,
  { compute, signal }: CallContext,
): Promise<ShownDiff> {
  const [before, after] = [records[0]?.before ?? null, records.at(-1)?.after ?? null];
  const [began, ended] = [records[0]?.at ?? 0, records.at(-1)?.at ?? 0];
  const isMade = kind === 'created' || kind === 'created_and_deleted';
  if (records[0]?.fileKind === 'attachment') return { no_diff: 'it is an attachment' };
  if (before === after && !isMade) return {};
  const old = isMade ? undefined : await texts.find(before, from, began + 1);
  if (!isMade && old === undefined) return { no_diff: NOT_KEPT };
  const isGone = kind === 'deleted' || kind === 'created_and_deleted';
  const now = isGone ? undefined : ((await texts.now(path, after)) ?? (await texts.find(after, path, ended + 1))?.text);
  if (!isGone && now === undefined) return { no_diff: 'the text after is not kept: the note has changed since' };
  if (isMade && isGone) return { no_diff: 'neither text is kept' };
  const file: FileDifference = {
    from: isMade ? null : from,
    to: isGone ? null : path,
    ...(old !== undefined && { before: old.text }),
    ...(now !== undefined && { after: now }),
  };
  const { diff, cut } = await compute.run(jobs.diff, { files: [file], longest: MAX_DIFF_CHARACTERS }, signal);
  return {
    diff,
    ...(cut > 0 && { diff_cut: true as const }),
    ...(old?.revision !== undefined && { before: old.revision }),
  };
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
