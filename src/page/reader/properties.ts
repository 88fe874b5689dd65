// Shows the properties of a note as a table, and its headings as an outline.
import { readWikilink } from '../../markdown/parse/wikilink.ts';
import { element } from '../elements.ts';
import { dressLinks, showPlace } from './links.ts';
import type { ReaderPage, ShownNote } from './reader-page.ts';

/** Tags are shown elsewhere. */
const SHOWN_ELSEWHERE = new Set(['tags', 'tag']);

export function propertyTable(note: ShownNote, page: ReaderPage): Node[] {
  const rows = Object.entries(note.properties).filter(([name]) => !SHOWN_ELSEWHERE.has(name.toLowerCase()));
  if (rows.length === 0) return [];
  const lines = rows.map(([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, ...withLinks(valueText(value)))),
  );
  const table = element('table', { class: 'properties', 'aria-label': 'Properties' }, element('tbody', {}, ...lines));
  dressLinks(table, note, page);
  return [table];
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
  for (const found of text.matchAll(/\[\[([^\]\n]{1,400})\]\]/g)) {
    const link = readWikilink(found[1] ?? '');
    if (link === undefined) continue;
    parts.push(text.slice(at, found.index), element('a', { 'data-link': link.link }, link.display || link.link));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

const MIN_HEADINGS = 3;

export function outlineOf(body: HTMLElement): Node[] {
  const headings = [...body.querySelectorAll<HTMLElement>(':is(h1, h2, h3, h4, h5, h6)[data-slug]')];
  const own = headings.filter((heading) => heading.closest('.embed') === null);
  if (own.length < MIN_HEADINGS) return [];
  const rows = own.map((heading) => {
    const words = (heading.textContent ?? '').replace(/#$/, '');
    const link = element('button', { type: 'button', class: `level-${heading.tagName.slice(1)}` }, words);
    link.addEventListener('click', () => showPlace(body, heading.dataset.slug ?? ''));
    return element('li', {}, link);
  });
  const head = element('summary', {}, `Outline ${own.length}`);
  return [element('details', { class: 'outline' }, head, element('ul', {}, ...rows))];
}
