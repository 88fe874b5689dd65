// The radius of each note's disc.

/** Radii in pixels: smaller with more notes; the area of a disc is proportional to its score. */
export function radii(scores: ArrayLike<number>): Float32Array {
  const count = scores.length;
  const smallest = clamp(11 / Math.max(count, 1) ** 0.18, 1.9, 5.5);
  const largest = clamp(34 / Math.max(count, 1) ** 0.11, 11, 24);
  const scale = range(scores);
  return Float32Array.from(scores, (score) => smallest + (largest - smallest) * Math.sqrt(scale(score)));
}

/** Scales scores to 0 (smallest) to 1 (largest). */
function range(scores: ArrayLike<number>): (score: number) => number {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at < scores.length; at++) {
    least = Math.min(least, scores[at] ?? 0);
    most = Math.max(most, scores[at] ?? 0);
  }
  return (score) => (most > least ? (score - least) / (most - least) : 0);
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
