// Responses with wrong vectors.
import type { Fault } from './exchange.ts';
import { changed } from './faults.ts';

type Vector = (number | null | string)[];
/** The body with its vectors, in the order of the texts, replaced by the function's result. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of different vendors.
export type ChangeVectors = (body: any, change: (vectors: Vector[]) => Vector[]) => unknown;

/** The position of a text in the request. */
type Which = number | 'every';

export function vectorFaults(changeVectors: ChangeVectors) {
  const some =
    (change: (vector: Vector) => Vector) =>
    (which: Which = 0): Fault =>
      changed((body) =>
        changeVectors(body, (vectors) => vectors.map((vector, at) => (matches(which, at) ? change(vector) : vector))),
      );
  /** A literal in place of the first number, without quotes in the JSON. */
  const literal =
    (token: string) =>
    (which: Which = 0): Fault =>
      changed((body) => {
        const marked = changeVectors(body, (vectors) =>
          vectors.map((vector, at) => (matches(which, at) ? ['MARK', ...vector.slice(1)] : vector)),
        );
        return JSON.stringify(marked).replaceAll('"MARK"', token);
      });
  return Object.freeze({
    oneTooFew: (): Fault => changed((body) => changeVectors(body, (vectors) => vectors.slice(1))),
    none: (): Fault => changed((body) => changeVectors(body, () => [])),
    /** One number fewer than the others. */
    shorter: some((vector) => vector.slice(1)),
    withoutNumbers: some(() => []),
    zero: some((vector) => vector.map(() => 0)),
    /** How JSON represents NaN. */
    nanAsNull: some(([, ...rest]) => [null, ...rest]),
    /** Not valid JSON. */
    nanLiteral: literal('NaN'),
    /** Parses as infinity. */
    infinite: literal('1e999'),
    text: some(([, ...rest]) => ['0.1', ...rest]),
    /** Far from unit length, which is valid unless a caller relies on it. */
    tenfold: some((vector) => vector.map((number) => Number(number) * 10)),
  });
}

const matches = (which: Which, at: number): boolean => which === 'every' || which === at;
