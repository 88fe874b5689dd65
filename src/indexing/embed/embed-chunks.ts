// The chunks of one request, whatever it takes: what passes has a vector, what cannot pass has a reason.
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { ChunkToEmbed } from './pack-requests.ts';

/** By the hash of the text; no hash stands in both. */
export interface Answers {
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Why a text has no vector. */
  readonly refused: ReadonlyMap<string, VaultgraphError>;
}

export interface GrowingAnswers extends Answers {
  readonly vectors: Map<string, Float32Array>;
  readonly refused: Map<string, VaultgraphError>;
}

/** One request, with the hashes as ids. @throws PROVIDER_*, EGRESS_BLOCKED */
export type Send = (chunks: readonly ChunkToEmbed[]) => Promise<BatchResult<Float32Array>>;

/**
 * Fills `answers`, and leaves in it what came before a failure. A refused text is found by sending each alone, for a server that
 * refuses one has embedded the others; a request that took too long is sent a second time, in halves.
 * @throws what concerns the provider and not one of the texts
 */
export async function embedChunks(
  chunks: readonly ChunkToEmbed[],
  send: Send,
  answers: GrowingAnswers,
  isSecondTry = false,
): Promise<void> {
  const fault = await sendInto(answers, chunks, send);
  if (fault === undefined) return;
  if (fault.error.code === 'PROVIDER_TIMEOUT' && !isSecondTry) {
    for (const half of halvesOf(chunks)) await embedChunks(half, send, answers, true);
    return;
  }
  if (!fault.isOfOneText) throw fault.error;
  if (chunks.length === 1) for (const { hash } of chunks) answers.refused.set(hash, fault.error);
  else for (const chunk of unanswered(chunks, answers)) await embedChunks([chunk], send, answers, isSecondTry);
}

interface Fault {
  readonly error: VaultgraphError;
  readonly isOfOneText: boolean;
}

async function sendInto(
  { vectors }: GrowingAnswers,
  chunks: readonly ChunkToEmbed[],
  send: Send,
): Promise<Fault | undefined> {
  try {
    const { succeeded, failed } = await send(chunks);
    for (const { id, result } of succeeded) vectors.set(id, result);
    const [bad] = failed;
    return bad && { error: bad.error, isOfOneText: true };
  } catch (thrown) {
    const error = toVaultgraphError(thrown);
    return { error, isOfOneText: concernsOneText(error) };
  }
}

/** Whether a rejected request is the fault of one text shows when each is sent alone. */
function concernsOneText({ code, details }: VaultgraphError): boolean {
  return code === 'PROVIDER_REJECTED_INPUT' || ('level' in details && details.level === 'item');
}

function unanswered(chunks: readonly ChunkToEmbed[], { vectors }: Answers): readonly ChunkToEmbed[] {
  return chunks.filter(({ hash }) => !vectors.has(hash));
}

function halvesOf(chunks: readonly ChunkToEmbed[]): readonly (readonly ChunkToEmbed[])[] {
  const middle = Math.ceil(chunks.length / 2);
  return [chunks.slice(0, middle), chunks.slice(middle)].filter(({ length }) => length > 0);
}
