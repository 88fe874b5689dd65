// The graph drawing: notes and links on a canvas, and pointer events.
import type Graph from 'graphology';
import type Sigma from 'sigma';
import type { ProgramInfo } from 'sigma/rendering';
import type { Coordinates, RenderParams } from 'sigma/types';
import { mixed, type Palette } from '../../picture/palette.ts';
import type { Model } from '../source/model.ts';
import { type Loose, loosePlace, loosesOf } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';
import { createLabels } from './labels.ts';
import type { Look } from './look.ts';
import { DiscProgram, DotProgram } from './node-programs.ts';
import { type Covered, SceneCamera } from './scene-camera.ts';

const drawing = globalThis.vaultgraphDrawing;

/** With more links than this, links are hidden while the graph moves. */
const MANY_LINKS = 15_000;
const WIDEST_STRETCH = 1.35;
/** A window of this width and height shows discs and titles in full size, and a smaller one smaller ones. */
const FULL_SIZE = 640;
const MIN_SCALE = 0.62;
const MIN_LABELLED = 6.5;
const STAGE_PADDING = 56;

export interface SceneEvents {
  /** @param isMore whether a key says that the note joins those chosen before */
  choose(key: string | undefined, isMore: boolean): void;
  hover(key: string | undefined): void;
}

export class Scene {
  readonly camera: SceneCamera;
  readonly #container: HTMLElement;
  readonly #sigma: Sigma;
  readonly #labels = createLabels();
  #palette: Palette;
  #shown: Shown | undefined;
  #placed: Placed = [new Float32Array()];

