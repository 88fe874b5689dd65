// The panel of one note: its text, links in both directions, related notes and unresolved links.

import { obsidianAddress } from '../address.ts';
import { button, element, icon, part } from '../elements.ts';
import type { Covered } from '../graph/scene-camera.ts';
import type { Reading } from '../reading.ts';
import { faultOf, type NoteLink, type NoteLinks, type RelatedNote } from '../source/graph-source.ts';
import { looseOf, unresolvedKey } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';
import { copyText, markedParts, noteEntry, turnMark } from './marks.ts';
import { plainWords } from './plain-words.ts';
import { textParts } from './text-part.ts';

export function setUpPanel(page: Reading) {
  const place = part('panel');
  const { view } = page;
  /** Shows the current note again. */
  const refresh = (): void => {
    const { selected, chain, marked } = view.get();
    place.hidden = selected === undefined && marked.length === 0;
    document.body.classList.toggle('with-panel', !place.hidden);
    if (place.hidden) return;
    if (selected === undefined) fill(page, place, ...markedParts(page));
    else if (chain !== undefined) void showChain(page, place, chain);
    else if (page.model()?.nodes.has(selected) === false) showLoose(page, place, selected);
    else void showNote(page, place, selected);
  };
  view.listen((state, changed) => {
    const isOther = ['selected', 'subpath', 'chain'].some((key) => changed.has(key as 'chain'));
    if (isOther || (changed.has('marked') && state.selected === undefined)) refresh();
    if (state.selected !== undefined) showPressed(place, state, state.selected);
    if (changed.has('cursor')) markCursor(place, view.get().cursor);
  });
  place.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && showMenu(place, false)) event.stopPropagation();
  });
  place.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('#menu-button'))) showMenu(place, false);
  });
  keepBelow();
  return Object.freeze({ refresh });
}

/** What is at the top of a narrow window, above the panel; results and filters lie on it instead, for as long as they are used. */
const ABOVE = ['finder', 'timeline', 'local', 'banner'];
const GAP = 8;

/** Hands the height of what is above the panel to the styles. */
function keepBelow(): void {
  const sizes = new ResizeObserver(() => {
    const heights = ABOVE.map((id) => part(id).offsetHeight).filter((height) => height > 0);
    const below = heights.reduce((sum, height) => sum + height + GAP, part('top').offsetTop);
    document.body.style.setProperty('--below-top', `${below}px`);
  });
  for (const id of ABOVE) sizes.observe(part(id));
}

/** The actions of a note are a menu in a narrow window. @returns whether the menu was open */
function showMenu(place: HTMLElement, isOpen: boolean): boolean {
  const wasOpen = place.classList.contains('with-menu');
  place.classList.toggle('with-menu', isOpen);
  place.querySelector('#menu-button')?.setAttribute('aria-expanded', String(isOpen));
  return wasOpen;
}

/** The larger free part of the window is what the reader looks at: beside the legend, or between it and the search. */
export function coveredByPage(): Covered {
  const [place, top, legend, tools] = [edgesOf('panel'), edgesOf('top'), edgesOf('legend'), edgesOf('tools')];
  const above = top.bottom;
  const foot = innerHeight - Math.min(legend.top, edgesOf('summary').top);
  if (place.left * innerHeight < place.top * innerWidth)
    return { above, left: 0, right: 0, below: innerHeight - place.top };
  const right = innerWidth - Math.min(place.left, tools.height > tools.width ? tools.left : innerWidth);
  const left = Math.max(legend.right, top.right);
  const isBeside = (innerWidth - right - left) * innerHeight > (innerWidth - right) * (innerHeight - above - foot);
  return isBeside ? { above: 0, left, right, below: 0 } : { above, left: 0, right, below: foot };
}

type Edges = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom' | 'width' | 'height'>;

/** An element that is not shown has edges that cover nothing. */
function edgesOf(id: string): Edges {
  if (part(id).checkVisibility()) return part(id).getBoundingClientRect();
  return { left: innerWidth, right: 0, top: innerHeight, bottom: 0, width: 0, height: 0 };
}

function fill(page: Reading, place: HTMLElement, ...children: readonly Node[]): void {
  showMenu(place, false);
  const close = button(
    { class: 'icon-button close', 'aria-label': 'Close', title: 'Close (Esc)' },
    () => {
      page.choose(undefined);
      // The button is gone, and with it the focus.
      (place.hidden ? part('stage') : place).focus();
    },
    '✕',
  );
  place.replaceChildren(close, ...children);
}

