// Reads a material in halves if the model refuses the whole as too long.
import { outcomeOf } from '../../base/outcome.ts';
import { halvesOf } from '../../markdown/chunk/halves.ts';

/** Without a second half the material cannot be cut. */
export type Halves<M> = (material: M) => readonly M[];

/**
 * The answers about all parts of the material, in order; one if it was read whole.
 * @throws PROVIDER_INPUT_TOO_LONG if a part is refused that cannot be cut; any other failure of a part
 */
export async function askInHalves<M, T>(
  material: M,
  halves: Halves<M>,
  ask: (part: M) => Promise<T>,
): Promise<readonly T[]> {
  const whole = await outcomeOf(ask(material));
  if ('value' in whole) return [whole.value];
  const parts = whole.error.code === 'PROVIDER_INPUT_TOO_LONG' ? halves(material) : [];
  if (parts.length < 2) throw whole.error;
  const answers: T[] = [];
  for (const part of parts) answers.push(...(await askInHalves(part, halves, ask)));
  return answers;
}

const NO_LINES = [1, 1] as const;

/** Halves a section, with its heading path. */
export const sectionHalves: Halves<string> = (text) =>
  (halvesOf({ text, lines: NO_LINES }) ?? []).map((half) => half.text);
