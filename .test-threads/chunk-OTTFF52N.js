import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/base/path-order.ts
var FIRST_SURROGATE = 55296;
var FIRST_BEHIND_SURROGATES = 57344;
function comparePaths(left, right) {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return left.length - right.length;
}
function rankOf(unit) {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_BEHIND_SURROGATES ? unit + 65536 : unit;
}

export {
  comparePaths
};
