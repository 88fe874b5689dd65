// The camera that shows several notes at once, beside what covers the window.
import type Sigma from 'sigma';
import type { CameraState, Coordinates } from 'sigma/types';

/** Pixels between the notes and the edge. */
const MARGIN = 70;
/** The share of the window that a margin takes at most. */
const MAX_MARGIN = 0.2;
/** Two notes side by side are not shown closer than this. */
const CLOSEST = 0.12;

/** @param spots in the coordinates of the camera. @param covered window pixels covered by other elements */
export function cameraOver(
  sigma: Sigma,
  spots: readonly Coordinates[],
  { above, right, below }: { readonly above: number; readonly right: number; readonly below: number },
): CameraState {
  const { width, height } = sigma.getDimensions();
  const middle = { x: centre(spots.map(({ x }) => x)), y: centre(spots.map(({ y }) => y)) };
  const whole = { ...middle, angle: 0, ratio: 1 };
  const seen = spots.map((spot) => sigma.framedGraphToViewport(spot, { cameraState: whole }));
  const needed = Math.max(
    extent(seen.map(({ x }) => x)) / room(width - right),
    extent(seen.map(({ y }) => y)) / room(height - above - below),
  );
  const ratio = Math.max(CLOSEST, needed);
  const cameraState = { ...whole, ratio };
  const [here, beside] = [0, 1].map((away) =>
    sigma.framedGraphToViewport({ x: middle.x + away, y: middle.y }, { cameraState }),
  );
  const pixels = (beside?.x ?? 1) - (here?.x ?? 0);
  return { ...cameraState, x: middle.x + right / 2 / pixels, y: middle.y + (above - below) / 2 / pixels };
}

const room = (length: number): number => length - 2 * Math.min(MARGIN, length * MAX_MARGIN);
const centre = (values: readonly number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
const extent = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
