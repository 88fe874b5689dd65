// What the reader asks of the page around it, and what its links do.

import { obsidianAddress } from '../address.ts';
import { element } from '../elements.ts';
import type { NoteText } from '../source/graph-source.ts';

export interface ReaderPage {
  /** @param subpath `#Heading` or `#^block`; empty for the whole note */
  open(path: string, subpath: string): void;
  showTag(tag: string): void;
  /** Says something to the reader for a moment. */
  say(words: string): void;
  /** The name of the vault for Obsidian. */
  readonly vault: string;
  /** The text of another note, for an embed. @throws PageError */
  read(path: string): Promise<NoteText>;
  /** Where the page gets a file of the vault; undefined if it has none. */
  fileAddress(path: string): string | undefined;
}

export interface ShownNote extends NoteText {
  readonly path: string;
  /** A first heading that repeats it is left out. */
  readonly title: string;
}

/** The place with a slug; null if there is none. */
export function placeIn(body: HTMLElement, slug: string): HTMLElement | null {
  return slug === '' ? null : body.querySelector<HTMLElement>(`[data-slug="${CSS.escape(slug)}"]`);
}

export function dressLinks(body: HTMLElement, note: ShownNote, page: ReaderPage): void {
  for (const link of body.querySelectorAll<HTMLAnchorElement>('a')) {
    const { link: written, jump, tag } = link.dataset;
    if (written !== undefined) dressNoteLink(link, written, note, page);
    else if (jump !== undefined) acts(link, () => showPlace(body, jump));
    else if (tag !== undefined) acts(link, () => page.showTag(tag));
    else if (link.hasAttribute('href')) dressWebLink(link, page);
  }
  for (const heading of body.querySelectorAll<HTMLElement>(':is(h1, h2, h3, h4, h5, h6)[data-slug]'))
    addAnchor(heading, note, page);
}

/** The path and subpath that a written link names; null if unresolved, undefined if unknown. */
export function targetOf({ path, targets }: ShownNote, link: string) {
  const hash = link.indexOf('#');
  const subpath = hash === -1 ? '' : link.slice(hash);
  if (hash === 0) return { path, subpath };
  const target = targets.get(link) ?? targets.get(hash === -1 ? link : link.slice(0, hash));
  return typeof target === 'string' ? { path: target, subpath } : target;
}

/** A link to the file of a note that is not drawn, such as a PDF, opens the file. */
function dressNoteLink(link: HTMLAnchorElement, written: string, note: ShownNote, page: ReaderPage): void {
  const target = targetOf(note, written);
  if (target === null || target === undefined) {
    const words = target === null ? 'No note has this name yet' : 'This page does not know where this link leads';
    link.replaceWith(element('span', { class: 'no-note', title: `${words}: ${written}` }, ...link.childNodes));
    return;
  }
  const file = isNotePath(target.path) ? undefined : page.fileAddress(target.path);
  link.classList.add('note-link');
  link.title ||= target.path + target.subpath;
  if (file !== undefined) {
    opensFile(link, file);
    return;
  }
  // The address bar of this page holds a secret, which must not be in a copied link.
  link.href = obsidianAddress(page.vault, target.path, target.subpath);
  acts(link, () => page.open(target.path, target.subpath));
}

export const isNotePath = (path: string): boolean => /\.(?:md|markdown|mdx|qmd|rmd|mdown|mkd|canvas|base)$/i.test(path);

export function opensFile(link: HTMLAnchorElement, address: string): void {
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener';
}

/** Names the host, so that no text can hide where a link leads. */
function dressWebLink(link: HTMLAnchorElement, page: ReaderPage): void {
  const { host, protocol } = new URL(link.href);
  const where = host === '' ? protocol.replace(':', '') : host;
  link.classList.add('web-link');
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.title = `Opens outside this page: ${link.href}`;
  if (!(link.textContent ?? '').includes(where)) link.append(element('span', { class: 'host' }, ` ${where}`));
  link.addEventListener('click', () => page.say(`Opened outside this page: ${where}`));
}

/** A link without an address of its own is still reached by the keyboard. */
function acts(link: HTMLAnchorElement, act: () => void): void {
  if (!link.hasAttribute('href')) {
    link.setAttribute('role', 'link');
    link.tabIndex = 0;
  }
  link.classList.add('note-link');
  const run = (event: Event): void => {
    event.preventDefault();
    act();
  };
  link.addEventListener('click', run);
  link.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') run(event);
  });
}

export function showPlace(body: HTMLElement, slug: string): void {
  const place = placeIn(body, slug);
  if (place === null) return;
  place.scrollIntoView({ block: 'start' });
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

function addAnchor(heading: HTMLElement, note: ShownNote, page: ReaderPage): void {
  const words = heading.textContent ?? '';
  const anchor = element(
    'a',
    { class: 'anchor', 'aria-label': `Link to ${words}`, title: 'Link to this heading' },
    '#',
  );
  anchor.href = obsidianAddress(page.vault, note.path, `#${words}`);
  acts(anchor, () => page.open(note.path, `#${words}`));
  heading.append(anchor);
}
