// Errors for a write that finds another file than it expected, with the current etag and a diff.
import { contentHash } from '../../base/content-hash.ts';
import { toVaultgraphError, VaultgraphError } from '../../base/errors.ts';
import { fileKindOf, type NotePath } from '../../base/note.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { decodeText } from '../../markdown/parse/lines.ts';
import { boundedDiff } from './unified-diff.ts';

const MAX_DIFF_LENGTH = 12_000;

/** Adds a diff if the text with the expected etag is remembered. */
export async function writeConflict(
  path: string,
  expected: string | undefined,
  vault: Vault,
  { writes, signal }: Pick<CallContext, 'writes' | 'signal'>,
): Promise<VaultgraphError<'WRITE_CONFLICT'>> {
  const bytes = await currentBytes(path, vault, signal);
  const before = expected === undefined ? undefined : writes.findText(expected);
  return new VaultgraphError('WRITE_CONFLICT', {
    path,
    ...(expected === undefined ? {} : { if_match: expected }),
    ...(bytes === undefined ? {} : { current_etag: contentHash(bytes) }),
    ...(bytes === undefined || before === undefined ? {} : { diff: diffSince(path, before, bytes) }),
  });
}

/** The error of the writer; a WRITE_CONFLICT or NOTE_EXISTS gets the etag that lets the caller go on. */
export async function withCurrentEtag(thrown: unknown, vault: Vault, call: CallContext): Promise<VaultgraphError> {
  const error = toVaultgraphError(thrown);
  if (error.code === 'NOTE_EXISTS') {
    return noteExists((error as VaultgraphError<'NOTE_EXISTS'>).details.path, vault, call.signal);
  }
  if (error.code !== 'WRITE_CONFLICT') return error;
  const { path, if_match } = (error as VaultgraphError<'WRITE_CONFLICT'>).details;
  return writeConflict(path, if_match, vault, call);
}

/** With the etag of the existing file if it is a note. */
export async function noteExists(
  path: string,
  vault: Vault,
  signal: AbortSignal,
): Promise<VaultgraphError<'NOTE_EXISTS'>> {
  const bytes = await currentBytes(path, vault, signal);
  return new VaultgraphError('NOTE_EXISTS', { path, ...(bytes === undefined ? {} : { etag: contentHash(bytes) }) });
}

/** Undefined for an attachment, and for a file that is missing or cannot be read. */
async function currentBytes(path: string, vault: Vault, signal: AbortSignal): Promise<Uint8Array | undefined> {
  if (fileKindOf(path) === 'attachment') return undefined;
  const { succeeded } = await vault.read([path as NotePath], signal);
  return succeeded[0]?.result.bytes;
}

function diffSince(path: string, before: string, bytes: Uint8Array): string {
  const { text: after } = decodeText(bytes);
  const { diff, cut } = boundedDiff([{ from: path, to: path, before, after }], MAX_DIFF_LENGTH);
  return cut === 0 ? diff : `${diff}… (cut)\n`;
}
