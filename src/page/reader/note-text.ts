// Shows the text of a note: its Markdown, with links, embedded files, formulas and code.

import { slugOf } from '../../reader/outlet.ts';
import { element } from '../elements.ts';
import { faultOf, NOTE_ENDING } from '../source/graph-source.ts';
import { dressLinks, isNotePath, opensFile, placeIn, type ReaderPage, type ShownNote, targetOf } from './links.ts';
import { loadPart } from './parts.ts';

/** @param isNested inside another note, where embeds are links. @throws PageError if a part cannot be loaded */
export async function noteText(note: ShownNote, page: ReaderPage, isNested = false): Promise<HTMLElement> {
  const body = element('div', { class: 'note-body' });
  if (note.text === undefined) return body;
  const render = await loadPart('markdown');
  body.append(render(note.text));
  const first = body.firstElementChild;
  if (first?.tagName === 'H1' && first.textContent?.trim() === note.title) first.remove();
  dressLinks(body, note, page);
  dressTasks(body);
  void dressMath(body, page);
  void dressCode(body, page);
  dressEmbeds(body, note, page, isNested ? undefined : (inner) => noteText(inner, page, true));
  return body;
}

function dressTasks(body: HTMLElement): void {
  for (const box of body.querySelectorAll<HTMLElement>('[data-box]')) {
    const mark = box.dataset.box?.trim() ?? '';
    const isDone = mark !== '';
    const label = isDone ? `done${/^x$/i.test(mark) ? '' : ` (${mark})`}` : 'open';
    const shown = element('input', { type: 'checkbox', disabled: true, 'aria-label': label });
    shown.checked = isDone;
    const task = box.closest('li');
    if (task !== null) task.dir = 'auto';
    box.replaceWith(shown);
  }
}

async function dressMath(body: HTMLElement, page: ReaderPage): Promise<void> {
  const formulas = [...body.querySelectorAll<HTMLElement>('[data-tex]')];
  if (formulas.length === 0) return;
  const [math] = await Promise.allSettled([loadPart('math')]);
  if (math.status === 'rejected') return page.say('Formulas are shown as text: the page could not load their part.');
  for (const formula of formulas) {
    const tex = formula.textContent ?? '';
    try {
      formula.innerHTML = math.value(tex, formula.dataset.tex === 'block');
    } catch (thrown) {
      formula.classList.add('bad-formula');
      formula.title = thrown instanceof Error ? thrown.message : String(thrown);
    }
    await letPageDraw();
  }
}

async function dressCode(body: HTMLElement, page: ReaderPage): Promise<void> {
  const blocks = [...body.querySelectorAll<HTMLElement>('pre[data-language]')];
  for (const block of blocks) block.tabIndex = 0;
  if (blocks.every((block) => block.dataset.language === '')) return;
  const [code] = await Promise.allSettled([loadPart('code')]);
  if (code.status === 'rejected') return page.say('Code is shown without colours: the page could not load their part.');
  for (const block of blocks) {
    const html = code.value(block.textContent ?? '', block.dataset.language ?? '');
    if (html !== undefined) block.innerHTML = html;
    await letPageDraw();
  }
}

const letPageDraw = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg)$/i;
/** The most embeds of one note, so that a list of embeds does not read the whole vault. */
const MAX_NOTES = 20;

type Show = (note: ShownNote) => Promise<HTMLElement>;

