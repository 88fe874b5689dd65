// What happens to a write that finds another file than it expected: another attempt, or an error with the current etag and a diff.
import { setTimeout as pause } from 'node:timers/promises';
import { contentHash } from '../../base/content-hash.ts';
import { type DetailsOf, type ErrorCode, toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { decodeText } from '../../markdown/parse/lines.ts';

const MAX_DIFF_LENGTH = 12_000;
const MAX_ATTEMPTS = 20;
/** The longest pause before the second attempt; each later one may be longer by as much. */
const PAUSE_MS = 20;
/** Reserved for the answer; no attempt begins with less time left. */
const ANSWER_MS = 2_000;

/** The file was changed, or created, since the work looked at it. */
const CONFLICTS: readonly ErrorCode[] = ['WRITE_CONFLICT', 'NOTE_EXISTS'];

/** Attempts the work again after each conflict with another write, while there is time. */
export async function retryConflicts<T>(work: () => Promise<T>, { signal, msLeft }: CallContext): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await outcomeOf(work());
    if ('value' in outcome) return outcome.value;
    const isConflict = CONFLICTS.includes(outcome.error.code);
    if (!isConflict || attempt === MAX_ATTEMPTS || msLeft() < ANSWER_MS) throw outcome.error;
    await pause(Math.random() * PAUSE_MS * attempt, undefined, { signal });
  }
}

/** Adds a diff if the text with the expected etag is remembered. */
export async function writeConflict(
  path: string,
  expected: string | undefined,
  vault: Vault,
  { writes, compute, signal }: Pick<CallContext, 'writes' | 'compute' | 'signal'>,
): Promise<VaultgraphError<'WRITE_CONFLICT'>> {
  const bytes = await currentBytes(path, vault, signal);
  const before = expected === undefined ? undefined : writes.findText(expected);
  const isKnown = bytes !== undefined && before !== undefined;
  return new VaultgraphError('WRITE_CONFLICT', {
    path,
    ...(expected === undefined ? {} : { if_match: expected }),
    ...(bytes === undefined ? {} : { current_etag: contentHash(bytes) }),
    ...(isKnown ? { diff: await diffSince(path, before, bytes, { compute, signal }) } : {}),
  });
}

/** The error of the writer; a WRITE_CONFLICT or NOTE_EXISTS gets the etag that lets the caller continue. */
export async function withCurrentEtag(thrown: unknown, vault: Vault, call: CallContext): Promise<VaultgraphError> {
  const error = toVaultgraphError(thrown);
  if (error.code === 'NOTE_EXISTS') {
    return noteExists((error as VaultgraphError<'NOTE_EXISTS'>).details.path, vault, call.signal);
  }
  if (error.code !== 'WRITE_CONFLICT') return error;
  const { path, if_match } = (error as VaultgraphError<'WRITE_CONFLICT'>).details;
  return writeConflict(path, if_match, vault, call);
}

/** With the etag of the existing file if it is a note that can be read. */
export async function noteExists(
  path: string,
  vault: Vault,
  signal: AbortSignal,
): Promise<VaultgraphError<'NOTE_EXISTS'>> {
  const outcome = await outcomeOf(currentBytes(path, vault, signal));
  const bytes = 'value' in outcome ? outcome.value : undefined;
  return new VaultgraphError('NOTE_EXISTS', { path, ...(bytes === undefined ? {} : { etag: contentHash(bytes) }) });
}

/** Undefined for an attachment, and for a file that is missing. @throws FILE_UNREADABLE */
async function currentBytes(path: string, vault: Vault, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (fileKindOf(path) === 'attachment') return undefined;
  const { succeeded, failed } = await vault.read([path as NotePath], signal);
  throwUnreadable(failed);
  return succeeded[0]?.result.bytes;
}

/** A file that the system refuses to read has not changed: only one that is gone has. @throws FILE_UNREADABLE */
export function throwUnreadable(failed: readonly { readonly error: VaultgraphError }[]): void {
  const isGone = ({ code, details }: VaultgraphError): boolean =>
    code !== 'FILE_UNREADABLE' || ['ENOENT', 'ENOTDIR'].includes((details as DetailsOf<'FILE_UNREADABLE'>).errno);
  const unreadable = failed.find(({ error }) => !isGone(error));
  if (unreadable !== undefined) throw unreadable.error;
}

/** Does the work once more after a conflict with a file that is as it was: at the first attempt the system refused to read it. */
export async function retryMisread<T>(work: () => Promise<T>): Promise<T> {
  const outcome = await outcomeOf(work());
  if ('value' in outcome) return outcome.value;
  const { code, details } = outcome.error;
  const { if_match, current_etag } = details as Partial<DetailsOf<'WRITE_CONFLICT'>>;
  if (code !== 'WRITE_CONFLICT' || if_match === undefined || if_match !== current_etag) throw outcome.error;
  return work();
}

async function diffSince(
  path: string,
  before: string,
  bytes: Uint8Array,
  { compute, signal }: Pick<CallContext, 'compute' | 'signal'>,
): Promise<string> {
  const { text: after } = decodeText(bytes);
  const differences = { files: [{ from: path, to: path, before, after }], longest: MAX_DIFF_LENGTH };
  const { diff, cut } = await compute.run(jobs.diff, differences, signal);
  return cut === 0 ? diff : `${diff}… (cut)\n`;
}
