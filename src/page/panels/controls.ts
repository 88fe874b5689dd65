// The buttons and options of the page.
import { element, part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import type { ViewState } from '../view-state.ts';

/** Tags in the filter at most. */
const MAX_TAGS = 300;

const SWITCHES = ['unresolved', 'files', 'orphans'] as const;

export function setUpControls(page: Reading): void {
  const { scene, themes, view, model } = page;
  onClick('zoom-in', () => scene.camera.zoom(1.5));
  onClick('zoom-out', () => scene.camera.zoom(1 / 1.5));
  onClick('fit', () => scene.camera.fit());
  onClick('theme', () => themes.turn());
  onClick('help-button', () => part<HTMLDialogElement>('help').showModal());
  onClick('options-button', () => showOptions(part('options').hidden !== false));
  chooses('folder', (value) => view.set({ folder: value || undefined }));
  chooses('tag', (value) => view.set({ tag: value || undefined }));
  chooses('colour-by', (value) => view.set({ colourBy: value as ViewState['colourBy'], colour: undefined }));
  chooses('size-by', (value) => view.set({ sizeBy: value as ViewState['sizeBy'] }));
  for (const name of SWITCHES) {
    const box = part<HTMLInputElement>(name);
    box.addEventListener('change', () => view.set({ [name]: box.checked }));
  }
  view.listen((state) => {
    for (const name of SWITCHES) part<HTMLInputElement>(name).checked = state[name];
    showChoices(state);
  });
  document.addEventListener('graph', () => {
    const now = model();
    if (now === undefined) return;
    fill(
      'folder',
      'all',
      now.folders,
      (folder) => '\u2003'.repeat(folder.split('/').length - 1) + folder.split('/').at(-1),
    );
    fill('tag', 'all', now.tags.slice(0, MAX_TAGS), (tag) => tag);
    showChoices(view.get());
  });
}

export function showOptions(shown: boolean): void {
  part('options').hidden = !shown;
  part('options-button').setAttribute('aria-expanded', String(shown));
}

function showChoices({ folder = '', tag = '', colourBy, sizeBy }: ViewState): void {
  const chosen = { folder, tag, 'colour-by': colourBy, 'size-by': sizeBy };
  for (const [id, value] of Object.entries(chosen)) {
    const select = part<HTMLSelectElement>(id);
    // A rare tag is not among the options.
    if (value !== '' && ![...select.options].some((option) => option.value === value))
      select.append(element('option', { value }, value));
    select.value = value;
  }
}

function onClick(id: string, act: () => void): void {
  part(id).addEventListener('click', act);
}

function chooses(id: string, act: (value: string) => void): void {
  const select = part<HTMLSelectElement>(id);
  select.addEventListener('change', () => act(select.value));
}

/** Keeps the selected option if it still exists. */
function fill(
  id: string,
  all: string,
  entries: readonly (readonly [string, number])[],
  shown: (name: string) => string,
): void {
  const select = part<HTMLSelectElement>(id);
  const chosen = select.value;
  const options = entries.map(([name, count]) => element('option', { value: name }, `${shown(name)} (${count})`));
  select.replaceChildren(element('option', { value: '' }, all), ...options);
  select.value = chosen;
  if (select.selectedIndex < 0) select.value = '';
}