/** Each part appears as soon as it is known, the text first of all. */
async function showNote(page: Reading, place: HTMLElement, path: string): Promise<void> {
  const now = page.model();
  const note = now?.picture.notes[now.nodes.get(path) ?? -1];
  const title = note?.title ?? path;
  const isShown = (): boolean => page.view.get().selected === path && page.view.get().chain === undefined;
  const [text, links, related] = [element('div'), element('div'), element('div')];
  const head = [element('h1', {}, title), element('p', { class: 'where' }, path), tagChips(page, note?.tags ?? [])];
  fill(page, place, menuButton(place), ...head, noteTools(page, path), text, links, related);
  place.scrollTop = 0;
  await Promise.all([
    filled(text, async () => textParts(page, path, title, await page.source.text(path))),
    filled(links, async () => linkParts(page, await page.source.links(path))),
    filled(related, async () => relatedPart(page, await page.source.related(path))),
  ]);
  if (isShown()) part('spoken').textContent = `${title}, ${place.querySelectorAll('.entry').length} notes beside it`;
}

async function filled(place: HTMLElement, parts: () => Promise<readonly Node[]>): Promise<void> {
  try {
    place.replaceChildren(...(await parts()));
  } catch (thrown) {
    place.replaceChildren(faultPart(thrown));
  }
}

function tagChips({ view }: Reading, tags: readonly string[]): Node {
  const chips = tags.map((tag) => button({ class: 'chip', title: `Show only ${tag}` }, () => view.set({ tag }), tag));
  return element('div', { class: 'chips' }, ...chips);
}

function faultPart(thrown: unknown): Node {
  const { code, message, hint } = faultOf(thrown);
  return element(
    'p',
    { class: 'quiet', role: 'alert' },
    `${message}. ${hint} `,
    element('span', { class: 'fault-code' }, code),
  );
}

/** An unresolved name, or a file other than a note. */
function showLoose(page: Reading, place: HTMLElement, key: string): void {
  const now = page.model();
  const loose = now && looseOf(now.picture, key);
  const sources = loose?.sources ?? [];
  const isFile = loose?.kind === 'file';
  const rows = sources.map((node) => noteEntry(page, now?.picture.notes[node]?.path ?? ''));
  fill(
    page,
    place,
    element('h1', {}, loose?.title ?? key),
    element('p', { class: 'where' }, isFile ? key : 'No note has this name yet.'),
    element('h2', {}, `${isFile ? 'Linked from' : 'Named by'} ${sources.length}`),
    element('ul', { class: 'entries' }, ...rows),
  );
}

/** Each step but the first says in which sentence the link to it or from it is. */
async function showChain(page: Reading, place: HTMLElement, chain: readonly string[]): Promise<void> {
  const steps = chain.length - 1;
  const rows = chain.map((path) => noteEntry(page, path));
  fill(
    page,
    place,
    element('h1', {}, steps === 1 ? 'One link apart' : `${steps} links apart`),
    element('p', { class: 'where' }, 'A shortest path, whichever way its links point.'),
    element('h2', {}, 'Path'),
    element('ul', { class: 'entries', id: 'chain' }, ...rows),
  );
  part('spoken').textContent = `path of ${steps} links found`;
  await Promise.all(
    chain.slice(1).map(async (path, at) => {
      const [sentence] = await Promise.allSettled([linkBetween(page, chain[at] ?? '', path)]);
      // Without a sentence the step is still a link.
      const words = sentence.status === 'fulfilled' ? sentence.value : '';
      if (words !== '') rows[at + 1]?.firstElementChild?.append(element('span', { class: 'sentence' }, words));
    }),
  );
}

/** The sentence of a link, with the way it points; empty if it is not known. @throws PageError */
async function linkBetween({ source }: Reading, from: string, to: string): Promise<string> {
  for (const [here, there, out] of [[from, to, '→'] as const, [to, from, '←'] as const]) {
    const { links } = await source.links(here);
    const link = links.find(({ path, sentences }) => path === there && sentences.length > 0);
    if (link === undefined) continue;
    const way = link.direction === 'out' ? out : { '→': '←', '←': '→' }[out];
    return `${way} ${plainWords(link.sentences[0] ?? '')}`;
  }
  return '';
}

function markCursor(place: HTMLElement, cursor: string | undefined): void {
  for (const row of place.querySelectorAll<HTMLElement>('.entry')) {
    const isOn = cursor !== undefined && row.dataset.path === cursor;
    row.classList.toggle('on', isOn);
    if (isOn) row.scrollIntoView({ block: 'nearest' });
  }
}

