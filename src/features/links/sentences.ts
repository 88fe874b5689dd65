// The sentence that each link stands in, read from the vault's present text.
import { fileKindOf, type Link, type NotePath } from '../../base/note.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import { decodeDestination } from '../../markdown/parse/markdown-link.ts';
import { parseContent, readTexts } from '../notes/note-content.ts';

const MAX_SENTENCE_LENGTH = 300;

/**
 * One entry for each link of a note whose sentence was found; each note is read once. Canvases have no sentences. What could
 * not be read, or no longer holds the link, is left out and counted in a warning.
 */
export async function sentencesOf(
  links: readonly ResolvedLink[],
  vault: Vault,
  call: CallContext,
): Promise<ReadonlyMap<ResolvedLink, string>> {
  const inNotes = links.filter(({ source }) => fileKindOf(source) === 'note');
  const texts = await readTexts([...new Set(inNotes.map(({ source }) => source))], vault, call.signal);
  const sentences = new Map<ResolvedLink, string>();
  for (const link of inNotes) {
    const text = texts.get(link.source);
    const sentence = text === undefined ? undefined : sentenceOf(link, text);
    if (sentence !== undefined) sentences.set(link, sentence);
  }
  warnOfMissing(inNotes.length - sentences.size, call);
  return sentences;
}

function warnOfMissing(count: number, call: CallContext): void {
  if (count === 0) return;
  const message = `${count} links without their sentence: the notes they stand in cannot be read or have changed`;
  call.warn({ code: 'EXTRA_MISSING', message, count });
}

function sentenceOf(link: ResolvedLink, text: string): string | undefined {
  const place = linkPlace(link, text);
  return place === undefined ? undefined : sentenceAround(text, place.offset, place.end, MAX_SENTENCE_LENGTH);
}

/** Where the link stands in the text as it is now; undefined where it no longer does. */
export function linkPlace(link: ResolvedLink, text: string): Pick<Link, 'offset' | 'end'> | undefined {
  return isLinkAt(link, text) ? link : movedLink(link, text);
}

/** Whether the text still holds the link where the index saw it; one that is spelled otherwise is looked for. */
function isLinkAt({ offset, end, targetPath, subpath }: ResolvedLink, text: string): boolean {
  const written = text.slice(offset, end);
  const target = targetPath + subpath;
  return target !== '' && (written.includes(target) || decodeDestination(written).includes(target));
}

/** The same link nearest to its old line. */
function movedLink(link: ResolvedLink, text: string): Link | undefined {
  const distance = ({ line }: Link): number => Math.abs(line - link.line);
  return parseContent(link.source as NotePath, text)
    .links.filter((one) => one.link === link.link && one.kind === link.kind)
    .sort((one, other) => distance(one) - distance(other))[0];
}
