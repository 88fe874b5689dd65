// Shows the first lines of the note under the pointer, or of the one that the arrow keys are on, beside its disc.
import { withoutProperties } from '../../reader/properties-block.ts';
import { element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import { plainWords } from './plain-words.ts';

/** The pointer only passes over a note that it leaves sooner. */
const REST_MS = 300;
const READ_CHARS = 2_000;
const MAX_WORDS = 320;
const GAP = 18;

export type Preview = ReturnType<typeof setUpPreview>;

export function setUpPreview(page: Reading) {
  const card = part('preview');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over: string | undefined;
  const hide = (): boolean => {
    const wasShown = !card.hidden;
    clearTimeout(timer);
    [over, card.hidden] = [undefined, true];
    return wasShown;
  };
  const show = async (path: string): Promise<void> => {
    const [read] = await Promise.allSettled([page.source.text(path, READ_CHARS)]);
    // A note that cannot be read has no preview; choosing it says why.
    if (over !== path || read.status === 'rejected' || read.value.text === undefined) return;
    const now = page.model();
    const title = now?.picture.notes[now.nodes.get(path) ?? -1]?.title ?? path;
    const words = firstWords(read.value.text, title);
    card.replaceChildren(element('strong', {}, title), element('p', {}, words || 'This note has no text.'));
    card.hidden = false;
    putBeside(card, page.scene.spotOf(path));
  };
  page.view.listen(({ cursor, selected }, changed) => {
    if (changed.has('cursor') && cursor !== undefined) begin(cursor);
    else if (changed.has('cursor') || (changed.has('selected') && selected === over)) hide();
  });
  for (const event of ['wheel', 'pointerdown'] as const) addEventListener(event, hide, { passive: true });

  function begin(path: string): void {
    hide();
    if (!/\.md$/i.test(path) || path === page.view.get().selected) return;
    over = path;
    timer = setTimeout(() => void show(path), REST_MS);
  }
  return Object.freeze({
    /** Undefined if the pointer is over none. */
    over: (key: string | undefined) => (key === undefined ? void hide() : begin(key)),
    /** @returns whether there was one */
    hide,
  });
}

/** The words of the note without marks, properties and a heading that repeats the title. */
export function firstWords(text: string, title: string): string {
  const lines = withoutProperties(text)
    .split('\n')
    .map((line) => plainWords(line.replace(/^\s*(?:#{1,6}\s|>\s?|[-*+]\s(?:\[.\]\s)?|\d+[.)]\s)+/, '').trim()))
    .filter(
      (line, at) => line !== '' && !(at === 0 && line === title) && !/^(?:```|~~~|---|\$\$|%%|\|[-:| ]+\|$)/.test(line),
    );
  const first = lines[0] === title ? lines.slice(1) : lines;
  const words = first.join(' · ');
  return words.length <= MAX_WORDS ? words : `${words.slice(0, MAX_WORDS)}…`;
}

/** Below and right of the disc, or on the other side where there is no room. */
function putBeside(card: HTMLElement, spot: { readonly x: number; readonly y: number } | undefined): void {
  if (spot === undefined) return;
  const { offsetWidth, offsetHeight } = card;
  const beside = (at: number, length: number, room: number): number =>
    at + GAP + length < room ? at + GAP : Math.max(GAP, at - GAP - length);
  card.style.left = `${beside(spot.x, offsetWidth, innerWidth)}px`;
  card.style.top = `${beside(spot.y, offsetHeight, innerHeight)}px`;
}
