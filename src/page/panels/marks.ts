// Collects notes: marks them one by one, and shows them as a list that can be copied.

import { button, dot, element } from '../elements.ts';
import type { Reading } from '../reading.ts';

/** Adds the note to the collected ones, or takes it out. @returns whether it is one of them now */
export function turnMark({ view, model }: Pick<Reading, 'view' | 'model'>, path: string): boolean {
  const { marked } = view.get();
  if (model()?.nodes.has(path) !== true) return false;
  const isMarked = marked.includes(path);
  view.set({ marked: isMarked ? marked.filter((one) => one !== path) : [...marked, path] });
  return !isMarked;
}

/** Marks as a list of files does: the chosen note and the next one become the first two. */
export function addToMarks(page: Pick<Reading, 'view' | 'model'>, path: string): void {
  const { selected, marked } = page.view.get();
  if (marked.length === 0 && selected !== undefined && selected !== path) turnMark(page, selected);
  turnMark(page, path);
  if (page.view.get().marked.length > 0) page.view.set({ selected: undefined, chain: undefined, cursor: undefined });
}

/** The collected notes as the content of the panel. */
export function markedParts(page: Reading): Node[] {
  const marked = page.view.get().marked.filter((path) => page.model()?.nodes.has(path));
  const titles = marked.map((path) => titleOf(page, path));
  const links = titles.map((title) => `- [[${title}]]\n`).join('');
  const rows = marked.map((path) => markedRow(page, path));
  return [
    element('h1', {}, marked.length === 1 ? '1 note' : `${marked.length} notes`),
    element('p', { class: 'where' }, 'Shift and click, or m, adds a note or takes it out.'),
    element(
      'div',
      { class: 'actions' },
      button({ class: 'plain-button', id: 'copy-marked' }, () => copyText(page, links, 'Links'), 'Copy as links'),
      button({ class: 'plain-button', id: 'unmark' }, () => page.view.set({ marked: [] }), 'Clear'),
    ),
    element('h2', {}, 'Collected'),
    element('ul', { class: 'entries marked' }, ...rows),
  ];
}

function markedRow(page: Reading, path: string): Node {
  const row = noteEntry(page, path);
  const name = `Take ${titleOf(page, path)} out`;
  row.append(button({ class: 'icon-button', 'aria-label': name, title: name }, () => void turnMark(page, path), '✕'));
  return row;
}

const titleOf = ({ model }: Reading, path: string): string => {
  const now = model();
  return now?.picture.notes[now.nodes.get(path) ?? -1]?.title ?? path;
};

export async function copyText({ notice }: Pick<Reading, 'notice'>, text: string, what: string): Promise<void> {
  const [copied] = await Promise.allSettled([navigator.clipboard.writeText(text)]);
  notice.say(copied.status === 'fulfilled' ? `${what} copied` : `This browser does not let the page copy: ${text}`);
}

/** @param more secondary text below the title */
export function noteEntry({ model, choose }: Reading, path: string, more = ''): HTMLElement {
  const now = model();
  const note = now?.picture.notes[now.nodes.get(path) ?? -1];
  const row = button(
    { class: 'entry', title: path, 'data-path': path },
    () => choose(path),
    dot(note?.group ?? -1),
    element('span', {}, note?.title ?? path),
    ...(more === '' ? [] : [element('span', { class: 'sentence' }, more)]),
  );
  return element('li', {}, row);
}
