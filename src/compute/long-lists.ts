// Takes the long lists out of a value that goes to another thread, so that its reader gets them in slices and other work runs in between.

/** Items that are copied between threads at once: some milliseconds. */
const MAX_ITEMS = 2_000;

/** The names and positions that lead to a list in a value. */
type Place = readonly (string | number)[];

export interface TakenApart {
  /** The value, with an empty list instead of each long one. */
  readonly rest: unknown;
  readonly places: readonly Place[];
  /** The parts of all long lists, one after the other; each belongs to the list at the place with this number. */
  readonly slices: readonly { readonly place: number; readonly items: readonly unknown[] }[];
}

/** Long lists are near the top of an output: properties may be nested deeply. */
const MAX_DEPTH = 6;

/** Items of a long list are not looked into. */
export function takeApart(value: unknown): TakenApart {
  const places: Place[] = [];
  const slices: { place: number; items: unknown[] }[] = [];
  const without = (part: unknown, place: Place): unknown => {
    if (place.length > MAX_DEPTH) return part;
    if (Array.isArray(part)) {
      if (part.length <= MAX_ITEMS) return part.map((item, at) => without(item, [...place, at]));
      for (let from = 0; from < part.length; from += MAX_ITEMS)
        slices.push({ place: places.length, items: part.slice(from, from + MAX_ITEMS) });
      places.push(place);
      return [];
    }
    if (!isPlain(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, without(inner, [...place, name])]));
  };
  return { rest: without(value, []), places, slices };
}

function isPlain(value: unknown): value is object {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
}

/** The list at a place of `rest`, to which the slices are added. */
export function listAt(rest: unknown, place: Place): unknown[] {
  return place.reduce((value, step) => (value as Record<string | number, unknown>)[step], rest) as unknown[];
}
