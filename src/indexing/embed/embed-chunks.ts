// Packs chunks into requests, and embeds one request so that each chunk ends with a vector or with the reason why it has none.
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';

export interface ChunkToEmbed {
  /** The hash of its text. */
  readonly hash: string;
  readonly text: string;
  /** The title of its note. */
  readonly title: string;
}

/** By the hash of the text; a hash is in one of the two at most. */
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
 * Adds to `answers`, which keep what came before a failure. To find the text that a server refuses, a large request is sent again in
 * groups of 16, and a group text by text; a request that timed out is sent once more, in halves.
 * @throws errors of the provider as a whole, not those of single texts
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
    for (const half of groupsOf(chunks, Math.ceil(chunks.length / 2))) await embedChunks(half, send, answers, true);
    return;
  }
  if (!fault.isOfOneText) throw fault.error;
  if (chunks.length === 1) for (const { hash } of chunks) answers.refused.set(hash, fault.error);
  const left = chunks.filter(({ hash }) => !answers.vectors.has(hash) && !answers.refused.has(hash));
  const size = left.length > GROUP ? GROUP : 1;
  for (const group of groupsOf(left, size)) await embedChunks(group, send, answers, isSecondTry);
}

async function sendInto({ vectors }: GrowingAnswers, chunks: readonly ChunkToEmbed[], send: Send) {
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

/** A rejected request may be the fault of one text, which shows when each is sent alone. */
export function concernsOneText({ code, details }: VaultgraphError): boolean {
  return code === 'PROVIDER_REJECTED_INPUT' || ('level' in details && details.level === 'item');
}

/** Some servers limit the number of texts. Halves of a request would cost more: servers compute all texts before they refuse one. */
const GROUP = 16;

function groupsOf(chunks: readonly ChunkToEmbed[], size: number): readonly (readonly ChunkToEmbed[])[] {
  return Array.from({ length: Math.ceil(chunks.length / size) }, (_, at) => chunks.slice(at * size, (at + 1) * size));
}

export interface RequestLimits {
  readonly items: number;
  readonly characters: number;
  /** Characters that the prefix adds to each text, without the title in it. */
  readonly prefix: number;
}

/**
 * How many of the first chunks are one request; `isFull` if it has no room for the next one. A chunk above the limit on characters
 * is a request of its own.
 */
export function fittingRequest(chunks: readonly ChunkToEmbed[], limits: RequestLimits) {
  let characters = 0;
  for (const [count, { title, text }] of chunks.entries()) {
    characters += limits.prefix + title.length + text.length;
    if (count === limits.items || (count > 0 && characters > limits.characters)) return { count, isFull: true };
  }
  return { count: chunks.length, isFull: chunks.length === limits.items };
}