/** @param show shows an embedded note; undefined inside one */
function dressEmbeds(body: HTMLElement, note: ShownNote, page: ReaderPage, show: Show | undefined): void {
  let notes = 0;
  for (const place of body.querySelectorAll<HTMLElement>('[data-embed]')) {
    const embed = place.dataset.embed ?? '';
    const shown = place.textContent ?? '';
    const target = targetOf(note, embed);
    if (/^data:image\//i.test(embed)) place.replaceWith(imageOf(embed, shown, 'Image'));
    else if (/^https?:/i.test(embed)) place.replaceWith(webImage(embed, shown, page));
    else if (typeof target?.path !== 'string') place.replaceWith(missing(embed));
    else if (!isNotePath(target.path)) place.replaceWith(fileOf(target.path, shown, page));
    else if (show === undefined || notes === MAX_NOTES || target.path === note.path)
      place.replaceWith(noteLink(target.path, target.subpath, page));
    else {
      notes += 1;
      void fillNote(place, target, page, show);
    }
  }
}

/** `![[image.png|300]]` and `|300x200` give the size in pixels. @param name stands for an image without a text of its own */
function imageOf(address: string, shown: string, name: string): HTMLElement {
  const [size, width, height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(shown.split('|').at(-1) ?? '') ?? [];
  const alt = (size === undefined ? shown : '') || name;
  const image = element('img', { src: address, alt, width, height, loading: 'lazy' });
  image.addEventListener('error', () =>
    image.replaceWith(element('span', { class: 'no-note', title: 'This image cannot be shown' }, alt)),
  );
  return image;
}

/** Shown only when asked for: the page itself loads nothing from the web. */
function webImage(address: string, shown: string, page: ReaderPage): HTMLElement {
  const { host } = new URL(address);
  const link = element('a', { class: 'web-link', href: address, target: '_blank', rel: 'noopener noreferrer' });
  link.append(`Image ${shown}`.trim(), element('span', { class: 'host' }, ` ${host}`));
  link.addEventListener('click', () => page.say(`Opened outside this page: ${host}`));
  return link;
}

function missing(link: string): HTMLElement {
  return element('span', { class: 'no-note', title: 'No file has this name' }, link);
}

function fileOf(path: string, shown: string, page: ReaderPage): HTMLElement {
  const address = page.fileAddress(path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (address === undefined) return element('span', { class: 'no-note', title: path }, name);
  if (IMAGE.test(path)) return imageOf(address, shown === name ? '' : shown, name);
  const link = element('a', { class: 'file-link', title: path }, name);
  opensFile(link, address);
  return link;
}

function noteLink(path: string, subpath: string, page: ReaderPage): HTMLElement {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(NOTE_ENDING, '');
  const shown = subpath.startsWith('#^') ? name : name + subpath.replaceAll('#', ' > ');
  const link = element('a', { class: 'note-link', role: 'link', tabindex: '0', title: path + subpath }, shown);
  link.addEventListener('click', () => page.open(path, subpath));
  link.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') page.open(path, subpath);
  });
  return link;
}

interface Target {
  readonly path: string;
  readonly subpath: string;
}

async function fillNote(place: HTMLElement, { path, subpath }: Target, page: ReaderPage, show: Show): Promise<void> {
  const frame = element('div', { class: 'embed' }, noteLink(path, subpath, page));
  place.replaceWith(frame);
  const [read] = await Promise.allSettled([page.read(path)]);
  if (read.status === 'rejected') {
    frame.append(element('p', { class: 'quiet' }, faultOf(read.reason).message));
    return;
  }
  const body = await show({ ...read.value, path, title: '' });
  const part = subpath === '' ? body : partOf(body, subpath);
  frame.append(part ?? element('p', { class: 'quiet' }, `${path} has no ${subpath}`));
}

/** The section of a heading, or the block with an id; undefined if there is none. */
function partOf(body: HTMLElement, subpath: string): HTMLElement | undefined {
  const named = placeIn(body, slugOf(subpath));
  // An id in a line of its own names the block above it.
  const isAlone = named?.tagName === 'P' && named.textContent?.trim() === '';
  const place = isAlone ? (named.previousElementSibling as HTMLElement | null) : named;
  if (place === null) return undefined;
  const part = element('div', { class: 'note-body' });
  const level = /^H([1-6])$/.exec(place.tagName)?.[1];
  if (level === undefined) {
    part.append(place.tagName === 'LI' ? element('ul', {}, place) : place);
    return part;
  }
  for (let next: Element | null = place; next !== null; ) {
    const after: Element | null = next.nextElementSibling;
    part.append(next);
    const nextLevel: string | undefined = /^H([1-6])$/.exec(after?.tagName ?? '')?.[1];
    next = nextLevel !== undefined && nextLevel <= level ? null : after;
  }
  return part;
}
