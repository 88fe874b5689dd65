// The card of the local graph: its note and the number of links around it.
import { element, part } from '../elements.ts';
import { localNodes } from '../graph/local-graph.ts';
import type { Reading } from '../reading.ts';

/** @returns turns the local graph on or off */
export function setUpLocal({ view, model, notice }: Reading): () => void {
  const slider = part<HTMLInputElement>('depth');
  const turn = (): void => {
    const { local, selected } = view.get();
    if (!local && selected === undefined)
      notice.say(element('span', {}, 'Choose a note first: its local graph is shown.'));
    else view.set({ local: !local, chain: undefined });
  };
  slider.addEventListener('input', () => view.set({ depth: Number(slider.value) }));
  part('local-button').addEventListener('click', turn);
  part('local-close').addEventListener('click', () => {
    view.set({ local: false });
    part('local-button').focus();
  });
  view.listen((state) => {
    const { local, selected, depth } = state;
    const now = model();
    part('local').hidden = !local || selected === undefined;
    part('local-button').setAttribute('aria-pressed', String(local));
    slider.value = String(depth);
    part('depth-shown').textContent = `${depth} ${depth === 1 ? 'link' : 'links'}`;
    const title = now?.picture.notes[now.nodes.get(selected ?? '') ?? -1]?.title ?? selected ?? '';
    part('local-title').textContent = title;
    const count = (now && localNodes(now, state))?.size ?? 0;
    part('local-count').textContent = `${count.toLocaleString('en')} ${count === 1 ? 'note' : 'notes'}`;
  });
  return turn;
}
