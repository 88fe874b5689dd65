// The refusals of a write that meets another file than it expected, with what tells the two apart. Writes nothing.
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { Vault } from '../../contracts/vault.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { knownText } from '../notes/text-cache.ts';
import { boundedDiff } from './unified-diff.ts';

/** What the details of an error may carry of a diff. */
const MAX_DIFF_LENGTH = 12_000;

/**
 * The conflict of a note that is not what it was, with the diff since then where what it was is known.
 * @param expected the etag it should have
 */
export async function writeConflict(
  path: string,
  expected: string | undefined,
  vault: Vault,
  signal: AbortSignal,
): Promise<VaultgraphError<'WRITE_CONFLICT'>> {
  const bytes = await bytesNow(path, vault, signal);
  const diff = expected === undefined || bytes === undefined ? undefined : diffSince(path, expected, bytes, vault);
  return new VaultgraphError('WRITE_CONFLICT', {
    path,
    ...(expected === undefined ? {} : { if_match: expected }),
    ...(bytes === undefined ? {} : { current_etag: contentHash(bytes) }),
    ...(diff === undefined ? {} : { diff }),
  });
}

/** What the writer refused, with the etag or the diff that lets its caller go on. */
export async function withCurrentEtag(thrown: unknown, vault: Vault, signal: AbortSignal): Promise<VaultgraphError> {
  const error = toVaultgraphError(thrown);
  if (error.code === 'NOTE_EXISTS') {
    return noteExists((error as VaultgraphError<'NOTE_EXISTS'>).details.path, vault, signal);
  }
  if (error.code !== 'WRITE_CONFLICT') return error;
  const { path, if_match } = (error as VaultgraphError<'WRITE_CONFLICT'>).details;
  return writeConflict(path, if_match, vault, signal);
}

/** With the etag of what is there, where it is a note. */
export async function noteExists(
  path: string,
  vault: Vault,
  signal: AbortSignal,
): Promise<VaultgraphError<'NOTE_EXISTS'>> {
  const bytes = await bytesNow(path, vault, signal);
  return new VaultgraphError('NOTE_EXISTS', { path, ...(bytes === undefined ? {} : { etag: contentHash(bytes) }) });
}

/** Undefined for what is gone, cannot be read or is no note. */
async function bytesNow(path: string, vault: Vault, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (fileKindOf(path) === 'attachment') return undefined;
  const { succeeded } = await vault.read([path as NotePath], signal);
  return succeeded[0]?.result.bytes;
}

function diffSince(path: string, etag: string, bytes: Uint8Array, vault: Vault): string | undefined {
  const before = knownText(vault, etag);
  if (before === undefined) return undefined;
  const { text: after } = decodeText(bytes);
  const { diff, cut } = boundedDiff([{ from: path, to: path, before, after }], MAX_DIFF_LENGTH);
  return cut === 0 ? diff : `${diff}… (cut)\n`;
}
