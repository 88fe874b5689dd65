import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/base/fnv.ts
var FNV_START = 2166136261;
var FNV_PRIME = 16777619;
var fnvWith = (hash, unit) => Math.imul(hash ^ unit, FNV_PRIME);
function fnvOf(text) {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = fnvWith(hash, text.charCodeAt(at));
  return hash;
}

export {
  FNV_START,
  FNV_PRIME,
  fnvWith,
  fnvOf
};
