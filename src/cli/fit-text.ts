// How well an embedding model suits the notes, as one line.
import type { ModelFit } from '../contracts/model-fit.ts';

export function fitText({
  sentences,
  found,
  unknown_tokens: unknown,
}: Omit<ModelFit, 'english' | 'notes' | 'measured_at'>): string {
  const tokens =
    unknown === undefined ? '' : `; ${Math.round(unknown * 100)} % of their tokens are unknown to the model`;
  return `${found} of ${sentences} sentences find their own note by meaning${tokens}`;
}
