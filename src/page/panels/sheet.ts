// A sheet that covers the graph until it is closed: the list of notes, or what is new.
import { part } from '../elements.ts';
import type { Reading } from '../reading.ts';

export type Sheet = ReturnType<typeof setUpSheet>;

/**
 * @param name of its switch in the view, and of its element
 * @param draw fills the element when it is opened and when the graph has changed; it gets what closes the sheet
 */
export function setUpSheet(
  { view }: Pick<Reading, 'view'>,
  name: 'list' | 'changes',
  draw: (place: HTMLElement, close: () => void) => void,
) {
  const place = part(name);
  /** @returns whether there was something to close */
  const close = (): boolean => {
    const wasOpen = view.get()[name];
    view.set({ [name]: false });
    return wasOpen;
  };
  const turn = (): void => {
    if (!close()) view.set({ list: false, changes: false, [name]: true });
  };
  const refresh = (): void => {
    if (!place.hidden) draw(place, () => void close());
  };
  view.listen((state, changed) => {
    if (!changed.has(name)) return;
    place.hidden = !state[name];
    if (place.hidden) leave(place);
    else {
      refresh();
      place.focus();
    }
  });
  part(`${name}-button`).addEventListener('click', turn);
  return Object.freeze({ close, turn, refresh });
}

function leave(place: HTMLElement): void {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren();
  if (hadFocus) part('stage').focus();
}
