// The legend of colours; choosing a colour shows its notes alone. On a narrow screen it is a sheet.
import { button, dot, element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';
import { coloursOfFolders, queryColours } from './look.ts';

const MAX_SHOWN = 8;

/** @returns closes the sheet; says whether it was open */
export function setUpLegend(page: Reading): () => boolean {
  const { view } = page;
  const draw = (): void => drawLegend(page);
  document.addEventListener('graph', draw);
  view.listen((_state, changed) => {
    if (['colour', 'colourBy', 'queries'].some((key) => changed.has(key as 'colour'))) draw();
  });
  const turn = (isOpen: boolean): boolean => {
    const wasOpen = document.body.classList.contains('with-legend');
    document.body.classList.toggle('with-legend', isOpen);
    part('legend-button').setAttribute('aria-expanded', String(isOpen));
    if (isOpen !== wasOpen) (isOpen ? part('legend-close') : part('legend-button')).focus();
    return wasOpen;
  };
  part('legend-button').addEventListener('click', () => turn(true));
  part('legend-close').addEventListener('click', () => turn(false));
  return () => turn(false);
}

interface Entry {
  readonly value: string;
  /** The place of its colour among all. */
  readonly place: number;
  readonly name: string;
  /** Further words about it. */
  readonly words?: readonly string[];
  readonly count: number;
}

function drawLegend({ model, view }: Reading): void {
  const now = model();
  if (now === undefined) return;
  const { colour } = view.get();
  const colours = part('colours');
  const focused = [...colours.children].indexOf(document.activeElement as Element);
  const rows = entriesOf(now, view.get()).map(({ value, place: at, name, words = [], count }) =>
    button(
      { 'aria-pressed': String(colour === value), title: [name, ...words].join(' · ') },
      () => view.set({ colour: view.get().colour === value ? undefined : value }),
      dot(at),
      element(
        'span',
        { class: 'name' },
        name,
        element('span', { class: 'quiet' }, words.map((word) => ` · ${word}`).join('')),
      ),
      element('span', { class: 'count' }, String(count)),
    ),
  );
  colours.replaceChildren(...rows);
  rows[focused]?.focus();
}

function entriesOf(model: Model, state: ViewState): readonly Entry[] {
  if (state.colourBy === 'query') return queries(model, state.queries);
  return (state.colourBy === 'group' ? groups(model) : folders(model)).slice(0, MAX_SHOWN);
}

function groups({ picture }: Model): Entry[] {
  return picture.groups.map(({ label, words, size }, group) => {
    return { value: String(group), place: group, name: label, words, count: size };
  });
}

function folders(model: Model): Entry[] {
  return coloursOfFolders(model).map(([folder, count], place) => ({
    value: folder,
    place,
    name: folder || 'no folder',
    count,
  }));
}

function queries(model: Model, texts: readonly string[]): Entry[] {
  const colours = queryColours(model, texts);
  const named = texts.map((query, place) => ({
    value: String(place),
    place,
    name: query.trim(),
    count: colours.filter((colour) => colour === place).length,
  }));
  return named.filter(({ name }) => name !== '');
}
