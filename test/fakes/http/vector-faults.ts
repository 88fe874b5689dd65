// Answers with wrong vectors.
import type { Fault } from './exchange.ts';
import { changed } from './faults.ts';

type Vector = (number | null | string)[];
/** The body with its vectors, in the order of the texts, replaced by what the function makes of them. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of different vendors.
export type ChangeVectors = (body: any, change: (vectors: Vector[]) => Vector[]) => unknown;

/** The place of a text in the request. */
type Which = number | 'every';

export function vectorFaults(changeVectors: ChangeVectors) {
  const some =
    (change: (vector: Vector) => Vector) =>
    (which: Which = 0): Fault =>
      changed((body) =>
        changeVectors(body, (vectors) => vectors.map((vector, at) => (matches(which, at) ? change(vector) : vector))),
      );
  /** A text in place of the first number, standing in the JSON without its quotes. */
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
    /** One number shorter than the others. */
    shorter: some((vector) => vector.slice(1)),
    withoutNumbers: some(() => []),
    zero: some((vector) => vector.map(() => 0)),
    /** As JSON writes what is not a number. */
    nanAsNull: some(([, ...rest]) => [null, ...rest]),
    /** Which is no JSON at all. */
    nanLiteral: literal('NaN'),
    /** Reads as a number beyond all bounds. */
    infinite: literal('1e999'),
    text: some(([, ...rest]) => ['0.1', ...rest]),
    /** Far from unit length, which is no fault but for who relies on it. */
    tenfold: some((vector) => vector.map((number) => Number(number) * 10)),
  });
}

const matches = (which: Which, at: number): boolean => which === 'every' || which === at;
