// Handles the keyboard.
import { part } from '../elements.ts';
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import { showHelp, showOptions } from './controls.ts';
import { turnMark } from './marks.ts';
import type { Preview } from './preview.ts';
import type { SearchBox } from './search-box.ts';
import type { Sheet } from './sheet.ts';

interface Parts {
  readonly search: SearchBox;
  readonly list: Sheet;
  readonly changes: Sheet;
  readonly preview: Preview;
  /** Turns the local graph on or off. */
  turnLocal(): void;
  /** Turns the timeline on or off. */
  turnTimeline(): void;
  /** @returns whether the legend was open as a sheet */
  closeLegend(): boolean;
}

export function setUpKeys(page: Reading, parts: Parts): void {
  const { search, list, changes, turnLocal, turnTimeline } = parts;
  const { view, scene, themes, paths } = page;
  const turn = (name: 'unresolved' | 'files' | 'orphans' | 'hubs') => () => view.set({ [name]: !view.get()[name] });
  const acts: Readonly<Record<string, () => void>> = {
    '/': () => search.focus(),
    '?': showHelp,
    '+': () => scene.camera.zoom(1.5),
    '=': () => scene.camera.zoom(1.5),
    '-': () => scene.camera.zoom(1 / 1.5),
    f: () => scene.camera.fit(),
    r: () => view.set({ wide: !view.get().wide }),
    l: list.turn,
    n: changes.turn,
    t: themes.turn,
    u: turn('unresolved'),
    a: turn('files'),
    o: turn('orphans'),
    h: turn('hubs'),
    g: turnLocal,
    d: turnTimeline,
    m: () => mark(page),
    p: () => {
      const { selected } = view.get();
      if (selected !== undefined) paths.begin(selected);
    },
    ArrowRight: () => walk(page, 1),
    ArrowDown: () => walk(page, 1),
    ArrowLeft: () => walk(page, -1),
    ArrowUp: () => walk(page, -1),
    Enter: () => {
      const { cursor } = view.get();
      if (cursor !== undefined) page.choose(cursor);
    },
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || part<HTMLDialogElement>('help').open) return;
    if (event.key === 'Escape') {
      stepBack(page, parts);
      return;
    }
    if (isWriting(event.target) || !Object.hasOwn(acts, event.key)) return;
    if (usesItself(event)) return;
    event.preventDefault();
    const way = event.shiftKey ? WAYS[event.key] : undefined;
    if (way === undefined) acts[event.key]?.();
    else scene.camera.pan(...way);
  });
}

/** With Shift the arrow keys move the graph, by a share of the window. */
const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-0.15, 0],
  ArrowRight: [0.15, 0],
  ArrowUp: [0, -0.15],
  ArrowDown: [0, 0.15],
};

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'text';
}

/** Leaves keys to the focused element: Enter to buttons, arrows to selects and scrolling areas. */
function usesItself({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === 'Enter') return target.closest('button, select, input, [role="link"]') !== null;
  return key.startsWith('Arrow') && target.closest('select, #panel, #list, #changes, [type="range"]') !== null;
}

/** Closes one thing at a time, the last opened first. */
function stepBack(page: Reading, { search, list, changes, preview, closeLegend }: Parts): void {
  const { view, paths } = page;
  const { pathFrom, chain, cursor, selected, marked, local, until, colour } = view.get();
  if (preview.hide() || closeLegend()) return;
  if (search.close() || list.close() || changes.close()) part('stage').focus();
  else if (!part('options').hidden) showOptions(false);
  else if (pathFrom !== undefined) paths.cancel();
  else if (cursor !== undefined) view.set({ cursor: undefined });
  else if (chain !== undefined) view.set({ chain: undefined });
  else if (local) view.set({ local: false });
  else if (selected !== undefined || marked.length > 0) page.choose(undefined);
  else if (until !== undefined) view.set({ until: undefined });
  else if (colour !== undefined) view.set({ colour: undefined });
}

/** The note that the arrow keys are on, or the chosen one, joins the collected notes or leaves them. */
function mark(page: Reading): void {
  const { cursor, selected } = page.view.get();
  const path = cursor ?? selected;
  if (path === undefined || page.model()?.nodes.has(path) !== true) {
    page.notice.say('Choose a note first: m collects it.');
    return;
  }
  const isMarked = turnMark(page, path);
  const { length } = page.view.get().marked;
  page.notice.say(`${isMarked ? 'Collected' : 'Taken out'}: ${length} ${length === 1 ? 'note' : 'notes'}`);
}

/** Moves clockwise around the selected note; without one, to the most central note. */
function walk(page: Reading, step: 1 | -1): void {
  const now = page.model();
  const { selected, cursor } = page.view.get();
  if (now === undefined) return;
  const { notes } = now.picture;
  if (selected === undefined) {
    page.choose(notes.toSorted((a, b) => b.rank - a.rank)[0]?.path);
    return;
  }
  const around = clockwise(page, now, selected);
  const at = cursor === undefined ? -1 : around.indexOf(cursor);
  const first = step === 1 ? 0 : around.length - 1;
  const next = around[at < 0 ? first : (at + step + around.length) % around.length];
  if (next === undefined) return;
  page.view.set({ cursor: next });
  part('spoken').textContent = notes[now.nodes.get(next) ?? -1]?.title ?? next;
}

/** The neighbours' paths, ordered by angle. */
function clockwise({ scene }: Reading, { picture, around, nodes }: Model, centre: string): readonly string[] {
  const from = scene.spotOf(centre);
  const spots = (around[nodes.get(centre) ?? -1] ?? []).flatMap((node) => {
    const path = picture.notes[node]?.path ?? '';
    const spot = scene.spotOf(path);
    if (spot === undefined || from === undefined) return [];
    return [{ path, angle: Math.atan2(spot.y - from.y, spot.x - from.x) }];
  });
  return spots.sort((a, b) => a.angle - b.angle).map(({ path }) => path);
}
