// Reads the links of Logseq that other systems do not have: `((id))` of a block, also in `[text](((id)))` and `{{embed ((id))}}`, and `[text]([[page]])`.
import { currentDialect } from '../../base/note.ts';
import type { FoundLink, InlineFindings } from '../parse/inline.ts';
import { readWikilink } from '../parse/wikilink.ts';

const ID = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;
const REFERENCE = new RegExp(String.raw`\(\((${ID})\)\)`, 'gi');
const WHOLE = new RegExp(String.raw`^\(\((${ID})\)\)$`, 'i');
const EMBED = /\{\{embed[ \t]{1,10}$/;
const MAX_EMBED_LENGTH = 20;

/** A line `id:: …` of a block. */
const ID_LINE = new RegExp(String.raw`^id::[ \t]+(${ID})[ \t]*$`, 'i');

export function blockIdOfLogseq(line: string): string | undefined {
  return currentDialect() === 'logseq' ? ID_LINE.exec(line)?.[1] : undefined;
}

/** The id leads to the note whose block has it, and names the block there. */
const linkTo = (id: string): string => `${id}#^${id}`;

/** The links with those of Logseq, in any order. @param text that was scanned */
export function withLinksOfLogseq(found: InlineFindings, text: string): InlineFindings {
  if (currentDialect() !== 'logseq' || !(text.includes('((') || text.includes(']([['))) return found;
  const links = found.links.map((link) => toBlock(link) ?? toPage(link, text) ?? link);
  const taken = [...found.links.map(({ offset: from, end: to }) => ({ from, to })), ...found.code];
  const isFree = freeOf(taken);
  for (const { index, 0: written, 1: id = '' } of text.matchAll(REFERENCE)) {
    if (!isFree(index)) continue;
    const kind = EMBED.test(text.slice(Math.max(index - MAX_EMBED_LENGTH, 0), index)) ? 'embed' : 'wikilink';
    const place = { line: 0, column: 0, offset: index, end: index + written.length };
    links.push({ kind, link: linkTo(id), display: written, ...place });
  }
  return { ...found, links };
}

function toBlock(link: FoundLink): FoundLink | undefined {
  const id = link.kind === 'markdown' ? WHOLE.exec(link.link)?.[1] : undefined;
  return id === undefined ? undefined : { ...link, link: linkTo(id) };
}

/** Read as a link between brackets, so that these stay when the page is renamed. */
function toPage(link: FoundLink, text: string): FoundLink | undefined {
  const at = text.indexOf(']([[', link.offset);
  if (link.kind !== 'markdown' || at === -1 || !text.startsWith(']])', link.end - 3)) return undefined;
  const read = readWikilink(text.slice(at + 4, link.end - 3));
  return read === undefined || at > link.end
    ? undefined
    : { ...link, ...read, kind: 'wikilink', offset: at + 2, end: link.end - 1 };
}

/** Whether an offset is in none of the spans; for ascending offsets. */
function freeOf(spans: readonly { readonly from: number; readonly to: number }[]): (offset: number) => boolean {
  const ascending = spans.toSorted((one, other) => one.from - other.from);
  let next = 0;
  let end = 0;
  return (offset) => {
    for (let span = ascending[next]; span !== undefined && span.from <= offset; span = ascending[++next])
      end = Math.max(end, span.to);
    return offset >= end;
  };
}
