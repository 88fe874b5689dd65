// Shows the notes as a table.
import type { PicturedNote } from '../../contracts/graph-picture.ts';
import { button, element } from '../elements.ts';
import { lookOf } from '../graph/look.ts';
import type { Reading } from '../reading.ts';
import { type Sheet, setUpSheet } from './sheet.ts';

const ROWS_AT_ONCE = 200;

export const setUpList = (page: Reading): Sheet => setUpSheet(page, 'list', (place, close) => draw(page, place, close));

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
    body.append(...next.map((node) => row(page, node)));
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

function row(page: Reading, node: number): Node {
  const now = page.model();
  const note = now?.picture.notes[node] as PicturedNote;
  return element(
    'tr',
    {},
    element(
      'td',
      {},
      button({ class: 'note-link' }, () => page.choose(note.path), note.title),
    ),
    element('td', {}, note.path.split('/').slice(0, -1).join('/')),
    element('td', {}, now?.picture.groups[note.group]?.label ?? ''),
    element('td', { class: 'number' }, String(now?.shape.degrees[node] ?? 0)),
  );
}
