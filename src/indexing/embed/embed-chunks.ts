// Packs chunks into requests, and embeds one request so that each chunk ends with a vector or with the reason why it has none.
import type { BatchResult } from '../../base/batch.ts';
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';

export interface ChunkToEmbed {
  /** Of its text. */
  readonly hash: string;
  readonly text: string;
  /** Of its note. */
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
 * Adds to `answers`, which keep what came before a failure. To find the text that a server refuses, each is sent alone; a request
 * that timed out is sent once more, in halves.
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

/** A rejected request may be the fault of one text, which shows when each is sent alone. */
function concernsOneText({ code, details }: VaultgraphError): boolean {
  return code === 'PROVIDER_REJECTED_INPUT' || ('level' in details && details.level === 'item');
}

function unanswered(chunks: readonly ChunkToEmbed[], { vectors }: Answers): readonly ChunkToEmbed[] {
  return chunks.filter(({ hash }) => !vectors.has(hash));
}

function halvesOf(chunks: readonly ChunkToEmbed[]): readonly (readonly ChunkToEmbed[])[] {
  const half = Math.ceil(chunks.length / 2);
  return [chunks.slice(0, half), chunks.slice(half)].filter(({ length }) => length > 0);
}

export interface RequestLimits {
  readonly items: number;
  readonly characters: number;
  /** Characters that the prefix adds to each text, without the title in it. */
  readonly prefix: number;
}

export interface Packed {
  readonly full: readonly (readonly ChunkToEmbed[])[];
  /** The last ones, in order: the request has room for more. */
  readonly rest: readonly ChunkToEmbed[];
}

/** Fills requests in the given order. A chunk above the limit on characters is a request of its own. */
export function packRequests(chunks: readonly ChunkToEmbed[], limits: RequestLimits): Packed {
  const full: ChunkToEmbed[][] = [];
  let rest: ChunkToEmbed[] = [];
  let characters = 0;
  for (const chunk of chunks) {
    const longer = characters + limits.prefix + chunk.title.length + chunk.text.length;
    const isFull = rest.length === limits.items || (rest.length > 0 && longer > limits.characters);
    if (isFull) full.push(rest);
    rest = isFull ? [chunk] : [...rest, chunk];
    characters = isFull ? longer - characters : longer;
  }
  return { full, rest };
}
