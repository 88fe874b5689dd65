// Reads the sentence around each link from the current text of the notes.
import { fileKindOf, type Link, type NotePath } from '../../base/note.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import { lineEnd, lineStart } from '../../markdown/parse/lines.ts';
import { decodeDestination } from '../../markdown/parse/markdown-link.ts';
import { parseContent } from '../../markdown/parse/parse-content.ts';
import { readTexts } from '../notes/note-content.ts';

const MAX_SENTENCE_LENGTH = 300;

/**
 * By link; reads each note once. Links that cannot be read or are no longer there are left out and
 * counted in a warning.
 */
export async function sentencesOf(
  links: readonly ResolvedLink[],
  vault: Vault,
  call: CallContext,
): Promise<ReadonlyMap<ResolvedLink, string>> {
  const texts = await readTexts([...new Set(links.map(({ source }) => source))], vault, call);
  const sentences = new Map<ResolvedLink, string>();
  for (const link of links) {
    const text = texts.get(link.source);
    const sentence = text === undefined ? undefined : sentenceOf(link, text);
    if (sentence !== undefined) sentences.set(link, sentence);
  }
  warnOfMissing(links.length - sentences.size, call);
  return sentences;
}

function warnOfMissing(count: number, call: CallContext): void {
  if (count === 0) return;
  const message = `${count} links without their sentence: their notes cannot be read or have changed`;
  call.warn({ code: 'EXTRA_MISSING', message, count });
}

function sentenceOf(link: ResolvedLink, text: string): string | undefined {
  const place = linkPlace(link, text);
  if (place === undefined) return undefined;
  const { from, to } = fieldLine(link, place, text) ?? { from: 0, to: text.length };
  const around = sentenceAround(text.slice(from, to), place.offset - from, place.end - from, MAX_SENTENCE_LENGTH);
  if (link.key === undefined) return around;
  return link.kind !== 'property' && around.includes(link.key) ? around : withProperty(link.key, around);
}

/** The line of a link that is in an inline field of a whole line: the lines around it say something else. */
export function fieldLine({ kind, key }: ResolvedLink, { offset, end }: Pick<Link, 'offset' | 'end'>, text: string) {
  if (key === undefined || kind === 'property') return undefined;
  const from = lineStart(text, offset);
  const isWhole = !/[[(]/.test(text.slice(from, text.indexOf('::', from)));
  return isWhole ? { from, to: lineEnd(text, end) } : undefined;
}

/** A link in a property says what it means by the name of the property, which for an item of a list is on another line. */
function withProperty(key: string, sentence: string): string {
  const name = propertyNameOf(key);
  const item = sentence.replace(/^-\s+/, '');
  return item.startsWith(`${name}:`) ? item : `${name}: ${item}`;
}

/** Where the link is in the current text; undefined if it is gone. */
export function linkPlace(link: ResolvedLink, text: string): Pick<Link, 'offset' | 'end'> | undefined {
  return isLinkAt(link, text) ? link : movedLink(link, text);
}

/** Whether the text still has the link at the indexed position. A link with another spelling is searched for instead. */
function isLinkAt({ kind, offset, end, targetPath, subpath }: ResolvedLink, text: string): boolean {
  const linkText = text.slice(offset, end);
  // A card has the part of its file beside the path.
  const target = kind === 'canvas' ? targetPath : targetPath + subpath;
  return target !== '' && (linkText.includes(target) || decodeDestination(linkText).includes(target));
}

/** The same link, closest to its old line. */
function movedLink(link: ResolvedLink, text: string): Link | undefined {
  const distance = ({ line }: Link): number => Math.abs(line - link.line);
  // The outline of a canvas is not its file.
  if (fileKindOf(link.source) !== 'note') return undefined;
  return parseContent(link.source as NotePath, text)
    .links.filter((one) => one.link === link.link && one.kind === link.kind)
    .sort((one, other) => distance(one) - distance(other))[0];
}

/** Returns the name of the list for an item of a list, such as `crew.0`. */
export function propertyNameOf(key: string): string {
  return key.split('.').findLast((part) => !/^\d+$/.test(part)) ?? key;
}
