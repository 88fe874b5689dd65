// Moves the camera over the drawn graph: to one note, to several or to all, and in steps.
import type Sigma from 'sigma';
import type { CameraState, Coordinates, Dimensions } from 'sigma/types';

/** Respects the reader's preference for reduced motion. */
const MOVE_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : 380;
const STEP_MS = Math.min(180, MOVE_MS);
/** The camera comes as close to one note. */
const CLOSEST = 0.28;
/** In a small graph the camera stays farther away: at this over the root of the number of notes. */
const FARTHEST = 14;
/** A note closer to the edge than this, in pixels, is moved to the centre. */
const EDGE = 90;
/** From this ratio on, the reader sees nearly the whole graph. */
const NEARLY_WHOLE = 0.9;

/** Pixels between several notes and the edge. */
const MARGIN = 70;
/** The share of the window that a margin takes at most. */
const MAX_MARGIN = 0.2;
/** Two notes side by side are not shown closer than this. */
const CLOSEST_PAIR = 0.12;

/** Window pixels covered by other elements. */
export interface Covered {
  readonly above: number;
  readonly right: number;
  readonly below: number;
}

export class SceneCamera {
  readonly #sigma: Sigma;
  readonly #countNotes: () => number;

  constructor(sigma: Sigma, countNotes: () => number) {
    this.#sigma = sigma;
    this.#countNotes = countNotes;
  }

  /** Centres a note that is not well visible. */
  focus(key: string, { right, below }: Covered): void {
    // Newly styled nodes have no display data yet.
    this.#sigma.refresh();
    const spot = this.#sigma.getNodeDisplayData(key);
    if (spot === undefined) return;
    const { width, height } = this.#sigma.getDimensions();
    const { ratio: current } = this.#camera;
    const ratio = Math.min(current, Math.max(CLOSEST, FARTHEST / Math.sqrt(this.#countNotes())));
    const seen = this.#sigma.framedGraphToViewport(spot);
    if (ratio === current && isWithin(seen, { width: width - right, height: height - below })) return;
    this.#moveTo({ x: spot.x, y: spot.y, angle: 0, ratio }, { above: 0, right, below });
  }

  /** Brings all of these notes into view. */
  frame(keys: readonly string[], covered: Covered): void {
    this.#sigma.refresh();
    const spots = keys.flatMap((key) => this.#sigma.getNodeDisplayData(key) ?? []);
    if (spots.length > 0) this.#moveTo(this.#stateOver(spots, covered), covered);
  }

  /** Does what `fit` does, but only if the reader sees nearly the whole graph. */
  recentre(): void {
    if (this.#camera.ratio > NEARLY_WHOLE) this.fit();
  }

  fit(): void {
    void this.#camera.animatedReset({ duration: MOVE_MS });
  }

  zoom(factor: number): void {
    void this.#camera.animatedZoom({ factor, duration: STEP_MS });
  }

  /** Moves the camera by shares of the window. */
  pan(right: number, down: number): void {
    const { x, y, ratio } = this.#camera;
    void this.#camera.animate({ x: x + right * ratio, y: y - down * ratio }, { duration: STEP_MS });
  }

  get #camera() {
    return this.#sigma.getCamera();
  }

  /** Centres the part of the window that is not covered. */
  #moveTo(state: CameraState, { above, right, below }: Covered): void {
    const [here, beside] = [0, 1].map((away) =>
      this.#sigma.framedGraphToViewport({ x: state.x + away, y: state.y }, { cameraState: state }),
    );
    const pixels = (beside?.x ?? 1) - (here?.x ?? 0);
    const [x, y] = [state.x + right / 2 / pixels, state.y + (above - below) / 2 / pixels];
    void this.#camera.animate({ ...state, x, y }, { duration: MOVE_MS });
  }

  /** @param spots in the coordinates of the camera */
  #stateOver(spots: readonly Coordinates[], { above, right, below }: Covered): CameraState {
    const { width, height } = this.#sigma.getDimensions();
    const whole = { x: middle(spots.map(({ x }) => x)), y: middle(spots.map(({ y }) => y)), angle: 0, ratio: 1 };
    const seen = spots.map((spot) => this.#sigma.framedGraphToViewport(spot, { cameraState: whole }));
    const needed = Math.max(
      extent(seen.map(({ x }) => x)) / room(width - right),
      extent(seen.map(({ y }) => y)) / room(height - above - below),
    );
    return { ...whole, ratio: Math.max(CLOSEST_PAIR, needed) };
  }
}

/** Whether a position is well visible. */
function isWithin({ x, y }: Coordinates, { width, height }: Dimensions): boolean {
  return x > EDGE && y > EDGE && x < width - EDGE && y < height - EDGE;
}

const room = (length: number): number => length - 2 * Math.min(MARGIN, length * MAX_MARGIN);
const middle = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
const extent = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
