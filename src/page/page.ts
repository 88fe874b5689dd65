// The graph page: connects its parts and updates them when the view or the vault changes.
import type { EmbeddedGraph } from '../picture/shape.ts';
import { followAddress, viewOf } from './address.ts';
import { part } from './elements.ts';
import { createLayouts, type Placed } from './graph/layout-run.ts';
import { setUpLegend } from './graph/legend.ts';
import { litNodes, lookOf } from './graph/look.ts';
import { createPlacing } from './graph/placing.ts';
import { Scene } from './graph/scene.ts';
import { createThemes } from './graph/theme.ts';
import { setUpChanges } from './panels/changes-view.ts';
import { setUpColourGroups, setUpControls, setUpLocal, setUpTimeline, tellSummary } from './panels/controls.ts';
import { setUpKeys } from './panels/keys.ts';
import { setUpList } from './panels/list-view.ts';
import { addToMarks } from './panels/marks.ts';
import { createNotice } from './panels/notice.ts';
import { coveredByPage, setUpPanel } from './panels/panel.ts';
import { createPaths } from './panels/paths.ts';
import { setUpPreview } from './panels/preview.ts';
import { SearchBox } from './panels/search-box.ts';
import type { Reading } from './reading.ts';
import { embeddedSource } from './source/embedded-source.ts';
import { faultOf, type GraphSource } from './source/graph-source.ts';
import { type Model, modelOf } from './source/model.ts';
import { serverSource } from './source/server-source.ts';
import { unresolvedName } from './source/unresolved.ts';
import { createViewStore, type ViewState } from './view-state.ts';

const LOOK_EVERY_MS = 2_500;
const WAIT_FOR_INDEX_MS = 500;
/** A server that has just started begins to index within this time. */
const SOON_MS = 8_000;
/** The parts of the view state that the drawing depends on. */
const DRAWN: readonly (keyof ViewState)[] = [
  ...(['selected', 'cursor', 'hovered', 'chain', 'marked', 'folder', 'tag', 'until', 'colour'] as const),
  ...(['colourBy', 'queries', 'sizeBy', 'unresolved', 'files', 'orphans', 'hubs', 'local', 'depth'] as const),
];

const themes = createThemes();
const source = sourceOfPage();
const layouts = createLayouts(source);
const view = createViewStore();
// Gives keyboard events a target.
part('stage').tabIndex = 0;
const notice = createNotice();
let model: Model | undefined;
let layout: Placed | undefined;

const events = {
  choose: (key: string | undefined, isMore: boolean) => (isMore ? collect(key) : choose(key)),
  hover: (key: string | undefined) => hover(key),
};
const scene = new Scene(part('stage'), themes.palette(), events, coveredByPage);
const paths = createPaths(() => model, view, notice);
const page: Reading = { source, view, scene, themes, paths, notice, choose, model: () => model };
const panel = setUpPanel(page);
const search = new SearchBox(page);
const list = setUpList(page);
const changes = setUpChanges(page);
const preview = setUpPreview(page);
setUpControls(page);
setUpColourGroups(page);
setUpKeys(page, {
  search,
  list,
  changes,
  preview,
  turnLocal: setUpLocal(page),
  turnTimeline: setUpTimeline(page),
  closeLegend: setUpLegend(page),
});

themes.listen(dress);
view.listen((state, changed) => {
  if (DRAWN.some((key) => changed.has(key))) dress();
  if (changed.has('chain') && state.chain !== undefined) scene.camera.frame(state.chain);
  document.body.classList.toggle('wide', state.wide);
  const isBackAtMarks = changed.has('selected') && state.selected === undefined && state.marked.length > 0;
  if (changed.has('wide') || isBackAtMarks) keepInSight();
});
const placing = createPlacing(page);
addEventListener('resize', () => {
  placing.resize();
  dress();
});
void begin();

function sourceOfPage(): GraphSource {
  const carried = document.getElementById('graph-data')?.textContent;
  return typeof carried === 'string' ? embeddedSource(JSON.parse(carried) as EmbeddedGraph) : serverSource();
}

async function begin(): Promise<void> {
  const revision = await loadWhenReady();
  if (location.hash.length > 1) showView(viewOf(location.hash));
  followAddress(view, showView);
  document.body.dataset.state = 'ready';
  void follow(revision);
}

/** Shows what an address names; a note that the vault no longer has is reported. */
function showView(named: Partial<ViewState>): void {
  const keys = [named.selected, ...(named.chain ?? [])].filter((key) => key !== undefined);
  const gone = keys.find((key) => scene.spotOf(key) === undefined && unresolvedName(key) === undefined);
  if (gone !== undefined) notice.say(`This vault has no note ${gone}.`);
  view.set({ cursor: undefined, ...named, ...(gone === undefined ? {} : { selected: undefined, chain: undefined }) });
  keepInSight();
}

