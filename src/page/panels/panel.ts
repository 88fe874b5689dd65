// The panel of one note: its text, links in both directions, related notes and unresolved links.

import { obsidianAddress } from '../address.ts';
import { button, element, part } from '../elements.ts';
import type { Covered } from '../graph/scene-camera.ts';
import type { Reading } from '../reading.ts';
import { faultOf, type NoteLink, type NoteLinks, type RelatedNote } from '../source/graph-source.ts';
import { looseOf, unresolvedKey } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';
import { copyText, markedParts, noteEntry, turnMark } from './marks.ts';
import { plainWords, textParts } from './text-part.ts';

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
    else if (chain !== undefined) showChain(page, place, chain);
    else if (page.model()?.nodes.has(selected) === false) showLoose(page, place, selected);
    else void showNote(page, place, selected);
  };
  view.listen((state, changed) => {
    const isOther = ['selected', 'subpath', 'chain'].some((key) => changed.has(key as 'chain'));
    if (isOther || (changed.has('marked') && state.selected === undefined)) refresh();
    if (state.selected !== undefined) showPressed(place, state, state.selected);
    if (changed.has('cursor')) markCursor(place, view.get().cursor);
  });
  return Object.freeze({
    refresh,
    /** Pixels the panel covers, at the right or, in a narrow window, at the bottom. */
    covers: () => coveredBy(place),
  });
}

function coveredBy(place: HTMLElement): Covered {
  const above = part('top').getBoundingClientRect().bottom;
  const shown = [part('legend'), part('summary')].filter((one) => one.checkVisibility());
  const foot = Math.max(0, ...shown.map((one) => innerHeight - one.getBoundingClientRect().top));
  if (place.hidden) return { above, right: 0, below: foot };
  const { left, top } = place.getBoundingClientRect();
  // The larger free part of the window is what the reader looks at.
  const isBeside = left * innerHeight > top * innerWidth;
  return isBeside ? { above, right: innerWidth - left, below: foot } : { above, right: 0, below: innerHeight - top };
}

function fill(page: Reading, place: HTMLElement, ...children: readonly Node[]): void {
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
  const head = [
    element('h1', {}, title),
    element('p', { class: 'where' }, path),
    tagChips(page, note?.tags ?? []),
    noteTools(page, path),
  ];
  fill(page, place, ...head, text, links, related);
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

function showChain(page: Reading, place: HTMLElement, chain: readonly string[]): void {
  const steps = chain.length - 1;
  fill(
    page,
    place,
    element('h1', {}, steps === 1 ? 'One link apart' : `${steps} links apart`),
    element('p', { class: 'where' }, 'A shortest path, whichever way its links point.'),
    element('h2', {}, 'Path'),
    element('ul', { class: 'entries', id: 'chain' }, ...chain.map((path) => noteEntry(page, path))),
  );
  part('spoken').textContent = `path of ${steps} links found`;
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

function noteTools(page: Reading, path: string): Node {
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
function showPressed(place: HTMLElement, { wide, marked }: ViewState, path: string): void {
  place.querySelector('#wide')?.setAttribute('aria-pressed', String(wide));
  place.querySelector('#mark')?.setAttribute('aria-pressed', String(marked.includes(path)));
  const collected = place.querySelector<HTMLElement>('#collected');
  if (collected === null) return;
  collected.hidden = marked.length === 0;
  collected.textContent = `Collected ${marked.length}`;
}
