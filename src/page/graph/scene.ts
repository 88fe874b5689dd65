// The graph drawing: notes and links on a canvas, and pointer events.
import Graph from 'graphology';
import Sigma from 'sigma';
import { EdgeLineProgram, EdgeRectangleProgram, type ProgramInfo } from 'sigma/rendering';
import type { Coordinates, RenderParams } from 'sigma/types';
import type { Palette } from '../../picture/palette.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';
import { DiscProgram } from './disc-program.ts';
import { DotProgram } from './dot-program.ts';
import { boxAround, graphOf, placeAll, type Shown } from './drawn-graph.ts';
import { dressAll } from './dress.ts';
import { createLabels } from './labels.ts';
import type { Look } from './look.ts';
import { SceneCamera } from './scene-camera.ts';

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

  constructor(container: HTMLElement, palette: Palette, events: SceneEvents) {
    this.#container = container;
    this.#palette = palette;
    this.#sigma = this.#createSigma();
    this.#sigma.on('afterRender', () => this.#labels.draw(this.#palette, this.#scale));
    passEvents(this.#sigma, events);
    this.camera = new SceneCamera(this.#sigma, () => this.#shown?.model.shape.count ?? 0);
  }

  /** Replaces the graph; it is drawn after the next `dress`. */
  load(model: Model, places: Float32Array): void {
    this.#shown = { model, graph: graphOf(model) };
    placeAll(this.#shown, places, this.#stretch);
    this.#sigma.setSetting('hideEdgesOnMove', model.shape.pairs.length / 2 > MANY_LINKS);
  }

  /** @param box the notes that fill the window; all by default */
  move(places: Float32Array, box?: ReadonlySet<number>): void {
    if (this.#shown === undefined) return;
    placeAll(this.#shown, places, this.#stretch, box);
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

  #createSigma(): Sigma {
    return new Sigma(new Graph(), this.#container, {
      allowInvalidContainer: true,
      defaultNodeType: 'disc',
      nodeProgramClasses: { disc: DiscProgram, dot: DotProgram },
      edgeProgramClasses: { line: LineProgram, hair: EdgeLineProgram },
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

class LineProgram extends EdgeRectangleProgram {
  override setUniforms(params: RenderParams, program: ProgramInfo): void {
    super.setUniforms({ ...params, sizeRatio: 1 }, program);
  }
}
