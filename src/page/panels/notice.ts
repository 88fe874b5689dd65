// Shows a message in the page while there is no graph, or after a failure.
import { button, element, part } from '../elements.ts';
import type { IndexProgress, PageFault } from '../source/graph-source.ts';

export type Notice = ReturnType<typeof createNotice>;

const SAID_MS = 6_000;

export function createNotice() {
  const place = part('notice');
  const banner = part('banner');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const fill = (...children: readonly Node[]): void => {
    place.replaceChildren(...children);
    place.hidden = children.length === 0;
    delete place.dataset.code;
  };
  const hold = (...words: readonly (Node | string)[]): void => {
    clearTimeout(timer);
    banner.replaceChildren(...words);
    banner.hidden = words.length === 0;
  };
  return Object.freeze({
    progress: (progress: IndexProgress | undefined) => fill(...progressWords(progress)),
    empty: () =>
      fill(
        element('h2', {}, 'Nothing to see yet'),
        element('p', {}, 'This vault has no notes. As soon as there is one, it appears here by itself.'),
      ),
    /** @param again called by the button "Try again" */
    fault: (fault: PageFault, again: () => void) => {
      // A notice that stays the same keeps the focus on its button.
      if (place.dataset.code === fault.code && !place.hidden) return;
      fill(faultCard(fault, again));
      place.dataset.code = fault.code;
    },
    clear: () => fill(),
    /** Shows a message at the top of the page until the next one. */
    hold,
    /** The same for a moment. */
    say: (...words: readonly (Node | string)[]) => {
      hold(...words);
      timer = setTimeout(() => {
        banner.hidden = true;
      }, SAID_MS);
    },
  });
}

function faultCard({ message, hint, code }: PageFault, again: () => void): Node {
  return element(
    'div',
    { class: 'card fault', role: 'alert' },
    element('h2', {}, message),
    element('p', {}, hint),
    button({ class: 'plain-button', id: 'again' }, again, 'Try again'),
    element('p', { class: 'fault-code' }, code),
  );
}

function progressWords(progress: IndexProgress | undefined): Node[] {
  const { done, total } = progress?.building ?? { done: 0, total: 0 };
  const bar = element('progress', { max: String(Math.max(total, 1)), 'aria-label': 'Notes read' });
  if (total > 0) bar.value = done;
  const words = total > 0 ? `${done} of ${total} notes are read.` : 'The notes are being counted.';
  return [element('h2', {}, 'Reading the vault'), element('p', {}, words), bar];
}
