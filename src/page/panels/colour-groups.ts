// Edits the colour groups: a query for each, whose notes have its colour.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';

/** There are as many groups as colours. */
const MAX_GROUPS = 9;

export function setUpColourGroups({ view, themes }: Reading): void {
  const place = part('queries');
  const add = button({ class: 'plain-button', id: 'add-query' }, () => {
    view.set({ queries: [...view.get().queries, ''], colour: undefined });
    place.querySelector<HTMLInputElement>('li:last-of-type input')?.focus();
  });
  add.append('Add a group');
  const change = (at: number, query: string | undefined): void => {
    const { queries } = view.get();
    view.set({ queries: queries.toSpliced(at, 1, ...(query === undefined ? [] : [query])), colour: undefined });
  };
  const take = (at: number): void => {
    change(at, undefined);
    add.focus();
  };
  const draw = (): void => {
    const { colourBy, queries } = view.get();
    place.hidden = colourBy !== 'query';
    const rows = queries.map((query, at) => {
      const name = `Query of group ${at + 1}`;
      const input = element('input', { type: 'text', 'aria-label': name, placeholder: HINT, spellcheck: 'false' });
      input.value = query;
      input.addEventListener('input', () => change(at, input.value));
      const remove = button({ class: 'icon-button', 'aria-label': `Remove group ${at + 1}` }, () => take(at), '✕');
      return element('li', {}, dot(groupColour(at, themes.palette())), input, remove);
    });
    add.hidden = queries.length >= MAX_GROUPS;
    place.replaceChildren(element('ul', {}, ...rows), add);
  };
  themes.listen(draw);
  view.listen((state, changed) => {
    // While the reader types, the rows stay as they are.
    const isTyping =
      place.contains(document.activeElement) && place.querySelectorAll('li').length === state.queries.length;
    if (changed.has('colourBy') || (changed.has('queries') && !isTyping)) draw();
  });
  draw();
}

const HINT = 'words, path:, file:, tag:#';