function linkParts(page: Reading, facts: NoteLinks): Node[] {
  const isDrawn = ({ path }: NoteLink): boolean => page.model()?.nodes.has(path) ?? false;
  const out = facts.links.filter((link) => link.direction === 'out' && isDrawn(link));
  const back = facts.links.filter((link) => link.direction === 'in' && isDrawn(link));
  const files = facts.links.filter((link) => link.direction === 'out' && !isDrawn(link));
  const left = facts.linkTotal - new Set(facts.links.map(({ path }) => path)).size;
  return [
    ...linkPart(page, 'Links to', out),
    ...linkPart(page, 'Linked from', back),
    ...(left > 0 ? [element('p', { class: 'quiet' }, `and ${left} more`)] : []),
    ...unresolvedPart(page, facts.unresolved),
    ...filePart(page, files),
  ];
}

function linkPart(page: Reading, title: string, links: readonly NoteLink[]): Node[] {
  if (links.length === 0) return [];
  const rows = links.map(({ path, sentences }) => noteEntry(page, path, sentences.map(plainWords).join(' … ')));
  return [element('h2', {}, `${title} ${links.length}`), element('ul', { class: 'entries' }, ...rows)];
}

function filePart({ source }: Reading, files: readonly NoteLink[]): Node[] {
  if (files.length === 0) return [];
  const rows = files.map(({ path }) => {
    const href = source.fileAddress(path);
    const shown =
      href === undefined ? element('span', {}, path) : element('a', { href, target: '_blank', rel: 'noopener' }, path);
    return element('li', { class: 'entry file' }, shown);
  });
  return [element('h2', {}, `Files ${files.length}`), element('ul', { class: 'entries' }, ...rows)];
}

function relatedPart(page: Reading, related: readonly RelatedNote[]): Node[] {
  if (related.length === 0) return [];
  const rows = related.map(({ path, why }) => noteEntry(page, path, why));
  return [element('h2', {}, 'Related by words'), element('ul', { class: 'entries' }, ...rows)];
}

function unresolvedPart(page: Reading, names: readonly string[]): Node[] {
  if (names.length === 0) return [];
  const rows = names.map((name) =>
    element(
      'li',
      {},
      button(
        { class: 'entry' },
        () => page.choose(unresolvedKey(name)),
        element('span', { class: 'hollow', 'aria-hidden': 'true' }),
        element('span', {}, name),
      ),
    ),
  );
  return [element('h2', {}, `Unresolved ${names.length}`), element('ul', { class: 'entries' }, ...rows)];
}

/** The name and the key of each action, by its icon. */
const ACTIONS = {
  wide: ['Wide', ' (r)'],
  path: ['Path to…', ' (p)'],
  collect: ['Collect', ' (m)'],
  open: ['Open in Obsidian', ''],
  link: ['Copy link', ''],
  copy: ['Copy path', ''],
} as const;

function menuButton(place: HTMLElement): Node {
  return button(
    {
      class: 'icon-button menu-button',
      id: 'menu-button',
      title: 'Actions',
      'aria-label': 'Actions',
      'aria-expanded': 'false',
      'aria-controls': 'note-actions',
    },
    () => void showMenu(place, !place.classList.contains('with-menu')),
    icon('menu'),
  );
}

function noteTools(page: Reading, path: string): Node {
  const { view, paths, model } = page;
  const address = obsidianAddress(model()?.picture.folder ?? '', path);
  type Name = keyof typeof ACTIONS;
  const named = (name: Name) => [icon(name), element('span', { class: 'action' }, ACTIONS[name][0])];
  const labelled = (name: Name) => ({ 'aria-label': ACTIONS[name][0], title: ACTIONS[name].join('') });
  const action = (id: string, name: Name, act: () => void): Node =>
    button({ class: 'icon-button', id, ...labelled(name) }, act, ...named(name));
  const actions = element(
    'div',
    { class: 'actions note-actions', id: 'note-actions' },
    action('wide', 'wide', () => view.set({ wide: !view.get().wide })),
    action('path-from', 'path', () => paths.begin(path)),
    action('mark', 'collect', () => void turnMark(page, path)),
    element('a', { class: 'icon-button', href: address, ...labelled('open') }, ...named('open')),
    action('copy-link', 'link', () => void copyText(page, address, 'Link')),
    action('copy-path', 'copy', () => void copyText(page, path, 'Path')),
  );
  const collected = button({ class: 'plain-button', id: 'collected' }, () =>
    view.set({ selected: undefined, chain: undefined }),
  );
  const tools = element('div', {}, actions, collected);
  showPressed(tools, view.get(), path);
  return tools;
}

/** Shows which of the switches among the actions are on. @param place contains the actions of the note */
function showPressed(place: HTMLElement, { wide, marked }: ViewState, path: string): void {
  place.querySelector('#wide')?.setAttribute('aria-pressed', String(wide));
  place.querySelector('#mark')?.setAttribute('aria-pressed', String(marked.includes(path)));
  const collected = place.querySelector<HTMLElement>('#collected');
  if (collected === null) return;
  collected.hidden = marked.length === 0;
  collected.textContent = `Collected ${marked.length}`;
}
