// Finds and shows the path from one note to another.
import { button, element, part } from '../elements.ts';
import { shortestPath } from '../graph/chain.ts';
import type { Model } from '../source/model.ts';
import type { ViewStore } from '../view-state.ts';
import type { Notice } from './notice.ts';

export type Paths = ReturnType<typeof createPaths>;

export function createPaths(model: () => Model | undefined, view: ViewStore, notice: Notice) {
  const cancel = (): void => {
    view.set({ pathFrom: undefined });
    notice.say();
  };
  const show = (from: string, to: string): void => {
    const now = model();
    if (now === undefined) return;
    const nodes = shortestPath(now.picture, now.nodes.get(from) ?? -1, now.nodes.get(to) ?? -1);
    const chain = nodes.map((node) => now.picture.notes[node]?.path ?? '');
    if (chain.length === 0) notice.say(element('span', {}, 'These two notes are not connected.'));
    else view.set({ chain, selected: to, cursor: undefined, local: false });
  };
  return Object.freeze({
    /** The next selected note is the other end. */
    begin: (path: string) => {
      if (model()?.nodes.has(path) !== true) return;
      view.set({ pathFrom: path, chain: undefined });
      notice.hold(
        element('span', {}, 'Choose the note where the path ends, in the graph or by search.'),
        button({ class: 'plain-button' }, cancel, 'Cancel'),
      );
      part('search').focus();
    },
    end: (path: string) => {
      const { pathFrom } = view.get();
      if (pathFrom === undefined || model()?.nodes.has(path) !== true) return;
      cancel();
      show(pathFrom, path);
    },
    cancel,
  });
}
