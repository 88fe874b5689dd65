// Defines the order of paths in graphs and listings: by code points.

const FIRST_SURROGATE = 0xd800;
const FIRST_BEHIND_SURROGATES = 0xe000;

/** Negative, zero or positive, as `left` sorts before, equal to or after `right` by code points. */
export function comparePaths(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return left.length - right.length;
}

/** Surrogates sort after all other code units, as the code points they encode do. */
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_BEHIND_SURROGATES ? unit + 0x10000 : unit;
}
