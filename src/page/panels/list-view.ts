// Shows the notes as a table.
import type { PicturedNote } from '../../contracts/graph-picture.ts';
import { button, element, part } from '../elements.ts';
import { lookOf } from '../graph/look.ts';
import type { Reading } from '../reading.ts';

export type ListView = ReturnType<typeof setUpList>;

const ROWS_AT_ONCE = 200;

export function setUpList(page: Reading) {
  const { view } = page;
  const place = part('list');
  const refresh = (): void => {
    if (!place.hidden) draw(page, place, () => void close());
  };
  /** @returns whether there was something to close */
  const close = (): boolean => {
    const wasOpen = view.get().list;
    view.set({ list: false });
    return wasOpen;
  };
  const turn = (): void => {
    if (close()) part('stage').focus();
    else view.set({ list: true });
  };
  view.listen(({ list }, changed) => {
    if (!changed.has('list')) return;
    place.hidden = !list;
    if (!list) return place.replaceChildren();
    refresh();
    place.focus();
  });
  part('list-button').addEventListener('click', turn);
  return Object.freeze({ close, turn, refresh });
}

function draw(page: Reading, place: HTMLElement, close: () => void): void {
  const now = page.model();
  if (now === undefined) return;
  const look = lookOf(now, page.view.get(), page.themes.palette(), undefined);
  const nodes = [...now.picture.notes.keys()].filter(look.isShown);
  nodes.sort((a, b) => (now.picture.notes[b]?.rank ?? 0) - (now.picture.notes[a]?.rank ?? 0));
  const body = element('tbody');
  const more = button({ class: 'plain-button' }, () => addRows(), 'More');
  const addRows = (): void => {
    const next = nodes.slice(body.childElementCount, body.childElementCount + ROWS_AT_ONCE);
    body.append(...next.map((node) => row(page, node, close)));
    more.hidden = body.childElementCount >= nodes.length;
  };
  addRows();
  place.replaceChildren(
    element(
      'div',
      { class: 'head' },
      element('h2', {}, `${nodes.length} notes, most central first`),
      button({ class: 'plain-button' }, close, 'Back to the graph'),
    ),
    element('table', {}, heading(), body),
    more,
  );
}

function heading(): Node {
  const cells = ['Note', 'Folder', 'Community'].map((name) => element('th', { scope: 'col' }, name));
  return element('thead', {}, element('tr', {}, ...cells, element('th', { scope: 'col', class: 'number' }, 'Links')));
}

function row(page: Reading, node: number, close: () => void): Node {
  const now = page.model();
  const note = now?.picture.notes[node] as PicturedNote;
  const open = (): void => {
    close();
    page.choose(note.path);
  };
  return element(
    'tr',
    {},
    element('td', {}, button({ class: 'note-link' }, open, note.title)),
    element('td', {}, note.path.split('/').slice(0, -1).join('/')),
    element('td', {}, now?.picture.groups[note.group]?.label ?? ''),
    element('td', { class: 'number' }, String(now?.shape.degrees[node] ?? 0)),
  );
}
