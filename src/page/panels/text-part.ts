// The text of a note in the panel: its properties, outline and body.

import { readWikilink } from '../../markdown/parse/wikilink.ts';
import { slugOf } from '../../reader/outlet.ts';
import { button, element } from '../elements.ts';
import { dressLinks, type ReaderPage, type ShownNote, showPlace } from '../reader/links.ts';
import { noteText } from '../reader/note-text.ts';
import type { Reading } from '../reading.ts';
import { NOTE_ENDING, type NoteText } from '../source/graph-source.ts';

/** Longer texts are folded in a narrow panel, so that the links stay close. */
const LONG_TEXT = 1_200;

/** @throws PageError if the reader cannot be loaded */
export async function textParts(page: Reading, path: string, title: string, read: NoteText): Promise<Node[]> {
  if (read.text === undefined) return [];
  if (!NOTE_ENDING.test(path)) return [element('p', { class: 'quiet' }, 'Obsidian shows the content of this file.')];
  const [note, reader] = [{ ...read, path, title }, readerPage(page)];
  const body = await noteText(note, reader);
  const { subpath } = page.view.get();
  if (subpath !== undefined) requestAnimationFrame(() => showPlace(body, slugOf(subpath)));
  const isLong = read.text.length >= LONG_TEXT && subpath === undefined;
  return [
    element('div', { class: 'folds' }, ...propertyTable(note, reader), ...outlineOf(body)),
    ...(isLong ? folded(body) : [body]),
    ...(read.wholeLength === undefined ? [] : [cutNotice(read.text.length, read.wholeLength)]),
  ];
}

export function readerPage({ source, choose, view, notice, model }: Reading): ReaderPage {
  return {
    open: (path, subpath) => choose(path, subpath),
    showTag: (tag) => view.set({ tag }),
    say: (words) => notice.say(words),
    vault: model()?.picture.folder ?? '',
    read: source.text,
    fileAddress: source.fileAddress,
  };
}

function folded(body: HTMLElement): Node[] {
  const more = button({ class: 'plain-button unfold' }, () => unfold(), 'Show all');
  const unfold = (): void => {
    body.classList.remove('fold');
    more.remove();
  };
  body.classList.add('fold');
  // A link to a place in the part that is not visible.
  body.addEventListener('focusin', unfold);
  return [body, more];
}

function cutNotice(shown: number, whole: number): Node {
  const [some, all] = [shown, whole].map((count) => count.toLocaleString('en'));
  return element('p', { class: 'quiet' }, `These are the first ${some} of ${all} characters; Obsidian shows all.`);
}

/** Tags are shown elsewhere. */
const SHOWN_ELSEWHERE = new Set(['tags', 'tag']);

function propertyTable(note: ShownNote, page: ReaderPage): Node[] {
  const rows = Object.entries(note.properties).filter(([name]) => !SHOWN_ELSEWHERE.has(name.toLowerCase()));
  if (rows.length === 0) return [];
  const lines = rows.map(([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, ...withLinks(valueText(value)))),
  );
  const table = element('table', { class: 'properties', 'aria-label': 'Properties' }, element('tbody', {}, ...lines));
  dressLinks(table, note, page);
  // In a narrow window the text is what is seen first.
  const isOpen = matchMedia('(min-width: 801px)').matches;
  const head = element('summary', {}, `Properties ${rows.length}`);
  return [element('details', { open: isOpen }, head, table)];
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** Obsidian shows the wikilinks of a property as links. */
function withLinks(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(/\[\[([^\]\n]{1,400})\]\]/g)) {
    const link = readWikilink(match[1] ?? '');
    if (link === undefined) continue;
    parts.push(text.slice(at, match.index), element('a', { 'data-link': link.link }, link.display || link.link));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

const MIN_HEADINGS = 3;

function outlineOf(body: HTMLElement): Node[] {
  const headings = [...body.querySelectorAll<HTMLElement>(':is(h1, h2, h3, h4, h5, h6)[data-slug]')];
  const ownHeadings = headings.filter((heading) => heading.closest('.embed') === null);
  if (ownHeadings.length < MIN_HEADINGS) return [];
  const rows = ownHeadings.map((heading) => {
    const words = (heading.textContent ?? '').replace(/#$/, '');
    const link = element('button', { type: 'button', class: `level-${heading.tagName.slice(1)}` }, words);
    link.addEventListener('click', () => showPlace(body, heading.dataset.slug ?? ''));
    return element('li', {}, link);
  });
  const head = element('summary', {}, `Outline ${ownHeadings.length}`);
  return [element('details', { class: 'outline' }, head, element('ul', {}, ...rows))];
}
