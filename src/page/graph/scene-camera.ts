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

/** Pixels between several notes and the edge, and between all notes and the edge. */
const [MARGIN, MARGIN_OF_ALL] = [70, 40];
/** The share of the window that a margin takes at most. */
const MAX_MARGIN = 0.2;
/** Two notes side by side are not shown closer than this. */
const CLOSEST_PAIR = 0.12;

/** The camera of a window that nothing covers. */
const WHOLE: CameraState = Object.freeze({ x: 0.5, y: 0.5, angle: 0, ratio: 1 });

/** Window pixels covered by other elements. */
export interface Covered {
  readonly above: number;
  readonly left: number;
  readonly right: number;
  readonly below: number;
}

export class SceneCamera {
  readonly #sigma: Sigma;
  readonly #countNotes: () => number;
  readonly #covers: () => Covered;
  /** Where `fit` put the camera. */
  #home = WHOLE;

  constructor(sigma: Sigma, countNotes: () => number, covers: () => Covered) {
    this.#sigma = sigma;
    this.#countNotes = countNotes;
    this.#covers = covers;
  }

  /** Centres a note that is not well visible. */
  focus(key: string): void {
    const covered = this.#covers();
    this.#bringUpToDate();
    const spot = this.#sigma.getNodeDisplayData(key);
    if (spot === undefined) return;
    const { width, height } = this.#sigma.getDimensions();
    const { ratio: current } = this.#camera;
    const ratio = Math.min(current, Math.max(CLOSEST, FARTHEST / Math.sqrt(this.#countNotes())));
    const point = this.#sigma.framedGraphToViewport(spot);
    if (ratio === current && isWithin(point, { width, height }, covered)) return;
    this.#moveTo({ x: spot.x, y: spot.y, angle: 0, ratio }, covered);
  }

  /** Brings all of these notes into view. */
  frame(keys: readonly string[]): void {
    const covered = this.#covers();
    this.#bringUpToDate();
    const spots = keys.flatMap((key) => this.#sigma.getNodeDisplayData(key) ?? []);
    if (spots.length > 0) this.#moveTo(this.#stateOver(spots, covered, MARGIN), covered);
  }

  /** Does what `fit` does, but only if the reader sees nearly the whole graph. */
  recentre(): void {
    if (this.#camera.ratio > NEARLY_WHOLE) this.fit();
  }

  /** Shows all notes in the part of the window that is not covered. */
  fit(): void {
    void this.#camera.animate(this.#findHome(), { duration: MOVE_MS });
  }

  /** Does what `fit` does, at once, but only if the reader has not moved the camera. */
  fitAgain(): void {
    const { x, y, ratio } = this.#camera;
    if (x === this.#home.x && y === this.#home.y && ratio === this.#home.ratio) this.#camera.setState(this.#findHome());
  }

  #findHome(): CameraState {
    const covered = this.#covers();
    this.#bringUpToDate();
    const spots = this.#sigma.getGraph().mapNodes((key) => this.#sigma.getNodeDisplayData(key));
    const shown = spots.filter((spot) => spot?.hidden === false) as Coordinates[];
    const isCovered = covered.left > 0 || covered.right > 0;
    this.#home =
      isCovered && shown.length > 0 ? this.#centred(this.#stateOver(shown, covered, MARGIN_OF_ALL), covered) : WHOLE;
    return this.#home;
  }

  zoom(factor: number): void {
    void this.#camera.animatedZoom({ factor, duration: STEP_MS });
  }

  /** Moves the camera by shares of the window. */
  pan(right: number, down: number): void {
    const { x, y, ratio } = this.#camera;
    void this.#camera.animate({ x: x + right * ratio, y: y - down * ratio }, { duration: STEP_MS });
  }

  /** Newly styled nodes have no display data before they are drawn. Drawing a large graph once more takes as long as loading it. */
  #bringUpToDate(): void {
    // biome-ignore lint/complexity/useLiteralKeys: no other way leads to a private property.
    if (this.#sigma['needToProcess']) this.#sigma.refresh();
  }

  get #camera() {
    return this.#sigma.getCamera();
  }

  /** Moves a place to the centre of what is not covered. */
  #moveTo(state: CameraState, covered: Covered): void {
    void this.#camera.animate(this.#centred(state, covered), { duration: MOVE_MS });
  }

  #centred(state: CameraState, { above, left, right, below }: Covered): CameraState {
    const [here, beside] = [0, 1].map((away) =>
      this.#sigma.framedGraphToViewport({ x: state.x + away, y: state.y }, { cameraState: state }),
    );
    const pixels = (beside?.x ?? 1) - (here?.x ?? 0);
    return { ...state, x: state.x + (right - left) / 2 / pixels, y: state.y + (above - below) / 2 / pixels };
  }

  /** @param spots in the coordinates of the camera */
  #stateOver(spots: readonly Coordinates[], { above, left, right, below }: Covered, margin: number): CameraState {
    const { width, height } = this.#sigma.getDimensions();
    const whole = { x: middle(spots.map(({ x }) => x)), y: middle(spots.map(({ y }) => y)), angle: 0, ratio: 1 };
    const seen = spots.map((spot) => this.#sigma.framedGraphToViewport(spot, { cameraState: whole }));
    const needed = Math.max(
      extent(seen.map(({ x }) => x)) / room(width - left - right, margin),
      extent(seen.map(({ y }) => y)) / room(height - above - below, margin),
    );
    return { ...whole, ratio: Math.max(CLOSEST_PAIR, needed) };
  }
}

/** Whether a position is well visible. */
function isWithin({ x, y }: Coordinates, { width, height }: Dimensions, covered: Covered): boolean {
  const { above, left, right, below } = covered;
  return x > left + EDGE && y > above + EDGE && x < width - right - EDGE && y < height - below - EDGE;
}

const room = (length: number, margin: number): number => length - 2 * Math.min(margin, length * MAX_MARGIN);
// A large vault has more notes than a call takes arguments.
const least = (values: readonly number[]): number => values.reduce((one, other) => Math.min(one, other));
const most = (values: readonly number[]): number => values.reduce((one, other) => Math.max(one, other));
const middle = (values: readonly number[]): number => (least(values) + most(values)) / 2;
const extent = (values: readonly number[]): number => most(values) - least(values);
