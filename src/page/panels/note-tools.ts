// The actions of a note in the panel: reading, path, Obsidian and copies of its address.
import { button, element } from '../elements.ts';
import { obsidianAddress } from '../obsidian-address.ts';
import type { Reading } from '../reading.ts';

export function noteTools({ view, paths, model, notice }: Reading, path: string): Node {
  const address = obsidianAddress(model()?.picture.folder ?? '', path);
  const copy = async (text: string, what: string): Promise<void> => {
    const [copied] = await Promise.allSettled([navigator.clipboard.writeText(text)]);
    notice.say(copied.status === 'fulfilled' ? `${what} copied` : `This browser does not let the page copy: ${text}`);
  };
  const wide = button({ class: 'plain-button', id: 'wide', 'aria-pressed': String(view.get().wide) }, () => {
    view.set({ wide: !view.get().wide });
    wide.setAttribute('aria-pressed', String(view.get().wide));
  });
  wide.append('Wide');
  return element(
    'div',
    { class: 'actions' },
    wide,
    button({ class: 'plain-button', id: 'path-from' }, () => paths.begin(path), 'Path to…'),
    element('a', { class: 'plain-button', href: address }, 'Open in Obsidian'),
    button({ class: 'plain-button', id: 'copy-link' }, () => void copy(address, 'Link'), 'Copy link'),
    button({ class: 'plain-button', id: 'copy-path' }, () => void copy(path, 'Path'), 'Copy path'),
  );
}