/** The layout or the panel may have moved or covered what the reader looks at. */
function keepInSight(): void {
  const { selected, chain, marked } = view.get();
  if (chain !== undefined) scene.camera.frame(chain);
  else if (selected === undefined && marked.length > 0) scene.camera.frame(marked);
  else if (selected !== undefined && !placing.isLocal()) scene.camera.focus(selected);
  else if (!placing.isLocal()) scene.camera.fitAgain();
}

/** Shows the indexing progress until there is an index. @returns the revision shown */
async function loadWhenReady(): Promise<number> {
  for (const began = performance.now(); ; await pause(WAIT_FOR_INDEX_MS)) {
    try {
      const progress = await source.progress();
      const isBuilding = progress !== undefined && !progress.complete && progress.building !== undefined;
      if (isBuilding) notice.progress(progress);
      else return await loadNow();
    } catch (thrown) {
      const { code } = faultOf(thrown);
      const isSoon = code === 'INDEX_EMPTY' && performance.now() - began < SOON_MS;
      if (isSoon || code === 'INDEX_BUILDING' || code === 'NOT_READY') notice.progress(undefined);
      else notice.fault(faultOf(thrown), () => hurry());
    }
  }
}

async function loadNow(): Promise<number> {
  const first = modelOf(await source.graph());
  await layouts.load(first);
  show(first);
  return first.picture.revision;
}

function show(next: Model): void {
  layout?.stop();
  model = next;
  if (next.shape.count === 0) notice.empty();
  else notice.clear();
  const run = layouts.run(next, placing.move, settle);
  layout = run;
  placing.load(next, run.places);
  const { selected } = view.get();
  if (selected !== undefined && scene.spotOf(selected) === undefined) view.set({ selected: undefined });
  dress();
  tellSummary(next);
  for (const hear of [panel.refresh, list.refresh, changes.refresh]) hear();
  document.dispatchEvent(new Event('graph'));
  scene.camera.fitAgain();
}

/** Shows changes of the vault, reports when the server is gone, and continues when it is back. Ends in a file without a server. */
async function follow(shown: number): Promise<void> {
  let revision = shown;
  for (;;) {
    await pause(LOOK_EVERY_MS);
    if (document.hidden) continue;
    try {
      const now = await source.progress();
      if (now === undefined) return;
      if (now.revision !== revision && now.complete) {
        const picture = await source.graph();
        show(modelOf(picture));
        revision = picture.revision;
      }
      if (model !== undefined && model.shape.count > 0) notice.clear();
    } catch (thrown) {
      notice.fault(faultOf(thrown), () => hurry());
    }
  }
}

/** Ends the current pause. */
let hurry = (): void => undefined;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    hurry = resolve;
    setTimeout(resolve, ms);
  });

/** The links of a large graph follow when its notes are where they stay. */
function settle(hasMoved: boolean): void {
  if (scene.addLinks()) dress();
  if (hasMoved) keepInSight();
}

function dress(): void {
  if (model === undefined) return;
  const state = view.get();
  if (state.selected !== undefined || state.chain !== undefined) scene.addLinks();
  const palette = themes.palette();
  scene.dress(state, lookOf(model, state, palette, litNodes(model, state)), palette);
}

function choose(key: string | undefined, subpath = ''): void {
  const { pathFrom, selected } = view.get();
  const noSheet = { list: false, changes: false };
  if (pathFrom !== undefined && key !== undefined) {
    view.set(noSheet);
    paths.end(key);
    return;
  }
  const { local } = view.get();
  // Leaving a note leads back to the collected notes, and leaving those ends them.
  if (key === undefined && selected === undefined) view.set({ marked: [] });
  const shown = { selected: key, subpath: subpath === '' ? undefined : subpath, cursor: undefined, ...noSheet };
  const rest = { chain: undefined, ...(key === undefined ? { local: false } : {}) };
  view.set({ ...shown, ...(key === selected ? {} : rest) });
  if (key === undefined) scene.camera.recentre();
  else if (!local) scene.camera.focus(key);
}

function collect(key: string | undefined): void {
  if (key !== undefined) addToMarks(page, key);
}

/** In a large graph, hovering only shows a title, because highlighting would redraw everything. */
function hover(key: string | undefined): void {
  part('stage').style.cursor = key === undefined ? '' : 'pointer';
  preview.over(key);
  if (model !== undefined && model.shape.pairs.length < MAX_HOVERED * 2) view.set({ hovered: key });
}

const MAX_HOVERED = 3_000;
