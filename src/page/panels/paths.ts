// Finds and shows the path from one note to another.
import { button, element } from '../elements.ts';
import { faultOf, type GraphSource } from '../source/graph-source.ts';
import { unresolvedName } from '../source/unresolved.ts';
import type { ViewStore } from '../view-state.ts';
import type { Notice } from './notice.ts';

export type Paths = ReturnType<typeof createPaths>;

export function createPaths(source: GraphSource, view: ViewStore, notice: Notice) {
  const cancel = (): void => {
    view.set({ pathFrom: undefined });
    notice.say();
  };
  const show = async (from: string, to: string): Promise<void> => {
    try {
      const [chain] = await source.chains(from, to);
      if (chain === undefined) notice.say(element('span', {}, 'These two notes are not connected.'));
      else view.set({ chain, selected: to, cursor: undefined });
    } catch (thrown) {
      const { code, message, hint } = faultOf(thrown);
      notice.say(element('span', {}, `${message}. ${hint} (${code})`));
    }
  };
  return Object.freeze({
    /** The next selected note is the other end. */
    begin: (path: string) => {
      if (unresolvedName(path) !== undefined) return;
      view.set({ pathFrom: path, chain: undefined });
      notice.say(
        element('span', {}, 'Choose the note where the path ends, in the graph or by search.'),
        button({ class: 'plain-button' }, cancel, 'Cancel'),
      );
    },
    end: (path: string) => {
      const { pathFrom } = view.get();
      if (pathFrom === undefined || unresolvedName(path) !== undefined) return;
      cancel();
      void show(pathFrom, path);
    },
    cancel,
  });
}
