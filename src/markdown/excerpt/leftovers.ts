// Finds placeholders of templates that were not filled in, outside code, math and comments.
import { currentDialect, type Dialect } from '../../base/note.ts';
import { positionAt, splitLines } from '../parse/lines.ts';
import { parseNote } from '../parse/parse-note.ts';

export interface Leftover {
  readonly line: number;
  readonly text: string;
}

/** Commands of Templater, variables of Obsidian and of other tools, `${name}`, and texts that ask to be replaced. */
const PLACEHOLDERS = [
  String.raw`<%[-_*~+]{0,2}\s?[^<>%]{1,300}%>`,
  String.raw`\{\{\s*[\p{L}_][\p{L}\p{N}_-]{0,40}\s*(?:[+-]\d{1,4}[a-zA-Z])?(?:[:|][^{}\n]{0,80})?\s*\}\}`,
  String.raw`(?<!\$)\$\{[A-Za-z_][\w.]{0,40}(?::[^{}\n$]{0,80})?\}(?!\$)`,
  String.raw`\[(?:insert|enter|add|put|write|type|fill in)\b[^\]\[\n]{0,60}\bhere\](?![(\[])`,
  String.raw`\blorem ipsum dolor\b`,
];
const PLACEHOLDER = new RegExp(PLACEHOLDERS.join('|'), 'giu');
/** Systems that show a value in place of each variable in braces. */
const SHOWS_VARIABLES: readonly Dialect[] = ['hugo', 'jekyll', 'mkdocs', 'docusaurus', 'quarto', 'roam'];
/** What other programs show in place of these. */
const COMMANDS =
  /^\{\{\s*(?:c\d+|query|embed|video|renderer|cloze|youtube|tweet|pdf|zotero|table|advanced|function|namespace|cards)\b/i;
/** A variable of a shell, as in `${HOME}`. */
const OF_SHELL = /^\$\{[A-Z\d_]+(?=[:}])/;
const MAYBE = /<%|\{\{|\$\{|\bhere\]|lorem ipsum/i;

export function leftoversIn({ text }: { readonly text: string }): readonly Leftover[] {
  if (!MAYBE.test(text)) return [];
  const isShown = SHOWS_VARIABLES.includes(currentDialect());
  const places = [...text.matchAll(PLACEHOLDER)]
    .filter(
      ([placeholder]) =>
        !COMMANDS.test(placeholder) && !OF_SHELL.test(placeholder) && !(placeholder.startsWith('{{') && isShown),
    )
    .map(({ index, 0: placeholder }) => ({ from: index, to: index + placeholder.length }));
  if (places.length === 0) return [];
  const { bodyOffset, links } = parseNote(text);
  const isPlain = ({ from }: Place): boolean =>
    from < bodyOffset || links.some(({ offset, end }) => offset <= from && from < end);
  const inText = placesInText(text, places);
  const lines = splitLines(text);
  return places
    .filter((place) => isPlain(place) || inText.has(place))
    .map(({ from, to }) => ({ line: positionAt(lines, from).line, text: text.slice(from, to) }));
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** A link is written in place of each: those that the parser then reports are in running text. */
function placesInText(text: string, places: readonly Place[]): ReadonlySet<Place> {
  let marked = '';
  let last = 0;
  const starts = new Map<number, Place>();
  for (const place of places) {
    marked += text.slice(last, place.from);
    starts.set(marked.length, place);
    marked += '[[x]]';
    last = place.to;
  }
  const { links } = parseNote(marked + text.slice(last));
  return new Set(links.flatMap(({ offset }) => starts.get(offset) ?? []));
}