  /** @param covers what other elements cover */
  constructor(container: HTMLElement, palette: Palette, events: SceneEvents, covers: () => Covered) {
    this.#container = container;
    this.#palette = palette;
    this.#sigma = this.#createSigma();
    this.#sigma.on('afterRender', () => this.#labels.draw(this.#palette, this.#scale));
    passEvents(this.#sigma, events);
    this.camera = new SceneCamera(this.#sigma, () => this.#shown?.model.shape.count ?? 0, covers);
  }

  /**
   * Replaces the graph; it is drawn after the next `dress`. Links take most of the time to draw many notes, so a large graph that is
   * the first one has none before `addLinks`.
   */
  load(model: Model, places: Float32Array): void {
    const isLarge = model.shape.pairs.length / 2 > MANY_LINKS;
    const isLinked = !isLarge || this.#shown !== undefined;
    this.#shown = { model, graph: graphOf(model, isLinked), isLinked };
    this.#place(places);
    this.#sigma.setSetting('hideEdgesOnMove', isLarge);
  }

  /** Adds the links of a graph that has none yet; they are drawn after the next `dress`. @returns whether there were none */
  addLinks(): boolean {
    if (this.#shown === undefined || this.#shown.isLinked) return false;
    const { model } = this.#shown;
    this.#shown = { model, graph: graphOf(model, true), isLinked: true };
    this.#place(...this.#placed);
    return true;
  }

  /** @param box the notes that fill the window; all by default */
  move(places: Float32Array, box?: ReadonlySet<number>): void {
    if (this.#shown === undefined) return;
    this.#place(places, box);
    this.#sigma.setCustomBBox(box === undefined ? null : boxAround(box, places, this.#stretch));
    this.#sigma.scheduleRefresh();
  }

  dress(state: ViewState, look: Look, palette: Palette): void {
    this.#palette = palette;
    const shown = this.#shown;
    if (shown === undefined) return;
    dressAll(shown, state, { look, palette, scale: this.#scale });
    this.#setNumber('labelRenderedSizeThreshold', MIN_LABELLED * this.#scale);
    this.#setNumber('stagePadding', STAGE_PADDING * this.#scale);
    if (this.#sigma.getGraph() === shown.graph) this.#sigma.scheduleRefresh();
    else this.#sigma.setGraph(shown.graph);
  }

  /** The position of a note, in window pixels. */
  spotOf(key: string): Coordinates | undefined {
    if (this.#shown?.graph.hasNode(key) !== true) return undefined;
    const { x, y } = this.#shown.graph.getNodeAttributes(key);
    return this.#sigma.graphToViewport({ x, y });
  }

  #place(...placed: Placed): void {
    this.#placed = placed;
    if (this.#shown !== undefined) placeAll(this.#shown, placed, this.#stretch);
  }

  #createSigma(): Sigma {
    return new drawing.Sigma(new drawing.Graph(), this.#container, {
      allowInvalidContainer: true,
      defaultNodeType: 'disc',
      nodeProgramClasses: { disc: DiscProgram, dot: DotProgram },
      edgeProgramClasses: { line: LineProgram, hair: drawing.EdgeLineProgram },
      defaultDrawNodeLabel: this.#labels.add,
      defaultDrawNodeHover: (context, data) => this.#labels.drawMarked(context, data, this.#palette, this.#scale),
      labelDensity: 0.9,
      labelGridCellSize: 130,
      labelRenderedSizeThreshold: MIN_LABELLED,
      minEdgeThickness: 1.5,
      stagePadding: STAGE_PADDING,
      zIndex: true,
      minCameraRatio: 0.015,
      maxCameraRatio: 3,
      inertiaDuration: 250,
    });
  }

  get #scale(): number {
    const { clientWidth, clientHeight } = this.#container;
    return Math.min(1, Math.max(MIN_SCALE, Math.min(clientWidth, clientHeight) / FULL_SIZE));
  }

  /** A wide window leaves room at the sides, and a high one above and below. */
  get #stretch(): number {
    const ratio = Math.sqrt(this.#container.clientWidth / Math.max(1, this.#container.clientHeight));
    return Math.min(WIDEST_STRETCH, Math.max(1 / WIDEST_STRETCH, ratio));
  }

  /** A setting that stays the same would draw everything once more. */
  #setNumber(name: 'labelRenderedSizeThreshold' | 'stagePadding', value: number): void {
    if (this.#sigma.getSetting(name) !== value) this.#sigma.setSetting(name, value);
  }
}

function passEvents(sigma: Sigma, events: SceneEvents): void {
  sigma.on('clickNode', ({ node, event }) => events.choose(node, isMore(event.original)));
  // The second of two quick clicks, which may be on two notes, chooses too instead of zooming.
  sigma.on('doubleClickNode', ({ node, event, preventSigmaDefault }) => {
    preventSigmaDefault();
    events.choose(node, isMore(event.original));
  });
  sigma.on('clickStage', ({ event }) => events.choose(undefined, isMore(event.original)));
  sigma.on('enterNode', ({ node }) => events.hover(node));
  sigma.on('leaveNode', () => events.hover(undefined));
}

const isMore = (event: MouseEvent | TouchEvent): boolean => event.shiftKey || event.ctrlKey || event.metaKey;

class LineProgram extends drawing.EdgeRectangleProgram {
  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    super.setUniforms({ ...params, sizeRatio: 1 }, program);
  }
}

/** With more links than this, they are drawn as hairlines, which cost a tenth. */
const MANY_PAIRS = 6_000;
const MANY_NOTES = 1_500;
/** Pixels of the ring around a collected note. */
const COLLECTED_RIM = 2;

type Attributes = ReturnType<Graph['getNodeAttributes']>;

interface Dress {
  readonly look: Look;
  readonly palette: Palette;
  /** The scale of the discs. */
  readonly scale: number;
}

function dressAll({ graph, model }: Shown, state: ViewState, { look, palette, scale }: Dress): void {
  const type = model.shape.count > MANY_NOTES ? 'dot' : 'disc';
  const chain = new Set(state.chain ?? []);
  const collected = new Set(state.marked);
  const hollow = {
    color: palette.paper,
    rim: mixed(palette.ink, palette.paper, 0.45),
    rimWidth: 1.2,
    size: (type === 'dot' ? 2.6 : 4.2) * scale,
  };
  // Those of a chosen hub would be a fan of hundreds.
  const areOwnClear = !look.isHub(model.nodes.get(state.selected ?? '') ?? -1);
  const plain = model.shape.pairs.length / 2 > MANY_PAIRS ? { size: 1, type: 'hair' } : { size: 1.5, type: 'line' };
  graph.forEachNode((key, attributes) => {
    const { node, loose } = attributes;
    const isMarked = key === state.selected || key === state.cursor;
    const isStep = chain.has(key);
    const marks = { highlighted: isMarked, zIndex: Number(isMarked) * 2 + Number(isStep), type };
    if (node === undefined) {
      const isOn = key === state.selected || isSwitchedOn(loose.kind);
      const hidden = !isOn || !loose.sources.some(look.isShown);
      Object.assign(attributes, hollow, marks, { hidden, forceLabel: isMarked });
      return;
    }
    const isFaded = look.isFaded(node);
    const size = (look.sizes[node] ?? 3) * scale;
    const isCollected = collected.has(key);
    const rim = isCollected
      ? { rim: palette.ink, rimWidth: COLLECTED_RIM, size: Math.max(size, COLLECTED_RIM * 3) }
      : { rim: palette.paper, rimWidth: Math.min(1, size / 5), size };
    Object.assign(attributes, marks, rim, {
      hidden: !look.isShown(node),
      color: isStep ? palette.accent : look.nodeColour(node),
      label: isFaded ? null : model.picture.notes[node]?.title,
      forceLabel: isMarked || isStep || isCollected || (look.isFew && !isFaded),
    });
  });
  graph.forEachEdge((_key, attributes, source, target) => {
    Object.assign(attributes, linkLook(attributes, source, target));
  });

  function isSwitchedOn(kind: Loose['kind']): boolean {
    return kind === 'file' ? state.files : state.unresolved;
  }

  function linkLook({ one, other, kind, source: from }: Attributes, source: string, target: string): object {
    const isOwn = state.chain === undefined && (source === state.selected || target === state.selected);
    if (kind !== undefined) {
      const hidden = !(isOwn || isSwitchedOn(kind)) || !look.isShown(from);
      return { ...plain, color: palette.link, zIndex: 0, hidden };
    }
    const hidden = !(look.isShown(one) && look.isShown(other));
    if (follows(state.chain, source, target))
      return { hidden, color: palette.accent, size: 3, zIndex: 2, type: 'line' };
    const color = look.pairColour(one, other);
    if (isOwn && areOwnClear)
      return { hidden, color: mixed(palette.ink, color, 0.3), size: 1.9, zIndex: 1, type: 'line' };
    return { ...plain, hidden, color, zIndex: 0 };
  }
}

/** Whether the two are neighbours in the path. */
function follows(chain: readonly string[] | undefined, one: string, other: string): boolean {
  if (chain === undefined) return false;
  const place = chain.indexOf(one);
  return place >= 0 && (chain[place + 1] === other || chain[place - 1] === other);
}

interface Shown {
  readonly graph: Graph;
  readonly model: Model;
  readonly isLinked: boolean;
}

/** Two numbers per note, and the notes that fill the window; all by default. */
type Placed = readonly [places: Float32Array, box?: ReadonlySet<number>];

function graphOf({ picture, shape }: Model, isLinked: boolean): Graph {
  const graph = new drawing.Graph({ type: 'undirected', multi: false });
  const paths = picture.notes.map(({ path }) => path);
  for (const [node, { path, title }] of picture.notes.entries())
    graph.addNode(path, { node, label: title, x: 0, y: 0 });
  for (let at = 0; isLinked && at < shape.pairs.length; at += 2) {
    const [one = 0, other = 0] = [shape.pairs[at], shape.pairs[at + 1]];
    graph.addUndirectedEdgeWithKey(String(at), paths[one], paths[other], { one, other });
  }
  for (const [turn, loose] of loosesOf(picture).entries()) {
    const { key, title, sources, kind } = loose;
    graph.mergeNode(key, { loose, turn, label: title, x: 0, y: 0 });
    for (const source of isLinked ? sources : []) graph.mergeUndirectedEdge(key, paths[source], { kind, source });
  }
  return graph;
}

/** Changes node attributes in place: an event per node would redraw everything each time. */
function placeAll({ graph }: Shown, [places, box]: Placed, stretch: number): void {
  const isIn = (node: number): boolean => box?.has(node) !== false;
  graph.forEachNode((_key, attributes) => {
    const { node, loose, turn } = attributes;
    const [x, y] =
      node === undefined
        ? loosePlace(box === undefined ? loose.sources : loose.sources.filter(isIn), turn, places)
        : [places[node * 2] ?? 0, places[node * 2 + 1] ?? 0];
    Object.assign(attributes, { x: x * stretch, y });
  });
}

/** One note by itself is not drawn larger than it is. */
const MIN_BOX = 6;

function boxAround(nodes: ReadonlySet<number>, places: Float32Array, stretch: number) {
  const [x, y] = [0, 1].map((axis): [number, number] => {
    const values = [...nodes].map((node) => (places[node * 2 + axis] ?? 0) * (axis === 0 ? stretch : 1));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const more = Math.max(0, MIN_BOX - (most - least)) / 2;
    return [least - more, most + more];
  });
  return { x: x ?? [0, 1], y: y ?? [0, 1] };
}
