import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  toVaultgraphError
} from "./chunk-427EZQ5Y.js";

// src/base/errors/serialized-error.ts
function serializeError(thrown) {
  const { code, details, retry, choices } = toVaultgraphError(thrown);
  return { code, details, retry, ...choices && { choices } };
}

// src/base/content-hash.ts
import { createHash, hash } from "node:crypto";
var DIGITS = 32;
function contentHash(bytes) {
  return hash("sha256", bytes, "hex").slice(0, DIGITS);
}
function contentHashOf(pieces) {
  const sum = createHash("sha256");
  for (const piece of pieces) sum.update(piece);
  return sum.digest("hex").slice(0, DIGITS);
}

export {
  serializeError,
  contentHash,
  contentHashOf
};
