// A row of the panel: a note that can be chosen.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element } from '../elements.ts';
import type { Reading } from '../reading.ts';

/** @param more secondary text below the title */
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
