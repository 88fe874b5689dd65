// The text of a note in the panel: its properties, outline and body.
import { slugOf } from '../../reader/slug.ts';
import { button, element } from '../elements.ts';
import { showPlace } from '../reader/links.ts';
import { noteText } from '../reader/note-text.ts';
import { outlineOf, propertyTable } from '../reader/properties.ts';
import type { ReaderPage } from '../reader/reader-page.ts';
import type { Reading } from '../reading.ts';
import type { NoteText } from '../source/graph-source.ts';

/** Longer texts are folded in a narrow panel, so that the links stay close. */
const LONG_TEXT = 1_200;

/** @throws PageError if the reader cannot be loaded */
export async function textParts(page: Reading, path: string, title: string, read: NoteText): Promise<Node[]> {
  if (read.text === undefined) return [];
  if (!/\.md$/i.test(path)) return [element('p', { class: 'quiet' }, 'Obsidian shows the content of this file.')];
  const [note, reader] = [{ ...read, path, title }, readerPage(page)];
  const body = await noteText(note, reader);
  const { subpath } = page.view.get();
  if (subpath !== undefined) requestAnimationFrame(() => showPlace(body, slugOf(subpath)));
  const isLong = read.text.length >= LONG_TEXT && subpath === undefined;
  return [
    ...propertyTable(note, reader),
    ...outlineOf(body),
    ...(isLong ? folded(body) : [body]),
    ...(read.wholeLength === undefined ? [] : [cutNotice(read.text.length, read.wholeLength)]),
  ];
}

export function readerPage({ source, choose, view, notice, model }: Reading): ReaderPage {
  return {
    open: (path, subpath) => choose(path, subpath),
    showTag: (tag) => view.set({ tag }),
    say: (words) => notice.say(words),
    vault: model()?.picture.folder ?? '',
    read: source.text,
    fileAddress: source.fileAddress,
  };
}

function folded(body: HTMLElement): Node[] {
  const more = button({ class: 'plain-button unfold' }, () => unfold(), 'Show all');
  const unfold = (): void => {
    body.classList.remove('fold');
    more.remove();
  };
  body.classList.add('fold');
  // A link to a place in the part that is not visible.
  body.addEventListener('focusin', unfold);
  return [body, more];
}

function cutNotice(shown: number, whole: number): Node {
  const [some, all] = [shown, whole].map((count) => count.toLocaleString('en'));
  return element('p', { class: 'quiet' }, `These are the first ${some} of ${all} characters; Obsidian shows all.`);
}
