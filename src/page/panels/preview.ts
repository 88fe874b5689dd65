// Shows the first lines of the note under the pointer, or of the one that the arrow keys are on, beside its disc.
import { element, part } from '../elements.ts';
import { noteText } from '../reader/note-text.ts';
import type { Reading } from '../reading.ts';
import { NOTE_ENDING } from '../source/graph-source.ts';
import { coveredByPage } from './panel.ts';
import { readerPage } from './text-part.ts';

/** The pointer only passes over a note that it leaves sooner. */
const REST_MS = 300;
const READ_CHARS = 1_500;
const SPOKEN_CHARS = 200;
const GAP = 18;

export type Preview = ReturnType<typeof setUpPreview>;

export function setUpPreview(page: Reading) {
  const card = part('preview');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over: string | undefined;
  /** @returns whether there was one */
  const hide = (): boolean => {
    const wasShown = !card.hidden;
    clearTimeout(timer);
    [over, card.hidden] = [undefined, true];
    return wasShown;
  };
  const begin = (path: string): void => {
    hide();
    if (!NOTE_ENDING.test(path) || path === page.view.get().selected) return;
    over = path;
    timer = setTimeout(() => void show(path), REST_MS);
  };
  const show = async (path: string): Promise<void> => {
    const [lines] = await Promise.allSettled([firstLines(page, path)]);
    // A note that cannot be read has no preview; choosing it says why.
    if (over !== path || lines.status === 'rejected' || lines.value === undefined) return;
    const { title, body } = lines.value;
    card.replaceChildren(element('strong', {}, title), body);
    card.hidden = false;
    body.classList.toggle('whole', body.scrollHeight <= body.clientHeight);
    putBeside(card, page.scene.spotOf(path));
    if (page.view.get().cursor === path) part('spoken').textContent = spoken(title, body);
  };
  page.view.listen(({ cursor, selected }, changed) => {
    if (changed.has('cursor') && cursor !== undefined) begin(cursor);
    else if (changed.has('cursor') || (changed.has('selected') && selected === over)) hide();
  });
  for (const event of ['wheel', 'pointerdown'] as const) addEventListener(event, hide, { passive: true });
  return Object.freeze({
    /** Undefined if the pointer is over none. */
    over: (key: string | undefined): void => (key === undefined ? void hide() : begin(key)),
    hide,
  });
}

/** Undefined if the page does not have the text of the note. @throws PageError */
async function firstLines(page: Reading, path: string) {
  const now = page.model();
  const title = now?.picture.notes[now.nodes.get(path) ?? -1]?.title ?? path;
  const preview = await page.source.text(path, READ_CHARS);
  if (preview.text === undefined) return undefined;
  return { title, body: await noteText({ ...preview, path, title }, readerPage(page), true) };
}

const spoken = (title: string, { textContent }: HTMLElement): string =>
  `${title}. ${(textContent ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, SPOKEN_CHARS)}`;

/** Below and right of the disc, or on the other side where there is no room. */
function putBeside(card: HTMLElement, spot: ReturnType<Reading['scene']['spotOf']>): void {
  if (spot === undefined) return;
  const { right, below } = coveredByPage();
  const { offsetWidth, offsetHeight } = card;
  const beside = (at: number, length: number, room: number): number =>
    at + GAP + length < room ? at + GAP : Math.max(GAP, at - GAP - length);
  card.style.left = `${beside(spot.x, offsetWidth, innerWidth - right)}px`;
  card.style.top = `${beside(spot.y, offsetHeight, innerHeight - below)}px`;
}
