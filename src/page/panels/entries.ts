// A row that stands for a note and opens it: its colour, its title, and a word on why it is there.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element } from '../elements.ts';
import type { Reading } from '../reading.ts';

/** @param more shown below the title, quieter */
export function noteEntry({ model, themes, choose }: Reading, path: string, more = ''): HTMLElement {
  const now = model();
  const note = now?.picture.notes[now.nodes.get(path) ?? -1];
  const row = button(
    { class: 'entry', title: path, 'data-path': path },
    () => choose(path),
    dot(groupColour(note?.group ?? -1, themes.palette())),
    element('span', {}, note?.title ?? path),
    ...(more === '' ? [] : [element('span', { class: 'sentence' }, more)]),
  );
  return element('li', {}, row);
}
