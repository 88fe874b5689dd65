// The panel of one note: its text, links in both directions, related notes and unresolved links.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element, part } from '../elements.ts';
import type { Covered } from '../graph/scene.ts';
import type { Reading } from '../reading.ts';
import { faultOf, type NoteLink, type NoteLinks, type RelatedNote } from '../source/graph-source.ts';
import { looseOf, unresolvedKey } from '../source/unresolved.ts';
import { noteTools } from './note-tools.ts';
import { plainWords } from './plain-words.ts';
import { textParts } from './text-part.ts';

export function setUpPanel(page: Reading) {
  const place = part('panel');
  const { view } = page;
  /** Shows the current note again. */
  const refresh = (): void => {
    const { selected, chain } = view.get();
    place.hidden = selected === undefined;
    document.body.classList.toggle('with-panel', selected !== undefined);
    if (selected === undefined) return;
    if (chain !== undefined) showChain(page, place, chain);
    else if (page.model()?.nodes.has(selected) === false) showLoose(page, place, selected);
    else void showNote(page, place, selected);
  };
  view.listen((_state, changed) => {
    if (['selected', 'subpath', 'chain'].some((key) => changed.has(key as 'chain'))) refresh();
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
  if (place.hidden) return { above, right: 0, below: 0 };
  const { left, top } = place.getBoundingClientRect();
  const isBeside = left > innerWidth / 2;
  return isBeside ? { above, right: innerWidth - left, below: 0 } : { above, right: 0, below: innerHeight - top };
}

function fill(page: Reading, place: HTMLElement, ...children: readonly Node[]): void {
  const close = button(
    { class: 'icon-button close', 'aria-label': 'Close', title: 'Close (Esc)' },
    () => page.choose(undefined),
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

/** @param more secondary text below the title */
function noteEntry({ model, themes, choose }: Reading, path: string, more = ''): HTMLElement {
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
