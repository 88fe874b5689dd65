// The search box: searches titles at once and texts after a short pause.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import { type FoundNote, faultOf } from '../source/graph-source.ts';
import { plainWords } from './plain-words.ts';
import { titleMatches } from './title-matches.ts';

export type SearchBox = ReturnType<typeof setUpSearch>;

/** Pause after the last key before texts are searched. */
const TYPING_MS = 180;
const MAX_TITLES = 8;
const MIN_TEXT_QUERY_LENGTH = 2;

export function setUpSearch(page: Reading) {
  const input = part<HTMLInputElement>('search');
  const results = part('results');
  let active = -1;
  let requested = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rows = (): HTMLElement[] => [...results.querySelectorAll<HTMLElement>('.result')];
  const mark = (next: number): void => {
    active = next;
    for (const [at, row] of rows().entries()) {
      row.setAttribute('aria-selected', String(at === active));
      if (at === active) row.scrollIntoView({ block: 'nearest' });
    }
    if (active < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `result-${active}`);
  };
  const show = (children: readonly Node[]): void => {
    results.replaceChildren(...children);
    results.hidden = children.length === 0;
    // A list box without an option would be a list of nothing.
    results.setAttribute('role', rows().length > 0 ? 'listbox' : 'status');
    input.setAttribute('aria-expanded', String(rows().length > 0));
    for (const [at, row] of rows().entries()) row.id = `result-${at}`;
    mark(rows().length > 0 ? 0 : -1);
  };
  /** @returns whether there was something to close */
  const close = (): boolean => {
    const wasOpen = !results.hidden || input.value !== '';
    input.value = '';
    requested += 1;
    clearTimeout(timer);
    show([]);
    return wasOpen;
  };
  const take = (path: string): void => {
    close();
    input.blur();
    part('stage').focus();
    page.choose(path);
  };
  const search = (): void => {
    const query = input.value.trim();
    requested += 1;
    clearTimeout(timer);
    if (query === '') {
      show([]);
      return;
    }
    const titles = titleMatches(query, page.model(), MAX_TITLES);
    show(resultParts(page, query, titles, undefined, take));
    if (query.length < MIN_TEXT_QUERY_LENGTH && /^[\x20-\x7e]*$/.test(query)) return;
    const mine = requested;
    timer = setTimeout(async () => {
      const [found] = await Promise.allSettled([page.source.searchText(query)]);
      if (mine !== requested) return;
      const texts = found.status === 'fulfilled' ? found.value : faultOf(found.reason).message;
      const kept = Math.max(0, active);
      show(resultParts(page, query, titles, texts, take));
      mark(Math.min(kept, rows().length - 1));
      part('spoken').textContent = `${rows().length} found`;
    }, TYPING_MS);
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    const count = rows().length;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (count > 0) mark((active + (event.key === 'ArrowDown' ? 1 : -1) + count) % count);
    }
    if (event.key === 'Enter') rows()[active]?.click();
  });
  return Object.freeze({ focus: () => input.select(), close });
}

/** @param texts undefined while the search runs; a message if it failed */
function resultParts(
  page: Reading,
  query: string,
  titles: readonly string[],
  texts: readonly FoundNote[] | string | undefined,
  take: (path: string) => void,
): Node[] {
  const inTexts = typeof texts === 'string' ? [] : (texts ?? []).filter(({ path }) => !titles.includes(path));
  const rows = [
    ...titles.map((path) => resultRow(page, path, take)),
    ...(inTexts.length === 0 ? [] : [element('p', { class: 'results-head' }, 'In the text')]),
    ...inTexts.map(({ path, snippet }) => resultRow(page, path, take, snippet)),
  ];
  if (typeof texts === 'string') rows.push(element('p', { class: 'results-head' }, texts));
  const isNothing = rows.length === 0 && texts !== undefined;
  return isNothing ? [element('p', { class: 'results-head' }, `No note matches “${query}”.`)] : rows;
}

function resultRow({ model, themes }: Reading, path: string, take: (path: string) => void, snippet?: string) {
  const now = model();
  const note = now?.picture.notes[now.nodes.get(path) ?? -1];
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const more = snippet === undefined ? folder : plainWords(snippet);
  return button(
    { class: 'result', role: 'option', tabindex: '-1', title: path },
    () => take(path),
    dot(groupColour(note?.group ?? -1, themes.palette())),
    element('span', { class: 'title' }, note?.title ?? path),
    ...(more === '' ? [] : [element('span', { class: snippet === undefined ? 'where' : 'snippet' }, more)]),
  );
}
