// Shows a message in the page while there is no graph, or after a failure.
import { element, part } from '../elements.ts';
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
  };
  return Object.freeze({
    progress: (progress: IndexProgress | undefined) => fill(...progressWords(progress)),
    empty: () =>
      fill(
        element('h2', {}, 'Nothing to see yet'),
        element('p', {}, 'This vault has no notes. As soon as there is one, it appears here by itself.'),
      ),
    fault: (fault: PageFault) =>
      fill(
        element('h2', {}, fault.message),
        element('p', {}, fault.hint),
        element('p', { class: 'fault-code' }, fault.code),
      ),
    clear: () => fill(),
    /** Shows a message at the top of the page for a moment. */
    say: (...words: readonly (Node | string)[]) => {
      clearTimeout(timer);
      banner.replaceChildren(...words);
      banner.hidden = words.length === 0;
      timer = setTimeout(() => {
        banner.hidden = true;
      }, SAID_MS);
    },
  });
}

function progressWords(progress: IndexProgress | undefined): Node[] {
  const { done, total } = progress?.building ?? { done: 0, total: 0 };
  const bar = element('progress', { max: String(Math.max(total, 1)), 'aria-label': 'Notes read' });
  if (total > 0) bar.value = done;
  const words = total > 0 ? `${done} of ${total} notes are read.` : 'The notes are being counted.';
  return [element('h2', {}, 'Reading the vault'), element('p', {}, words), bar];
}
