// The search box: searches titles at once and texts after a short pause.
import { button, dot, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import { type FoundNote, faultOf } from '../source/graph-source.ts';
import { markedWords } from './marked-words.ts';
import { plainWords } from './plain-words.ts';
import { titleMatches } from './title-matches.ts';

/** Pause after the last key before texts are searched. */
const TYPING_MS = 180;
const MAX_TITLES = 8;
const MIN_TEXT_QUERY_LENGTH = 2;

export class SearchBox {
  readonly #page: Reading;
  readonly #input = part<HTMLInputElement>('search');
  readonly #results = part('results');
  #active = -1;
  /** Counts requests, so that a late answer to an earlier one is dropped. */
  #requested = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Reading) {
    this.#page = page;
    this.#input.addEventListener('input', () => this.#search());
    this.#input.addEventListener('keydown', (event) => this.#onKey(event));
  }

  focus(): void {
    this.#input.select();
  }

  /** @returns whether there was something to close */
  close(): boolean {
    const wasOpen = !this.#results.hidden || this.#input.value !== '';
    this.#input.value = '';
    this.#cancel();
    this.#show([]);
    return wasOpen;
  }

  get #rows(): HTMLElement[] {
    return [...this.#results.querySelectorAll<HTMLElement>('.result')];
  }

  #search(): void {
    const query = this.#input.value.trim();
    this.#cancel();
    if (query === '') {
      this.#show([]);
      return;
    }
    const titles = titleMatches(query, this.#page.model(), MAX_TITLES);
    this.#showFound(query, titles, undefined);
    if (query.length < MIN_TEXT_QUERY_LENGTH && /^[\x20-\x7e]*$/.test(query)) return;
    this.#timer = setTimeout(() => this.#searchTexts(query, titles), TYPING_MS);
  }

  #cancel(): void {
    this.#requested += 1;
    clearTimeout(this.#timer);
  }

  async #searchTexts(query: string, titles: readonly string[]): Promise<void> {
    const requested = this.#requested;
    const [outcome] = await Promise.allSettled([this.#page.source.searchText(query)]);
    if (requested !== this.#requested) return;
    const active = Math.max(0, this.#active);
    this.#showFound(query, titles, outcome.status === 'fulfilled' ? outcome.value : faultOf(outcome.reason).message);
    const { length } = this.#rows;
    this.#mark(Math.min(active, length - 1));
    part('spoken').textContent = `${length} found`;
  }

  /** @param texts as of `resultParts` */
  #showFound(query: string, titles: readonly string[], texts: readonly FoundNote[] | string | undefined): void {
    this.#show(resultParts(this.#page, query, titles, texts, (path) => this.#take(path)));
  }

  #show(children: readonly Node[]): void {
    this.#results.replaceChildren(...children);
    this.#results.hidden = children.length === 0;
    const rows = this.#rows;
    // A list box without an option would be a list of nothing.
    this.#results.setAttribute('role', rows.length > 0 ? 'listbox' : 'status');
    this.#input.setAttribute('aria-expanded', String(rows.length > 0));
    for (const [at, row] of rows.entries()) row.id = `result-${at}`;
    this.#mark(rows.length > 0 ? 0 : -1);
  }

  #mark(next: number): void {
    this.#active = next;
    for (const [at, row] of this.#rows.entries()) {
      row.setAttribute('aria-selected', String(at === next));
      if (at === next) row.scrollIntoView({ block: 'nearest' });
    }
    if (next < 0) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', `result-${next}`);
  }

  #take(path: string): void {
    this.close();
    this.#input.blur();
    part('stage').focus();
    this.#page.choose(path);
  }

  #onKey(event: KeyboardEvent): void {
    const { length } = this.#rows;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (length > 0) this.#mark((this.#active + step + length) % length);
    }
    if (event.key === 'Enter') this.#rows[this.#active]?.click();
  }
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
    ...inTexts.map(({ path, snippet }) => resultRow(page, path, take, { snippet, query })),
  ];
  if (typeof texts === 'string') rows.push(element('p', { class: 'results-head' }, texts));
  const isNothing = rows.length === 0 && texts !== undefined;
  return isNothing ? [element('p', { class: 'results-head' }, `No note matches “${query}”.`)] : rows;
}

/** @param match where the text has the words of the query; without it the row shows the folder */
function resultRow(
  { model }: Reading,
  path: string,
  take: (path: string) => void,
  match?: { readonly snippet: string; readonly query: string },
) {
  const now = model();
  const note = now?.picture.notes[now.nodes.get(path) ?? -1];
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const more =
    match === undefined ? folder && [folder] : markedWords(withoutMarks(plainWords(match.snippet)), match.query);
  return button(
    { class: 'result', role: 'option', tabindex: '-1', title: path },
    () => take(path),
    dot(note?.group ?? -1),
    element('span', { class: 'title' }, note?.title ?? path),
    ...(more.length === 0 ? [] : [element('span', { class: match === undefined ? 'where' : 'snippet' }, ...more)]),
  );
}

/** Without the marks of headings, quotes and lists, which the lines of a snippet begin with, and without the borders of tables. */
const withoutMarks = (text: string): string =>
  text
    .replaceAll(/(?:\|[\s:—-]{0,40}){2,}/g, '| ')
    .replaceAll(/(^|\s|…)#{1,6}\s/g, '$1')
    .replace(/^(…?)\s*(?:[-*+>]|\d{1,9}[.)])\s/, '$1');
