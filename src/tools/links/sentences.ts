// Reads the sentence around each link from the current text of the notes.
import { fileKindOf, type NotePath } from '../../base/note.ts';
import { jobs } from '../../compute/jobs.ts';
import type { ResolvedLink } from '../../contracts/store.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { Vault } from '../../contracts/vault.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import type { LinkPlace } from '../../markdown/links/moved-places.ts';
import { lineEnd, lineStart } from '../../markdown/parse/lines.ts';
import { decodeDestination } from '../../markdown/parse/markdown-link.ts';
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
  const places = await linkPlaces(links, (path) => texts.get(path), call);
  const sentences = new Map<ResolvedLink, string>();
  for (const [link, place] of places) {
    const text = texts.get(link.source);
    if (text !== undefined) sentences.set(link, sentenceOf(link, place, text));
  }
  warnOfMissing(links.length - sentences.size, call);
  return sentences;
}

function warnOfMissing(count: number, call: CallContext): void {
  if (count === 0) return;
  const message = `${count} links without their sentence: their notes cannot be read or have changed`;
  call.warn({ code: 'EXTRA_MISSING', message, count });
}

function sentenceOf(link: ResolvedLink, place: LinkPlace, text: string): string {
  const { from, to } = fieldLine(link, place, text) ?? { from: 0, to: text.length };
  const around = sentenceAround(text.slice(from, to), place.offset - from, place.end - from, MAX_SENTENCE_LENGTH);
  if (link.key === undefined) return around;
  return link.kind !== 'property' && around.includes(link.key) ? around : withProperty(link.key, around);
}

/** The line of a link that is in an inline field of a whole line: the lines around it say something else. */
export function fieldLine({ kind, key }: ResolvedLink, { offset, end }: LinkPlace, text: string) {
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

/** Where each link is in the current text of its note. Links that are gone, or whose text is unknown, are left out. */
export async function linkPlaces(
  links: readonly ResolvedLink[],
  textOf: (path: NotePath) => string | undefined,
  { compute, signal }: Pick<CallContext, 'compute' | 'signal'>,
): Promise<ReadonlyMap<ResolvedLink, LinkPlace>> {
  const places = new Map<ResolvedLink, LinkPlace>();
  for (const [path, ofNote] of Map.groupBy(links, ({ source }) => source)) {
    const text = textOf(path);
    if (text === undefined) continue;
    const { true: there = [], false: elsewhere = [] } = Object.groupBy(ofNote, (link) => `${isLinkAt(link, text)}`);
    for (const link of there) places.set(link, link);
    // The outline of a canvas is not its file.
    if (elsewhere.length === 0 || fileKindOf(path) !== 'note') continue;
    const sought = { path, text, links: elsewhere.map(({ kind, link, line }) => ({ kind, link, line })) };
    const moved = await compute.run(jobs.moved_places, sought, signal);
    for (const [at, link] of elsewhere.entries()) {
      const place = moved[at];
      if (place !== undefined) places.set(link, place);
    }
  }
  return places;
}

/** Whether the text still has the link at the indexed position. A link with another spelling is searched for instead. */
function isLinkAt({ kind, offset, end, targetPath, subpath }: ResolvedLink, text: string): boolean {
  const linkText = text.slice(offset, end);
  // A card has the part of its file beside the path.
  const target = kind === 'canvas' ? targetPath : targetPath + subpath;
  return target !== '' && (linkText.includes(target) || decodeDestination(linkText).includes(target));
}

/** Returns the name of the list for an item of a list, such as `crew.0`. */
export function propertyNameOf(key: string): string {
  return key.split('.').findLast((part) => !/^\d+$/.test(part)) ?? key;
}
