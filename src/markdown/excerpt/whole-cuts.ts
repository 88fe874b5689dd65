// Moves the place of a cut out of what belongs together: a letter with its marks, an emoji of several characters, a link, code.

/** Longer ones are cut: they would leave too little. */
const MAX_UNIT = 240;
const TARGET = String.raw`\((?:<[^<>\n]*>|[^()\s<]|\([^()\s]*\))*(?:[ \t]+"[^"\n]*")?\)`;
const LINKS = [
  String.raw`!?\[\[[^[\]\n]+\]\]`,
  String.raw`!?\[(?:\[[^[\]\n]*\](?:${TARGET})?|[^[\]\n])*\](?:${TARGET}|\[[^[\]\n]*\])`,
  String.raw`(?<!\x60)(\x60{1,3})(?!\x60)[^\n]+?(?<!\x60)\1(?!\x60)`,
  String.raw`<[a-z][^<>\n]*>`,
].join('|');
const UNITS = [
  LINKS,
  String.raw`\[\^[^[\]\s]+\]`,
  String.raw`(\*{1,3}|__|~~|==)(?=\S)[^*_~=\n]{1,40}(?<=\S)\2`,
  String.raw`https?:\/\/[^\s<>()|\]"'，。）」]+`,
  '[*_~=%$]{2,3}',
].join('|');
const EACH_LINK = new RegExp(LINKS, 'giu');
const EACH_UNIT = new RegExp(UNITS, 'giu');
const OPENS_LINK = /[[<\x60]/;

/** The last place up to `at` where nothing is cut, but `least` at the lowest. */
export function cutBefore(text: string, at: number, least: number): number {
  const { from } = unitAround(text, at);
  return from >= least ? letterStart(text, from, least) : letterStart(text, at, least);
}

/** The first place from `at` on where nothing is cut, but `most` at the highest. */
export function cutAfter(text: string, at: number, most: number): number {
  const { to } = unitAround(text, at);
  return to <= most ? letterEnd(text, to, most) : letterEnd(text, at, most);
}

/** Whether the place is inside of a link or code on one line. */
export function isInLink(text: string, at: number): boolean {
  return OPENS_LINK.test(text.slice(Math.max(0, at - MAX_UNIT), at)) && unitAround(text, at, EACH_LINK).from < at;
}

/** The link or the like that the place is inside of; from and to the place where there is none. */
function unitAround(text: string, at: number, units = EACH_UNIT): { readonly from: number; readonly to: number } {
  const least = Math.max(0, at - MAX_UNIT);
  // Only as far back as a unit begins: a line may have millions of characters, and is cut in many places.
  const start = least + text.slice(least, at).lastIndexOf('\n') + 1;
  const near = text.slice(start, at + MAX_UNIT);
  for (const { 0: unit, index } of near.matchAll(units)) {
    const from = start + index;
    if (from >= at) break;
    if (from + unit.length > at) return { from, to: from + unit.length };
  }
  return { from: at, to: at };
}

/** What a reader sees as one letter is not longer, but for text that is made to be. */
const MAX_LETTER = 64;
/** Flags are pairs, counted from the first of a row of them. */
const MAX_ROW = 1_024;
let segmenter: Intl.Segmenter | undefined;

/** The letter around the place; from and to the place between two of them. */
function letterAround(text: string, at: number): { readonly from: number; readonly to: number } {
  if (at <= 0 || at >= text.length || (isPlain(text.charCodeAt(at)) && isPlain(text.charCodeAt(at - 1))))
    return { from: at, to: at };
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const start = plainBefore(text, at);
  const letter = segmenter.segment(text.slice(start, at + MAX_LETTER)).containing(at - start);
  const from = start + (letter?.index ?? 0);
  return from === at ? { from, to: at } : { from, to: from + (letter?.segment.length ?? 0) };
}

/** An ASCII character never belongs to the one before it, but for a line feed, between which and a carriage return nothing is shown. */
const isPlain = (code: number): boolean => code < 0x80;

function plainBefore(text: string, at: number): number {
  const least = Math.max(0, at - MAX_ROW);
  let start = at - 1;
  while (start > least && !isPlain(text.charCodeAt(start))) start -= 1;
  return isSecondHalf(text, start) ? start - 1 : start;
}

function letterStart(text: string, at: number, least: number): number {
  const { from } = letterAround(text, at);
  if (from >= least) return from;
  return isSecondHalf(text, at) && at > least ? at - 1 : at;
}

function letterEnd(text: string, at: number, most: number): number {
  const { to } = letterAround(text, at);
  if (to <= most) return to;
  return isSecondHalf(text, at) && at < most ? at + 1 : at;
}

/** Whether the place is inside of a surrogate pair. */
const isSecondHalf = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
