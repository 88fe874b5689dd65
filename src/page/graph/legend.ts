// The legend of colours; choosing a colour shows its group alone.
import { groupColour } from '../../picture/palette.ts';
import { button, dot, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import { coloursOfFolders } from './look.ts';

const MAX_SHOWN = 8;

export function setUpLegend(page: Reading): void {
  const { view, themes } = page;
  const draw = (): void => drawLegend(page);
  themes.listen(draw);
  document.addEventListener('graph', draw);
  view.listen((_state, changed) => {
    if (changed.has('colour') || changed.has('colourBy')) draw();
  });
}

interface Entry {
  readonly value: string;
  readonly name: string;
  readonly count: number;
}

function drawLegend({ model, view, themes }: Reading): void {
  const now = model();
  if (now === undefined) return;
  const { colour, colourBy } = view.get();
  const entries = (colourBy === 'group' ? groups(now) : folders(now)).slice(0, MAX_SHOWN);
  const rows = entries.map(({ value, name, count }, place) =>
    button(
      { 'aria-pressed': String(colour === value), title: name },
      () => view.set({ colour: view.get().colour === value ? undefined : value }),
      dot(groupColour(place, themes.palette())),
      element('span', { class: 'name' }, name),
      element('span', { class: 'count' }, String(count)),
    ),
  );
  part('legend').replaceChildren(...rows);
}

function groups({ picture }: Model): Entry[] {
  return picture.groups.map(({ label, size }, group) => ({ value: String(group), name: label, count: size }));
}

function folders(model: Model): Entry[] {
  return coloursOfFolders(model).map(([folder, count]) => ({ value: folder, name: folder || 'no folder', count }));
}
