import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  FNV_START,
  fnvWith
} from "./chunk-XGCGB3CQ.js";
import "./chunk-ZNZW5SZL.js";

// src/providers/model2vec/tokenizer-thread.ts
import { parentPort } from "node:worker_threads";

// src/providers/model2vec/vocabulary.ts
var spread = (hash) => (hash ^ hash >>> 15) >>> 0;
function vocabularyData(tokens) {
  let length = 0;
  for (const token of tokens.keys()) length += token.length;
  const data = {
    text: new Uint16Array(length),
    ends: new Uint32Array(tokens.size),
    ids: Uint32Array.from(tokens.values()),
    // At most half full, so that a search ends soon.
    slots: new Uint32Array(powerOfTwo(tokens.size * 2)),
    // Eight bits for each beginning: few bits are set by others.
    beginnings: new Uint8Array(powerOfTwo(length))
  };
  let at = 0;
  for (const token of tokens.keys()) {
    addToken(data, token, at);
    at += 1;
  }
  return data;
}
var powerOfTwo = (atLeast) => 2 ** Math.ceil(Math.log2(Math.max(2, atLeast)));
function addToken({ text, ends, slots, beginnings }, token, at) {
  let end = ends[at - 1] ?? 0;
  let hash = FNV_START;
  for (let index = 0; index < token.length; index += 1) {
    const unit = token.charCodeAt(index);
    text[end] = unit;
    end += 1;
    hash = fnvWith(hash, unit);
    const [byte, bit] = bitOf(hash, beginnings);
    beginnings[byte] = beginnings[byte] | bit;
  }
  ends[at] = end;
  let slot = spread(hash) & slots.length - 1;
  while (slots[slot] !== 0) slot = slot + 1 & slots.length - 1;
  slots[slot] = at + 1;
}
function bitOf(hash, bits) {
  const place = spread(hash);
  return [place >>> 3 & bits.length - 1, 1 << (place & 7)];
}

// src/providers/model2vec/read-tokenizer.ts
function readTokenizerFile(bytes) {
  const file = JSON.parse(new TextDecoder().decode(bytes));
  if (!isTokenizer(file)) return void 0;
  const { type, vocab, unk_id, unk_token } = file.model;
  const isScored = Array.isArray(vocab);
  const tokens = new Map(isScored ? vocab.map(([token], id) => [token, id]) : Object.entries(vocab));
  for (const { id, content } of file.added_tokens) tokens.set(content, id);
  const facts = {
    end: endOf(tokens.values()),
    unknown: unk_id ?? (unk_token ? tokens.get(unk_token) : void 0),
    medianLength: medianLength([...tokens.keys()])
  };
  if (type === "WordPiece") return { ...facts, file: withTokens(file, {}), vocabulary: vocabularyData(tokens) };
  if (type !== "Unigram" || !isScored) return { ...facts, file };
  const scores = Float64Array.from(vocab, ([, score]) => score);
  return { ...facts, scores, file: withTokens(file, [["", 0]]), vocabulary: vocabularyData(tokens) };
}
function isTokenizer(file) {
  const { added_tokens: added, model } = Object(file);
  const { vocab } = Object(model);
  if (!Array.isArray(added) || !added.every((each) => isEntry([Object(each).content, Object(each).id]))) return false;
  return typeof vocab === "object" && vocab !== null && (Array.isArray(vocab) ? vocab : Object.entries(vocab)).every(isEntry);
}
var isEntry = (entry) => Array.isArray(entry) && typeof entry[0] === "string" && Number.isFinite(entry[1]);
var withTokens = (file, vocab) => ({
  ...file,
  model: { ...file.model, vocab }
});
function endOf(ids) {
  let end = 0;
  for (const id of ids) end = Math.max(end, id + 1);
  return end;
}
function medianLength(tokens) {
  const lengths = Uint32Array.from(tokens, (token) => [...token].length).sort();
  const upper = lengths[lengths.length >> 1] ?? 1;
  const lower = lengths[lengths.length - 1 >> 1] ?? 1;
  return Math.max(1, Math.floor((lower + upper) / 2));
}

// src/providers/model2vec/tokenizer-thread.ts
parentPort?.once("message", (bytes) => {
  const read = readTokenizerFile(bytes);
  const { text, ends, ids, slots, beginnings } = read?.vocabulary ?? {};
  const arrays = [text, ends, ids, slots, beginnings, read?.scores].flatMap(
    (array) => array?.buffer ?? []
  );
  parentPort?.postMessage(read, arrays);
});
