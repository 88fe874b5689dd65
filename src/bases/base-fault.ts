// Why a base, or a part of it, cannot be evaluated.

/** The file is not a base, or an expression is not one. */
export class BaseFault extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

/** The view uses a part of the language that is not supported. */
export class UnsupportedFault extends BaseFault {
  /** `the function sum()` */
  readonly what: string;
  /** `views.2.filters.and.0` */
  readonly place: string;

  constructor(line: number, what: string, place: string) {
    super(line, `${what} is not supported`);
    this.what = what;
    this.place = place;
  }
}

/** A fault of this kind is the result. */
export function orFault<T, Fault extends Error>(kind: new (...given: never[]) => Fault, work: () => T): T | Fault {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof kind) return thrown;
    throw thrown;
  }
}
