// The controls beside the picture: filters, local graph, groups of colours and time, and the line that sums them up.

import { button, dot, element, part } from '../elements.ts';
import { localNodes } from '../graph/local-graph.ts';
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';

/** Tags in the filter at most. */
const MAX_TAGS = 300;

const SWITCHES = ['unresolved', 'files', 'orphans', 'hubs'] as const;

export function setUpControls(page: Reading): void {
  const { scene, themes, view, model } = page;
  onClick('zoom-in', () => scene.camera.zoom(1.5));
  onClick('zoom-out', () => scene.camera.zoom(1 / 1.5));
  onClick('fit', () => scene.camera.fit());
  onClick('theme', () => themes.turn());
  onClick('help-button', showHelp);
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

/** From its beginning, although the button at its end has the focus. */
export function showHelp(): void {
  const help = part<HTMLDialogElement>('help');
  help.showModal();
  help.scrollTop = 0;
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

/** There are as many groups as colours. */
const MAX_GROUPS = 9;

export function setUpColourGroups({ view }: Reading): void {
  const place = part('queries');
  const add = button({ class: 'plain-button', id: 'add-query' }, () => {
    view.set({ queries: [...view.get().queries, ''], colour: undefined });
    place.querySelector<HTMLInputElement>('li:last-of-type input')?.focus();
  });
  add.append('Add a group');
  const change = (at: number, query: string | undefined): void => {
    const { queries } = view.get();
    view.set({ queries: queries.toSpliced(at, 1, ...(query === undefined ? [] : [query])), colour: undefined });
  };
  const take = (at: number): void => {
    change(at, undefined);
    add.focus();
  };
  const draw = (): void => {
    const { colourBy, queries } = view.get();
    place.hidden = colourBy !== 'query';
    const rows = queries.map((query, at) => {
      const name = `Query of group ${at + 1}`;
      const input = element('input', { type: 'text', 'aria-label': name, placeholder: HINT, spellcheck: 'false' });
      input.value = query;
      input.addEventListener('input', () => change(at, input.value));
      const remove = button({ class: 'icon-button', 'aria-label': `Remove group ${at + 1}` }, () => take(at), '✕');
      return element('li', {}, dot(at), input, remove);
    });
    add.hidden = queries.length >= MAX_GROUPS;
    place.replaceChildren(element('ul', {}, ...rows), add);
  };
  view.listen((state, changed) => {
    // While the reader types, the rows stay as they are.
    const isTyping =
      place.contains(document.activeElement) && place.querySelectorAll('li').length === state.queries.length;
    if (changed.has('colourBy') || (changed.has('queries') && !isTyping)) draw();
  });
  draw();
}

const HINT = 'words, path:, file:, tag:#';

/** @returns turns the timeline on or off */
export function setUpTimeline({ view, model, notice }: Reading): () => void {
  const slider = part<HTMLInputElement>('until');
  /** The days of the notes, ascending, each once. */
  let days: readonly string[] = [];
  const turn = (): void => {
    const last = days.at(-1);
    if (last === undefined) notice.say('No note of this vault has a date.');
    else view.set({ until: view.get().until === undefined ? last : undefined });
  };
  const show = (): void => {
    const { until } = view.get();
    part('timeline').hidden = until === undefined;
    part('timeline-button').setAttribute('aria-pressed', String(until !== undefined));
    if (until === undefined) return;
    slider.max = String(Math.max(0, days.length - 1));
    slider.value = String(days.findLastIndex((day) => day <= until));
    slider.setAttribute('aria-valuetext', until);
    const notes = model()?.picture.notes ?? [];
    const count = notes.filter(({ date }) => date <= until).length;
    part('until-shown').textContent = until;
    part('until-count').textContent =
      `${count.toLocaleString('en')} of ${notes.length.toLocaleString('en')} notes, since ${days[0] ?? until}`;
  };
  slider.addEventListener('input', () => view.set({ until: days[Number(slider.value)] }));
  part('timeline-button').addEventListener('click', turn);
  part('timeline-close').addEventListener('click', () => {
    view.set({ until: undefined });
    part('timeline-button').focus();
  });
  document.addEventListener('graph', () => {
    const dates = (model()?.picture.notes ?? []).map(({ date }) => date);
    days = [...new Set(dates)].filter((date) => date !== '').sort();
    show();
  });
  view.listen((_state, changed) => {
    if (changed.has('until')) show();
  });
  return turn;
}

// The line that names the vault and counts its notes and links.

export function tellSummary({ picture }: Model): void {
  const links = picture.links.reduce((sum, value, at) => (at % 3 === 2 ? sum + value : sum), 0);
  const facts = [
    notesText(picture),
    counted(links, 'link'),
    ...(picture.unresolvedTotal === 0 ? [] : [`${picture.unresolvedTotal.toLocaleString('en')} unresolved`]),
  ];
  part('summary').replaceChildren(element('strong', {}, picture.vault), `  ·  ${facts.join('  ·  ')}`);
  part('summary').title = 'The links between notes; those to attachments are not drawn.';
  document.title = `${picture.vault} · vaultgraph`;
}

/** Lists of notes count all three as notes. */
function notesText({ notes, bases = 0 }: Model['picture']): string {
  const canvases = notes.filter(({ kind }) => kind === 'canvas').length;
  return [
    counted(notes.length - canvases, 'note'),
    ...(canvases === 0 ? [] : [counted(canvases, 'canvas', 'canvases')]),
    ...(bases === 0 ? [] : [counted(bases, 'base')]),
  ].join('  ·  ');
}

const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`;
