// The graph drawing: notes and links on a canvas, the camera, and pointer events.
import Graph from 'graphology';
import Sigma from 'sigma';
import { EdgeLineProgram } from 'sigma/rendering';
import type { Coordinates, Dimensions } from 'sigma/types';
import type { Palette } from '../../picture/palette.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';
import { DiscProgram } from './disc-program.ts';
import { DotProgram } from './dot-program.ts';
import { boxAround, graphOf, placeAll, type Shown } from './drawn-graph.ts';
import { dressAll } from './dress.ts';
import { cameraOver } from './frame-camera.ts';
import { createLabels } from './labels.ts';
import { LineProgram } from './line-program.ts';
import type { Look } from './look.ts';

/** With more links than this, links are hidden while the graph moves. */
const MANY_LINKS = 15_000;
/** Respects the reader's preference for reduced motion. */
const FOCUS_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 380;
const CLOSEST = 0.28;
/** A note closer to the edge than this, in pixels, is moved to the centre. */
const EDGE = 90;

export type Scene = ReturnType<typeof createScene>;

/** Window pixels covered by other elements. */
export interface Covered {
  readonly above: number;
  readonly right: number;
  readonly below: number;
}

export interface SceneEvents {
  /** @param isMore whether a key says that the note joins those chosen before */
  choose(key: string | undefined, isMore: boolean): void;
  hover(key: string | undefined): void;
}

const WIDEST_STRETCH = 1.35;
/** A window of this width and height shows discs and titles in full size, and a smaller one smaller ones. */
const FULL_SIZE = 640;
const MIN_SCALE = 0.62;
const MIN_LABELLED = 6.5;
const STAGE_PADDING = 56;

export function createScene(container: HTMLElement, first: Palette, events: SceneEvents) {
  let palette = first;
  let shown: Shown | undefined;
  const labels = createLabels();
  const scale = (): number =>
    Math.min(1, Math.max(MIN_SCALE, Math.min(container.clientWidth, container.clientHeight) / FULL_SIZE));
  /** A wide window leaves room at the sides, and a high one above and below. */
  const stretch = (): number => {
    const ratio = Math.sqrt(container.clientWidth / Math.max(1, container.clientHeight));
    return Math.min(WIDEST_STRETCH, Math.max(1 / WIDEST_STRETCH, ratio));
  };
  const sigma = new Sigma(new Graph(), container, {
    allowInvalidContainer: true,
    defaultNodeType: 'disc',
    nodeProgramClasses: { disc: DiscProgram, dot: DotProgram },
    edgeProgramClasses: { line: LineProgram, hair: EdgeLineProgram },
    defaultDrawNodeLabel: labels.add,
    defaultDrawNodeHover: (context, data) => labels.drawMarked(context, data, palette, scale()),
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
  sigma.on('clickNode', ({ node, event }) => events.choose(node, isMore(event.original)));
  // The second of two quick clicks, which may be on two notes, chooses too instead of zooming.
  sigma.on('doubleClickNode', ({ node, event, preventSigmaDefault }) => {
    preventSigmaDefault();
    events.choose(node, isMore(event.original));
  });
  sigma.on('clickStage', ({ event }) => events.choose(undefined, isMore(event.original)));
  sigma.on('enterNode', ({ node }) => events.hover(node));
  sigma.on('leaveNode', () => events.hover(undefined));
  sigma.on('afterRender', () => labels.draw(palette, scale()));
  const camera = sigma.getCamera();
  /** A setting that stays the same would draw everything once more. */
  const setNumber = (name: 'labelRenderedSizeThreshold' | 'stagePadding', value: number): void => {
    if (sigma.getSetting(name) !== value) sigma.setSetting(name, value);
  };
  return Object.freeze({
    /** Replaces the graph; it is drawn after the next `dress`. */
    load: (model: Model, places: Float32Array) => {
      shown = { model, graph: graphOf(model) };
      placeAll(shown, places, stretch());
      sigma.setSetting('hideEdgesOnMove', model.shape.pairs.length / 2 > MANY_LINKS);
    },
    /** @param box the notes that fill the window; all by default */
    move: (places: Float32Array, box?: ReadonlySet<number>) => {
      if (shown === undefined) return;
      placeAll(shown, places, stretch(), box);
      sigma.setCustomBBox(box === undefined ? null : boxAround(box, places, stretch()));
      sigma.scheduleRefresh();
    },
    dress: (state: ViewState, look: Look, next: Palette) => {
      palette = next;
      if (shown === undefined) return;
      dressAll(shown, state, { look, palette: next, scale: scale() });
      setNumber('labelRenderedSizeThreshold', MIN_LABELLED * scale());
      setNumber('stagePadding', STAGE_PADDING * scale());
      if (sigma.getGraph() === shown.graph) sigma.scheduleRefresh();
      else sigma.setGraph(shown.graph);
    },
    /** Centres a note that is not well visible. */
    focus: (key: string, { right, below }: Covered) => {
      // Newly styled nodes have no display data yet.
      sigma.refresh();
      const data = sigma.getNodeDisplayData(key);
      if (data === undefined || shown === undefined) return;
      const { width, height } = sigma.getDimensions();
      const ratio = Math.min(camera.ratio, Math.max(CLOSEST, 14 / Math.sqrt(shown.model.shape.count)));
      const spot = sigma.framedGraphToViewport(data);
      if (ratio === camera.ratio && isWithin(spot, { width: width - right, height: height - below })) return;
      const cameraState = { x: data.x, y: data.y, angle: 0, ratio };
      const [here, beside] = [0, 1].map((away) =>
        sigma.framedGraphToViewport({ x: data.x + away, y: data.y }, { cameraState }),
      );
      const pixels = (beside?.x ?? 1) - (here?.x ?? 0);
      const [x, y] = [data.x + right / 2 / pixels, data.y - below / 2 / pixels];
      void camera.animate({ ...cameraState, x, y }, { duration: FOCUS_MS });
    },
    /** Brings all of these notes into view. */
    frame: (keys: readonly string[], covered: Covered) => {
      sigma.refresh();
      const spots = keys.flatMap((key) => sigma.getNodeDisplayData(key) ?? []);
      if (spots.length > 0) void camera.animate(cameraOver(sigma, spots, covered), { duration: FOCUS_MS });
    },
    /** Like `fit`, but only if the reader sees nearly the whole graph. */
    recentre: () => {
      if (camera.ratio > 0.9) void camera.animatedReset({ duration: FOCUS_MS });
    },
    fit: () => void camera.animatedReset({ duration: FOCUS_MS }),
    zoom: (factor: number) => void camera.animatedZoom({ factor, duration: Math.min(180, FOCUS_MS) }),
    /** Moves the camera by shares of the window. */
    pan: (right: number, down: number) => {
      const [x, y] = [camera.x + right * camera.ratio, camera.y - down * camera.ratio];
      void camera.animate({ x, y }, { duration: Math.min(180, FOCUS_MS) });
    },
    /** The position of a note, in window pixels. */
    spotOf: (key: string) => {
      if (shown?.graph.hasNode(key) !== true) return undefined;
      const { x, y } = shown.graph.getNodeAttributes(key);
      return sigma.graphToViewport({ x, y });
    },
  });
}

const isMore = (event: MouseEvent | TouchEvent): boolean => event.shiftKey || event.ctrlKey || event.metaKey;

/** Whether a position is well visible. */
function isWithin({ x, y }: Coordinates, { width, height }: Dimensions): boolean {
  return x > EDGE && y > EDGE && x < width - EDGE && y < height - EDGE;
}
