// The actions of a note in the panel: reading, collecting, path, Obsidian and copies of its address.
import { button, element } from '../elements.ts';
import { obsidianAddress } from '../obsidian-address.ts';
import type { Reading } from '../reading.ts';
import type { ViewState } from '../view-state.ts';
import { copyText } from './copy-text.ts';
import { turnMark } from './marks.ts';

export function noteTools(page: Reading, path: string): Node {
  const { view, paths, model } = page;
  const address = obsidianAddress(model()?.picture.folder ?? '', path);
  const action = (id: string, act: () => void, ...words: readonly string[]): Node =>
    button({ class: 'plain-button', id }, act, ...words);
  const tools = element(
    'div',
    { class: 'actions' },
    action('wide', () => view.set({ wide: !view.get().wide }), 'Wide'),
    action('path-from', () => paths.begin(path), 'Path to…'),
    action('mark', () => void turnMark(page, path), 'Collect'),
    action('collected', () => view.set({ selected: undefined, chain: undefined })),
    element('a', { class: 'plain-button', href: address }, 'Open in Obsidian'),
    action('copy-link', () => void copyText(page, address, 'Link'), 'Copy link'),
    action('copy-path', () => void copyText(page, path, 'Path'), 'Copy path'),
  );
  showPressed(tools, view.get(), path);
  return tools;
}

/** Shows which of the switches among the actions are on. @param place contains the actions of the note */
export function showPressed(place: HTMLElement, { wide, marked }: ViewState, path: string): void {
  place.querySelector('#wide')?.setAttribute('aria-pressed', String(wide));
  place.querySelector('#mark')?.setAttribute('aria-pressed', String(marked.includes(path)));
  const collected = place.querySelector<HTMLElement>('#collected');
  if (collected === null) return;
  collected.hidden = marked.length === 0;
  collected.textContent = `Collected ${marked.length}`;
}
