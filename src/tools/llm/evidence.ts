// Checks that the text a model returns occurs in the note, and where.
import { jobs } from '../../compute/jobs.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import type { LlmSession } from './llm-session.ts';

/** The quoted words as written in the note, and their lines. */
export interface Evidence {
  readonly text: string;
  readonly lines: readonly [number, number];
}

/** For each quote its first place in the requested part of the note, and the number of its places. */
export function placesIn(
  { text, from, to }: RequestedNote,
  quotes: readonly string[],
  { compute, signal }: CallContext,
) {
  return compute.run(jobs.quotes, { text, from, to, quotes }, signal);
}

/**
 * Warns about items that were dropped because the note does not contain them.
 * @param kept the number of items that remain
 * @throws PROVIDER_BAD_RESPONSE if the note contains none of the items
 */
export function reportInvented(
  { kept, invented }: { readonly kept: number; readonly invented: number },
  what: string,
  model: LlmSession,
  call: CallContext,
): void {
  if (invented === 0) return;
  if (kept === 0) throw model.unusable(`${what} that the note contains`, `${invented} that it does not`);
  const message = `${invented} ${what} dropped: the note does not contain the words that the model quoted`;
  call.warn({ code: 'UNVERIFIED', message, count: invented });
}

const URL_PATTERN = /(?:\b[a-z][a-z\d+.-]{1,20}:\/\/|\bwww\.|\b(?:mailto|javascript|data):)[^\s<>"'`()[\]{}]+/giu;

/** The first URL in the model's words that the material does not contain. */
export function foreignUrl(words: readonly string[], material: readonly string[]): string | undefined {
  const urls = words.flatMap((text) => text.match(URL_PATTERN) ?? []).map((url) => url.replace(/[.,;:!?]+$/, ''));
  return urls.find((url) => !material.some((text) => text.includes(url)));
}
