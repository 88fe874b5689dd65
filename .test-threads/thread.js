import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  contentHash,
  serializeError
} from "./chunk-I3BT2B5K.js";
import {
  ByteWriter,
  FIELDS,
  FIELD_SHIFT,
  ListWriter,
  MAX_POSITION,
  SegmentPacker,
  candidatesByName,
  folderOf,
  hasExtension,
  lastSegments,
  noteTitle,
  relativePath,
  resolveLink,
  spellingsOf,
  withSegmentsOf,
  withoutExtension
} from "./chunk-MMSFLNP5.js";
import "./chunk-OTTFF52N.js";
import {
  FNV_START,
  fnvOf,
  fnvWith
} from "./chunk-XGCGB3CQ.js";
import {
  ambiguousTarget,
  applySplices,
  createLinkPathLocator,
  dominantLineEnd,
  editRefusal,
  foldHeading,
  headingLines,
  isBlankLine,
  isUnended,
  lineAt,
  lineCountOf,
  locateTarget,
  locateText,
  missingText,
  offsetMapper,
  overlapIn,
  resolveSubpath,
  sortSplices,
  textOfLines,
  viewForEdits,
  withLineEnd,
  withLineEndsOf,
  withoutBlankEdges
} from "./chunk-EZQGHSJE.js";
import {
  BREAK_COST,
  blockIdAt,
  bodyStart,
  checkboxAt,
  decodeDestination,
  decodeText,
  displayOf,
  distinctTags,
  encoderLike,
  foldName,
  headingAt,
  inlineTargetAt,
  isBlank,
  isDashRow,
  isDigit,
  isExternal,
  isLatinLetter,
  isLineEnd,
  isRule,
  isTagName,
  isWhiteSpace,
  lineEnd,
  lineEndBefore,
  lineIndexAt,
  lineStart,
  lineStartAfter,
  listMarkAt,
  nameKeyOf,
  offsetIn,
  parseNote,
  parseYaml,
  partitionPoint,
  positionAt,
  rangeOf,
  readBody,
  readFrontMatter,
  readWikilink,
  require_dist,
  runOfString,
  scanBlocks,
  skipBlanks,
  skipSpace,
  skipWhiteSpace,
  splitLines,
  splitLink,
  tagNameEnd,
  tagsFrom,
  taskFields,
  taskStatus,
  textAfterProperties,
  trimWhiteSpace,
  wikilinkClose
} from "./chunk-NVDSTPDZ.js";
import {
  EMPTY_NOTE,
  fileKindOf,
  noteName
} from "./chunk-E4QZ4GQG.js";
import {
  createRandom,
  nodeCountOf,
  outDegrees,
  reverseOf,
  sampleOf
} from "./chunk-SMZFXAUR.js";
import {
  pagesOf
} from "./chunk-WNS37QSI.js";
import {
  VaultgraphError
} from "./chunk-DGCWP52G.js";
import {
  __toESM
} from "./chunk-ZNZW5SZL.js";

// src/compute/thread.ts
import { parentPort } from "node:worker_threads";

// src/graph/betweenness.ts
var EXACT_UP_TO = 2500;
var PIVOTS = 500;
var SEED = 1;
function betweenness(adjacency) {
  const starts = nodesWithLinks(adjacency);
  const exact = starts.length <= EXACT_UP_TO;
  const pivots = exact ? starts : sampleOf(starts, PIVOTS, createRandom(SEED));
  const scores = new Float64Array(nodeCountOf(adjacency));
  const search = createSearch(scores.length);
  for (const pivot of pivots) {
    countChains(adjacency, pivot, search);
    addDependencies(adjacency, search, scores);
    resetSearch(search);
  }
  if (exact) return { scores, sampled: void 0 };
  const weight = starts.length / pivots.length;
  return { scores: scores.map((score) => score * weight), sampled: pivots.length };
}
function nodesWithLinks(adjacency) {
  return [...outDegrees(adjacency).entries()].filter(([, degree]) => degree > 0).map(([node]) => node);
}
function createSearch(size) {
  return {
    depths: new Int32Array(size).fill(-1),
    chains: new Float64Array(size),
    dependencies: new Float64Array(size),
    visited: new Int32Array(size),
    reached: 0
  };
}
function countChains({ offsets, targets }, start, search) {
  const { depths, chains, visited } = search;
  depths[start] = 0;
  chains[start] = 1;
  visited[0] = start;
  let reached = 1;
  for (let i = 0; i < reached; i++) {
    const node = visited[i];
    const depth = depths[node] + 1;
    const end = offsets[node + 1];
    for (let place = offsets[node]; place < end; place++) {
      const next = targets[place];
      if (depths[next] === -1) {
        depths[next] = depth;
        visited[reached++] = next;
      }
      if (depths[next] === depth) chains[next] = chains[next] + chains[node];
    }
  }
  search.reached = reached;
}
function addDependencies({ offsets, targets }, search, scores) {
  const { depths, chains, dependencies, visited } = search;
  for (let i = search.reached - 1; i > 0; i--) {
    const node = visited[i];
    const depth = depths[node] + 1;
    const end = offsets[node + 1];
    let sum = 0;
    for (let place = offsets[node]; place < end; place++) {
      const next = targets[place];
      if (depths[next] === depth) sum += (1 + dependencies[next]) / chains[next];
    }
    dependencies[node] = sum * chains[node];
    scores[node] = scores[node] + dependencies[node];
  }
}
function resetSearch({ depths, chains, visited, reached }) {
  for (let i = 0; i < reached; i++) {
    const node = visited[i];
    depths[node] = -1;
    chains[node] = 0;
  }
}

// src/graph/pagerank.ts
var DAMPING = 0.85;
var TOLERANCE = 1e-9;
var MAX_ROUNDS = Math.ceil(Math.log(TOLERANCE / 2) / Math.log(DAMPING)) + 1;
function pagerank(adjacency) {
  const size = nodeCountOf(adjacency);
  const incoming = reverseOf(adjacency);
  const degrees = outDegrees(adjacency);
  let scores = new Float64Array(size).fill(1 / size);
  let next = new Float64Array(size);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const moved = nextScores(incoming, degrees, scores, next);
    [scores, next] = [next, scores];
    if (moved < TOLERANCE) break;
  }
  return scores;
}
function nextScores(incoming, degrees, scores, next) {
  const parts = new Float64Array(scores.length);
  let dangling = 0;
  for (let node = 0; node < scores.length; node++) {
    const degree = degrees[node];
    if (degree === 0) dangling += scores[node];
    else parts[node] = scores[node] / degree;
  }
  const toAll = (1 - DAMPING + DAMPING * dangling) / scores.length;
  let moved = 0;
  for (let node = 0; node < scores.length; node++) {
    const score = toAll + DAMPING * incomingScore(incoming, node, parts);
    moved += Math.abs(score - scores[node]);
    next[node] = score;
  }
  return moved;
}
function incomingScore({ offsets, targets }, node, parts) {
  const end = offsets[node + 1];
  let sum = 0;
  for (let place = offsets[node]; place < end; place++) sum += parts[targets[place]];
  return sum;
}

// src/markdown/chunk/token-rates.ts
var SCRIPT_SAMPLES = Object.freeze({
  latin: "The harbour lies quiet before the morning tide, and the fishermen prepare their nets for a long day.",
  greek: "\u03A4\u03BF \u03BB\u03B9\u03BC\u03AC\u03BD\u03B9 \u03B5\u03AF\u03BD\u03B1\u03B9 \u03AE\u03C3\u03C5\u03C7\u03BF \u03C0\u03C1\u03B9\u03BD \u03B1\u03C0\u03CC \u03C4\u03B7\u03BD \u03C0\u03C1\u03C9\u03B9\u03BD\u03AE \u03C0\u03B1\u03BB\u03AF\u03C1\u03C1\u03BF\u03B9\u03B1 \u03BA\u03B1\u03B9 \u03BF\u03B9 \u03C8\u03B1\u03C1\u03AC\u03B4\u03B5\u03C2 \u03B5\u03C4\u03BF\u03B9\u03BC\u03AC\u03B6\u03BF\u03C5\u03BD \u03C4\u03B1 \u03B4\u03AF\u03C7\u03C4\u03C5\u03B1 \u03C4\u03BF\u03C5\u03C2.",
  cyrillic: "\u0413\u0430\u0432\u0430\u043D\u044C \u0441\u043F\u043E\u043A\u043E\u0439\u043D\u0430 \u043F\u0435\u0440\u0435\u0434 \u0443\u0442\u0440\u0435\u043D\u043D\u0438\u043C \u043F\u0440\u0438\u043B\u0438\u0432\u043E\u043C, \u0438 \u0440\u044B\u0431\u0430\u043A\u0438 \u0433\u043E\u0442\u043E\u0432\u044F\u0442 \u0441\u0432\u043E\u0438 \u0441\u0435\u0442\u0438 \u043A \u0434\u043E\u043B\u0433\u043E\u043C\u0443 \u0434\u043D\u044E.",
  hebrew: "\u05D4\u05E0\u05DE\u05DC \u05E9\u05E7\u05D8 \u05DC\u05E4\u05E0\u05D9 \u05D4\u05D2\u05D0\u05D5\u05EA \u05E9\u05DC \u05D4\u05D1\u05D5\u05E7\u05E8 \u05D5\u05D4\u05D3\u05D9\u05D9\u05D2\u05D9\u05DD \u05DE\u05DB\u05D9\u05E0\u05D9\u05DD \u05D0\u05EA \u05D4\u05E8\u05E9\u05EA\u05D5\u05EA \u05DC\u05D9\u05D5\u05DD \u05D0\u05E8\u05D5\u05DA.",
  arabic: "\u0627\u0644\u0645\u064A\u0646\u0627\u0621 \u0647\u0627\u062F\u0626 \u0642\u0628\u0644 \u0645\u062F \u0627\u0644\u0635\u0628\u0627\u062D \u0648\u0627\u0644\u0635\u064A\u0627\u062F\u0648\u0646 \u064A\u062C\u0647\u0632\u0648\u0646 \u0634\u0628\u0627\u0643\u0647\u0645 \u0644\u064A\u0648\u0645 \u0637\u0648\u064A\u0644.",
  devanagari: "\u0938\u0941\u092C\u0939 \u0915\u0947 \u091C\u094D\u0935\u093E\u0930 \u0938\u0947 \u092A\u0939\u0932\u0947 \u092C\u0902\u0926\u0930\u0917\u093E\u0939 \u0936\u093E\u0902\u0924 \u0939\u0948 \u0914\u0930 \u092E\u091B\u0941\u0906\u0930\u0947 \u0905\u092A\u0928\u0947 \u091C\u093E\u0932 \u0924\u0948\u092F\u093E\u0930 \u0915\u0930\u0924\u0947 \u0939\u0948\u0902\u0964",
  thai: "\u0E17\u0E48\u0E32\u0E40\u0E23\u0E37\u0E2D\u0E40\u0E07\u0E35\u0E22\u0E1A\u0E2A\u0E07\u0E1A\u0E01\u0E48\u0E2D\u0E19\u0E19\u0E49\u0E33\u0E02\u0E36\u0E49\u0E19\u0E43\u0E19\u0E15\u0E2D\u0E19\u0E40\u0E0A\u0E49\u0E32 \u0E41\u0E25\u0E30\u0E0A\u0E32\u0E27\u0E1B\u0E23\u0E30\u0E21\u0E07\u0E40\u0E15\u0E23\u0E35\u0E22\u0E21\u0E2D\u0E27\u0E19\u0E02\u0E2D\u0E07\u0E1E\u0E27\u0E01\u0E40\u0E02\u0E32",
  han: "\u65E9\u6F6E\u6765\u4E34\u4E4B\u524D\u6E2F\u53E3\u4E00\u7247\u5B81\u9759\uFF0C\u6E14\u6C11\u4EEC\u6B63\u5728\u4E3A\u6F2B\u957F\u7684\u4E00\u5929\u51C6\u5907\u6E14\u7F51\u3002",
  kana: "\u3042\u3055\u306E\u3057\u304A\u304C\u307F\u3061\u308B\u307E\u3048\u3001\u307F\u306A\u3068\u306F\u3057\u305A\u304B\u3067\u3001\u308A\u3087\u3046\u3057\u305F\u3061\u306F\u3042\u307F\u3092\u3068\u3068\u306E\u3048\u3066\u3044\u307E\u3059\u3002",
  hangul: "\uC544\uCE68 \uBC00\uBB3C\uC774 \uB4E4\uAE30 \uC804 \uD56D\uAD6C\uB294 \uACE0\uC694\uD558\uACE0 \uC5B4\uBD80\uB4E4\uC740 \uAE34 \uD558\uB8E8\uB97C \uC704\uD574 \uADF8\uBB3C\uC744 \uC900\uBE44\uD55C\uB2E4."
});
var SCRIPTS = Object.freeze(Object.keys(SCRIPT_SAMPLES));
var USUAL_RATES = Object.freeze({});
var BLOCKS = [
  [65, 90, "latin"],
  [97, 122, "latin"],
  [192, 591, "latin"],
  [880, 1023, "greek"],
  [1024, 1327, "cyrillic"],
  [1424, 1535, "hebrew"],
  [1536, 1919, "arabic"],
  [2304, 2431, "devanagari"],
  [3584, 3711, "thai"],
  [7680, 7935, "latin"],
  [7936, 8191, "greek"],
  [12352, 12543, "kana"],
  [13312, 40959, "han"],
  [44032, 55215, "hangul"]
];
function scriptOf(code) {
  return BLOCKS.find(([first, last]) => code >= first && code <= last)?.[2];
}
var UNIT = 1 / 32;

// src/markdown/chunk/text-size.ts
var NO_SIZE = Object.freeze({ words: 0, tokens: 0 });
var addSizes = (one, other) => ({
  words: one.words + other.words,
  tokens: one.tokens + other.tokens
});
var fitsIn = (size, limit) => size.words <= limit.words && size.tokens <= limit.tokens;
var LATIN = 11 / 32;
var OTHER_ALPHABET = 1 / 2;
var ANY_OTHER = 1;
var DENSE_WORD = 1 / 2;
var MAX_WORD_LENGTH = 30;
var SizeCounter = class {
  words = 0;
  tokens = 0;
  #text;
  #rates;
  #inWord = false;
  #inLongWord = false;
  constructor(text, rates) {
    this.#text = text;
    this.#rates = rates;
  }
  add(at) {
    const code = this.#text.charCodeAt(at);
    if (isWordCharacter(code)) {
      if (!this.#inWord) this.#startWord(at);
      this.tokens += this.#atLeast(this.#inLongWord ? ANY_OTHER : tokensOf(code), code);
      return;
    }
    this.#inWord = false;
    const isAny = isDense(code) || !isWhiteSpace(code);
    if (isDense(code)) this.words += DENSE_WORD;
    this.tokens += isAny ? this.#atLeast(ANY_OTHER, code) : LATIN;
  }
  #atLeast(usual, code) {
    if (this.#rates === USUAL_RATES) return usual;
    const script = scriptOf(code);
    return script === void 0 ? usual : Math.max(usual, this.#rates[script] ?? 0);
  }
  #startWord(at) {
    const before = wordLengthBefore(this.#text, at);
    if (before === 0) this.words += 1;
    this.#inWord = true;
    this.#inLongWord = before + wordLengthFrom(this.#text, at) > MAX_WORD_LENGTH;
  }
};
function wordLengthBefore(text, at) {
  const most = Math.min(MAX_WORD_LENGTH + 1, at);
  let count = 0;
  while (count < most && isWordCharacter(text.charCodeAt(at - 1 - count))) count += 1;
  return count;
}
function wordLengthFrom(text, at) {
  const most = Math.min(MAX_WORD_LENGTH + 1, text.length - at);
  let count = 0;
  while (count < most && isWordCharacter(text.charCodeAt(at + count))) count += 1;
  return count;
}
var isLatin = (code) => code < 128 ? isLatinLetter(code) : code >= 192 && code < 592 || code >= 768 && code < 880;
function isWordCharacter(code) {
  if (code < 128) return isLatinLetter(code) || isDigit(code);
  return code >= 192 && code < 3584 || code >= 4256 && code < 4352 || code >= 7680 && code < 8192;
}
function tokensOf(code) {
  if (isLatin(code)) return LATIN;
  return isDigit(code) || code >= 2304 && code < 3584 ? ANY_OTHER : OTHER_ALPHABET;
}
var isDense = (code) => code >= 3584 && code < 7680 || code >= 12352 && code < 55296 || code >= 63744 && code < 64256;
function sizeOf(text, from = 0, to = text.length, rates = USUAL_RATES) {
  if (rates === USUAL_RATES) return usualSize(text, from, to);
  const gauge = new SizeCounter(text, rates);
  for (let at = from; at < to; at += 1) gauge.add(at);
  return { words: gauge.words, tokens: gauge.tokens };
}
function usualSize(text, from, to) {
  let words = 0;
  let tokens = 0;
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    if (!isWordCharacter(code)) {
      if (isDense(code)) words += DENSE_WORD;
      tokens += isDense(code) || !isWhiteSpace(code) ? ANY_OTHER : LATIN;
      at += 1;
      continue;
    }
    const start = at;
    let usual = 0;
    for (; at < to; at += 1) {
      const inside = text.charCodeAt(at);
      if (!isWordCharacter(inside)) break;
      usual += tokensOf(inside);
    }
    const before = start === from ? wordLengthBefore(text, from) : 0;
    const after = at === to ? wordLengthFrom(text, to) : 0;
    if (before === 0) words += 1;
    tokens += before + at - start + after > MAX_WORD_LENGTH ? (at - start) * ANY_OTHER : usual;
  }
  return { words, tokens };
}
function fittingEnd(text, from, to, limit, rates = USUAL_RATES) {
  const gauge = new SizeCounter(text, rates);
  let at = from;
  let blank = from;
  while (at < to) {
    gauge.add(at);
    if (!fitsIn(gauge, limit)) break;
    if (isWhiteSpace(text.charCodeAt(at))) blank = at + 1;
    at += 1;
  }
  if (at === to) return to;
  if (blank - from > (at - from) / 2) return blank;
  return wholeCharacter(text, from, at);
}
function wholeCharacter(text, from, at) {
  const isSplit = (offset) => (text.codePointAt(offset - 1) ?? 0) > 65535;
  const end = at > from && isSplit(at) ? at - 1 : at;
  if (end > from) return end;
  return isSplit(from + 1) ? from + 2 : from + 1;
}
var LineSizes = class {
  #text;
  #lines;
  #rates;
  #words;
  #tokens;
  /** The first line that is not measured. */
  #next;
  constructor(text, lines, firstLine2, rates) {
    this.#text = text;
    this.#lines = lines;
    this.#rates = rates;
    this.#words = new Float64Array(lines.starts.length + 1);
    this.#tokens = new Float64Array(lines.starts.length + 1);
    this.#next = firstLine2;
  }
  /** The size of the lines from `first` to before `end`, 0-based, none before the first measured line. */
  between(first, end) {
    this.#measureTo(end);
    return {
      words: (this.#words[end] ?? 0) - (this.#words[first] ?? 0),
      tokens: (this.#tokens[end] ?? 0) - (this.#tokens[first] ?? 0)
    };
  }
  #measureTo(end) {
    const { starts } = this.#lines;
    for (; this.#next < Math.min(end, starts.length); this.#next += 1) {
      const line = this.#next;
      const { words, tokens } = sizeOf(this.#text, starts[line], starts[line + 1], this.#rates);
      this.#words[line + 1] = (this.#words[line] ?? 0) + words;
      this.#tokens[line + 1] = (this.#tokens[line] ?? 0) + tokens;
    }
  }
};
var MAX_TOKENS = 450;
var SHARE_OF_CONTEXT = 0.88;
var MIN_TOKENS = 16;
function chunkTokensFor(contextTokens) {
  return Math.max(MIN_TOKENS, Math.min(MAX_TOKENS, Math.floor(contextTokens * SHARE_OF_CONTEXT)));
}
var BLANK = 11 / 32;

// src/markdown/chunk/drafts.ts
var TINY_WORDS = 40;
var TINY_SHARE = 1 / 4;
function* draftChunks(sections, limit) {
  let open = [];
  for (const section of sections) {
    if (section.parent === void 0 && section.pieces.length === 0) continue;
    const whole = { section, pieces: section.pieces, opens: true };
    if (open.length > 0 && !canJoin(open, whole, limit)) {
      yield open;
      open = [];
    }
    if (section.pieces.length === 0 || fits([...open, whole], limit)) open = [...open, whole];
    else {
      yield* splitSection(open, section, limit);
      open = [];
    }
  }
  if (open.length > 0) yield open;
}
function canJoin(open, next, limit) {
  if (!isRelated(open, next.section) || !isTiny(open, limit)) return false;
  return fits([...open, next], limit) || !fits([next], limit);
}
function isRelated([first], next) {
  return first !== void 0 && (next.level > first.section.level || next.parent === first.section.parent);
}
function isTiny(draft, limit) {
  const { words, tokens } = contentSize(draft);
  return words < TINY_WORDS && tokens < limit.tokens * TINY_SHARE;
}
function fits(draft, limit) {
  return fitsIn(draftSize(draft), limit);
}
function draftSize(draft) {
  return addSizes(contentSize(draft), { words: 0, tokens: commonSection(draft)?.pathTokens ?? 0 });
}
function contentSize(draft) {
  return piecesOf(draft).reduce(addSizes, NO_SIZE);
}
function piecesOf(draft) {
  const named = /* @__PURE__ */ new Set();
  for (let section = commonSection(draft); section !== void 0; section = section.parent) named.add(section);
  return draft.flatMap(({ section, pieces, opens }) => {
    const { heading } = section;
    return opens && heading !== void 0 && !named.has(section) ? [heading, ...pieces] : pieces;
  });
}
function commonSection(draft) {
  const leadsOn = ({ section, pieces }, index) => pieces.length === 0 && draft[index + 1]?.section.parent === section;
  const [first, ...others] = draft.filter((part, index) => !leadsOn(part, index)).map(({ section }) => section);
  return others.reduce(sharedSection, first);
}
function sharedSection(one, other) {
  let [left, right] = [one, other];
  while (left !== right && left !== void 0 && right !== void 0) {
    if (left.level >= right.level) left = left.parent;
    else right = right.parent;
  }
  return left;
}
function splitSection(open, section, limit) {
  const room2 = { words: limit.words, tokens: limit.tokens - section.pathTokens };
  const beginning = [...open, { section, pieces: section.pieces.slice(0, 1), opens: true }];
  const joins = fitsIn(contentSize(beginning), room2);
  const reserved = joins ? contentSize(beginning.with(-1, { section, pieces: [], opens: true })) : NO_SIZE;
  const [first = [], ...others] = groupEvenly(section.pieces, reserved, room2);
  const opening = { section, pieces: first, opens: true };
  return [
    ...joins || open.length === 0 ? [[...open, opening]] : [open, [opening]],
    ...others.map((pieces) => [{ section, pieces, opens: false }])
  ];
}
function groupEvenly(pieces, reserved, room2) {
  const weigh = limitingMeasure(pieces.reduce(addSizes, reserved), room2);
  const all = pieces.reduce((sum, piece) => sum + weigh(piece), weigh(reserved));
  const share = all / Math.ceil(all);
  let group = [];
  const groups = [group];
  let size = reserved;
  let placed2 = weigh(reserved);
  for (const piece of pieces) {
    const isDue = placed2 + weigh(piece) / 2 > share * groups.length;
    size = addSizes(size, piece);
    if (group.length > 0 && (isDue || !fitsIn(size, room2))) {
      group = [];
      groups.push(group);
      size = piece;
    }
    group.push(piece);
    placed2 += weigh(piece);
  }
  return groups;
}
function limitingMeasure(total, room2) {
  return total.words / room2.words > total.tokens / room2.tokens ? ({ words }) => words / room2.words : ({ tokens }) => tokens / room2.tokens;
}

// src/markdown/excerpt/sentence.ts
var REACH = 2e3;
function sentenceAround(text, offset, end, maxChars) {
  const { from, to } = sentenceSpan(text, offset, end);
  const before = onOneLine(text.slice(from, offset).replace(FIRST_MARKS, "")).trimStart();
  const sentence = `${before}${text.slice(offset, end)}${onOneLine(text.slice(end, to))}`.trim();
  if (sentence.length <= maxChars) return sentence;
  return showWindow(sentence, windowAround(sentence, before.length, before.length + end - offset, maxChars - 2));
}
function sentenceSpan(text, offset, end) {
  const unit = blockAround(text, offset, end, REACH);
  return { from: sentenceStart(text, unit.from, offset), to: sentenceEnd(text, end, unit.to) };
}
var MARKS = String.raw`(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])|\[.\](?=[ \t])|\|))+`;
var FIRST_MARKS = new RegExp(`^${MARKS}`);
var LINE_MARKS = new RegExp(`[\r
]${MARKS}`, "g");
function onOneLine(text) {
  return text.replace(LINE_MARKS, " ").replace(/\s+/g, " ");
}
function sentenceStart(text, least, offset) {
  for (let at = offset; at > least; at -= 1) if (endsSentence(text, at)) return at;
  return least;
}
function sentenceEnd(text, end, most) {
  for (let at = end + 1; at < most; at += 1) if (endsSentence(text, at)) return at;
  return most;
}
var STOPS = ".!?\u2026";
var WIDE_STOPS = "\u3002\uFF01\uFF1F\uFF61";
var CLOSING = `"')]*_\u201D\u2019\xBB\u300D\u300F\uFF09\u3011`;
var MAX_CLOSING = 16;
function endsSentence(text, at) {
  if (isInside(text.charCodeAt(at - 1))) return false;
  const least = Math.max(0, at - MAX_CLOSING);
  let last = at - 1;
  while (last > least && CLOSING.includes(text.charAt(last))) last -= 1;
  const stop = text.charAt(last);
  if (WIDE_STOPS.includes(stop)) return !CLOSING.includes(text.charAt(at)) && !WIDE_STOPS.includes(text.charAt(at));
  if (!STOPS.includes(stop) || !isWhiteSpace(text.charCodeAt(at))) return false;
  if (/^\s+\p{Ll}/u.test(text.slice(at, at + 8)) || /(?:^|[^\p{L}])\p{L}$/u.test(text.slice(Math.max(0, last - 2), last))) {
    return false;
  }
  const before = text.slice(Math.max(0, at - REACH / 10), at);
  return before.lastIndexOf("[[") <= before.lastIndexOf("]]");
}
var SPACE = 32;
var isInside = (code) => isLatinLetter(code) || code === SPACE;
var BLOCK_START = /^[ \t>]*(?:[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||```|~~~|\$\$|%%|---|===)/;
var SINGLE_LINE = /^[ \t>]*(?:#{1,6}[ \t]|\|)/;
var BLANK2 = /^[ \t>]*(?:[\r\n]|$)/;
var SEPARATOR = /^[ \t>]*(?:-[-\t ]*|=[= \t]*|\*[* \t]*\*|_[_ \t]*_|`{3,}.*|~{3,}.*|\$\$[ \t]*|%%[ \t]*)(?:[\r\n]|$)/;
var LINE_HEAD = 200;
var MAX_FRONT_MATTER = 66e3;
function blockAround(text, from, to, reach) {
  const least = Math.max(0, from - reach);
  const most = Math.min(text.length, to + reach);
  const line = { from: lineStart(text, from, least), to: lineEnd(text, to, most) };
  if (inFrontMatter(text, from)) return line;
  const first = firstLine(text, line.from, least);
  return { from: first, to: begins(text, first, SINGLE_LINE) ? line.to : lastLine(text, line, most) };
}
function startsBlock(text, at) {
  if (begins(text, at, BLOCK_START) || begins(text, at, BLANK2)) return true;
  const above = lineStart(text, lineEndBefore(text, at), Math.max(0, at - LINE_HEAD));
  if (above > 0 && !isLineEnd(text.charCodeAt(above - 1))) return false;
  const parts = begins(text, above, BLANK2) || begins(text, above, SINGLE_LINE) || begins(text, above, SEPARATOR);
  return parts || isQuoted(text, above) !== isQuoted(text, at);
}
function isHeadingAt(text, at) {
  return /^\s*[ \t>]*#{1,6}[ \t]/.test(text.slice(at, at + LINE_HEAD));
}
function firstLine(text, lineFrom, least) {
  let start = lineFrom;
  while (start > least && !begins(text, start, BLOCK_START)) {
    const above = lineStart(text, lineEndBefore(text, start), least);
    if (begins(text, above, BLANK2) || begins(text, above, SINGLE_LINE) || begins(text, above, SEPARATOR)) break;
    if (isQuoted(text, above) !== isQuoted(text, start)) break;
    start = above;
  }
  return start;
}
function lastLine(text, line, most) {
  let end = line.to;
  while (end < most) {
    const next = lineStartAfter(text, end);
    if (begins(text, next, BLOCK_START) || begins(text, next, BLANK2) || isQuoted(text, next) !== isQuoted(text, line.from))
      break;
    end = lineEnd(text, next, most);
  }
  return end;
}
function begins(text, at, pattern) {
  return pattern.test(text.slice(at, at + LINE_HEAD));
}
function isQuoted(text, at) {
  return begins(text, at, /^[ \t]*>/);
}
function inFrontMatter(text, at) {
  return at < MAX_FRONT_MATTER && /^---[\r\n]/.test(text) && !/[\r\n]---/.test(text.slice(3, at));
}
var MAX_SHIFT = 24;
var CUT = "\u2026";
function windowAround(text, from, to, size) {
  const room2 = Math.max(0, size - (to - from));
  const after = Math.min(text.length - to, Math.max(room2 - from, room2 >> 1));
  const before = Math.min(from, room2 - Math.max(0, after));
  const start = from - before;
  const end = Math.min(text.length, start + size);
  return { from: startOfWord(text, start, from), to: endOfWord(text, end, Math.min(to, end)) };
}
function showWindow(text, { from, to }) {
  const shown = text.slice(from, to).replace(/\s+/g, " ").trim();
  return `${text.slice(0, from).trim() === "" ? "" : CUT}${shown}${text.slice(to).trim() === "" ? "" : CUT}`;
}
function startOfWord(text, start, most) {
  if (start === 0 || isWhiteSpace(text.charCodeAt(start - 1))) return start;
  for (let at = start; at < Math.min(most, start + MAX_SHIFT); at += 1) {
    if (isWhiteSpace(text.charCodeAt(at))) return at + 1;
  }
  return isLowSurrogate(text.charCodeAt(start)) && start < most ? start + 1 : start;
}
function endOfWord(text, end, least) {
  if (end === text.length || isWhiteSpace(text.charCodeAt(end))) return end;
  for (let at = end; at > Math.max(least, end - MAX_SHIFT); at -= 1) {
    if (isWhiteSpace(text.charCodeAt(at - 1))) return at - 1;
  }
  return isLowSurrogate(text.charCodeAt(end)) && end > least ? end - 1 : end;
}
function isLowSurrogate(code) {
  return code >= 56320 && code <= 57343;
}

// src/markdown/chunk/pieces.ts
var LINE_END = "\n";
var LINE_END_TOKENS = sizeOf(LINE_END).tokens;
function cutLines(outline, ranges, limit) {
  const room2 = { words: limit.words, tokens: limit.tokens - LINE_END_TOKENS };
  const pieces = [];
  for (const [first, end] of ranges) cutRange(outline, first, end, room2, pieces);
  return pieces.filter(({ from, to }) => skipWhiteSpace(outline.text, from, to) < to);
}
function cutRange(outline, first, end, limit, pieces) {
  const { text, lines, breakCosts, sizes, rates } = outline;
  if (first >= end) return;
  const from = lines.starts[first] ?? text.length;
  const to = lines.starts[end] ?? text.length;
  const size = sizes.between(first, end);
  if (fitsIn(size, limit)) {
    pieces.push({ from, to, ...size });
    return;
  }
  const { weakest, strongest } = breakCostsWithin(breakCosts, first, end);
  if (end - first === 1 || weakest === BREAK_COST.PARAGRAPH && strongest === BREAK_COST.PARAGRAPH) {
    cutSentences({ text, rates }, from, to, limit, pieces);
    return;
  }
  let start = first;
  for (let line = first + 1; line <= end; line += 1) {
    if (line < end && breakCosts[line] !== weakest) continue;
    cutRange(outline, start, line, limit, pieces);
    start = line;
  }
}
function breakCostsWithin(ties, first, end) {
  let weakest = BREAK_COST.WHOLE;
  let strongest = 0;
  for (let line = first + 1; line < end; line += 1) {
    const tie = ties[line];
    if (tie < weakest) weakest = tie;
    if (tie > strongest) strongest = tie;
  }
  return { weakest, strongest };
}
function cutSentences(rated, from, to, limit, pieces) {
  const { text } = rated;
  const last = trimWhiteSpace(text, from, to);
  let start = from;
  for (let at = from + 1; at <= to; at += 1) {
    if (at < to && (at >= last || !endsSentence(text, at))) continue;
    cutWords(rated, start, at, limit, pieces);
    start = at;
  }
}
function cutWords({ text, rates }, from, to, limit, pieces) {
  let start = from;
  while (start < to) {
    const end = fittingEnd(text, start, to, limit, rates);
    const { words, tokens } = sizeOf(text, start, end, rates);
    const next = skipWhiteSpace(text, end, to);
    pieces.push({ from: start, to: end, words, tokens: next > end ? tokens + LINE_END_TOKENS : tokens });
    start = next;
  }
}

// src/markdown/chunk/sections.ts
var PATH_SEPARATOR = "\n\n";
var NAME_SEPARATOR = " > ";
var CUT2 = "\u2026";
var MAX_PATH_SHARE = 1 / 3;
var MIN_NAME_TOKENS = 8;
function* sectionsOf(title, outline, limit) {
  const { headings, lines, bodyLine, breakCosts, rates } = outline;
  const lineOf = (index) => (headings[index]?.line ?? lines.starts.length + 1) - 1;
  const path = cutName(title.trim(), limit.tokens * MAX_PATH_SHARE, rates);
  let last = readSection(outline, { level: 0, path }, [bodyLine, bodyLine, lineOf(0)], limit);
  yield last;
  for (const [index, heading] of headings.entries()) {
    const first = lineOf(index);
    const content = breakCosts[first + 1] === BREAK_COST.WHOLE ? first + 2 : first + 1;
    const place = placeOf(last, heading, limit.tokens * MAX_PATH_SHARE, rates);
    const cut = place.cut || endsMath(outline, heading);
    last = readSection(outline, { ...place, cut }, [first, content, lineOf(index + 1)], limit);
    yield last;
  }
}
function endsMath({ text, lines }, { line, offset }) {
  return text.slice(lines.starts[line - 1], offset).includes("$$");
}
function readSection(outline, place, [first, content, end], limit) {
  const { parent, level, path, cut = false } = place;
  const pathTokens = tokensIn(path + PATH_SEPARATOR, outline.rates);
  const room2 = { words: limit.words, tokens: limit.tokens - pathTokens };
  const pieces = cutLines(outline, shownLines(outline.hidden, cut ? first : content, end), room2);
  return {
    parent,
    level,
    path,
    pathTokens,
    pieces,
    heading: cut || first === content ? void 0 : linesOf(outline, first, content)
  };
}
function linesOf({ text, lines, sizes }, first, end) {
  return {
    from: lines.starts[first] ?? text.length,
    to: lines.starts[end] ?? text.length,
    ...sizes.between(first, end)
  };
}
function shownLines(hidden, first, end) {
  const shown = [];
  let from = first;
  for (let line = first; line <= end; line += 1) {
    if (line < end && hidden[line] === 0) continue;
    if (from < line) shown.push([from, line]);
    from = line + 1;
  }
  return shown;
}
function placeOf(last, { text, level }, maxTokens, rates) {
  let parent = last;
  while (parent.level >= level && parent.parent !== void 0) parent = parent.parent;
  const name = withoutId(text);
  if (name === "" || parent.level === 0 && foldName(name) === foldName(parent.path))
    return { parent, level, path: parent.path };
  const before = parent.path === "" ? "" : parent.path + NAME_SEPARATOR;
  const path = before + name;
  if (tokensIn(path, rates) <= maxTokens) return { parent, level, path };
  const left = maxTokens - tokensIn(before, rates);
  return { parent, level, path: left < MIN_NAME_TOKENS ? parent.path : before + cutName(name, left, rates), cut: true };
}
function withoutId(heading) {
  const named = blockIdAt(heading, 0, heading.length);
  return (named === void 0 || named.alone ? heading : heading.slice(0, heading.lastIndexOf("^"))).trim();
}
var tokensIn = (text, rates) => sizeOf(text, 0, text.length, rates).tokens;
function cutName(name, maxTokens, rates) {
  if (tokensIn(name, rates) <= maxTokens) return name;
  const room2 = { words: Number.POSITIVE_INFINITY, tokens: maxTokens - tokensIn(CUT2, rates) };
  return name.slice(0, fittingEnd(name, 0, name.length, room2, rates)).trim() + CUT2;
}

// src/markdown/chunk/chunks.ts
var MAX_WORDS = 300;
function chunkNote(title, text, maxTokens, rates = USUAL_RATES) {
  return chunkParts(title, text, maxTokens, rates).map(asChunk);
}
function asChunk({ lines, path, content }) {
  return { lines, text: [path, content].filter((part) => part !== "").join(PATH_SEPARATOR) };
}
function chunkParts(title, text, maxTokens, rates = USUAL_RATES) {
  const { outline, sections, limit } = outlined(title, text, maxTokens, rates);
  const all = [...sections];
  const chunks = Array.from(draftChunks(all, limit), (draft) => chunkOf(draft, outline));
  const written = chunks.filter(({ path, content }) => path !== "" || content !== "");
  return written.length > 0 ? written : titleChunk(all, outline.lines.starts.length);
}
function* chunkSpans(title, text, maxTokens) {
  const { outline, sections, limit } = outlined(title, text, maxTokens, USUAL_RATES);
  const { starts } = outline.lines;
  const written = outline.text === text ? outline.lines : splitLines(text);
  const offsetOf = (at) => {
    const line = lineIndexAt(outline.lines, at);
    return (written.starts[line] ?? 0) + at - (starts[line] ?? 0);
  };
  for (const draft of draftChunks(sections, limit)) {
    const { from, to } = spanOf(draft, outline);
    yield [offsetOf(from), offsetOf(to)];
  }
}
function outlined(title, text, maxTokens, rates) {
  const outline = outlineOf(text.includes("\r") ? text.replace(/\r\n?/g, LINE_END) : text, rates);
  const limit = { words: MAX_WORDS, tokens: maxTokens };
  return { outline, sections: sectionsOf(title, outline, limit), limit };
}
function outlineOf(text, rates) {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  const { headings, comments, breakCosts } = scanBlocks(text, lines, bodyLine);
  const hidden = new Uint8Array(lines.starts.length);
  for (const { line, endLine } of comments) hidden.fill(1, line - 1, endLine);
  const sizes = new LineSizes(text, lines, bodyLine, rates);
  return { text, lines, bodyLine, breakCosts, headings, hidden, sizes, rates };
}
function titleChunk([root], lineCount) {
  const path = root?.path ?? "";
  return path === "" ? [] : [{ lines: [1, Math.max(1, lineCount)], path, content: "" }];
}
function spanOf(draft, { text }) {
  const written = draft.flatMap(
    ({ section, pieces, opens }) => opens && section.heading !== void 0 ? [section.heading, ...pieces] : pieces
  );
  const from = skipWhiteSpace(text, written[0]?.from ?? 0, text.length);
  return { from, to: trimWhiteSpace(text, from, written[written.length - 1]?.to ?? 0) };
}
function chunkOf(draft, outline) {
  const { text, lines } = outline;
  const { from, to } = spanOf(draft, outline);
  return {
    lines: [lineIndexAt(lines, from) + 1, lineIndexAt(lines, to - 1) + 1],
    path: commonSection(draft)?.path ?? "",
    content: textOf(piecesOf(draft), text).trim()
  };
}
function textOf(pieces, text) {
  let written = "";
  let end = pieces[0]?.from ?? 0;
  for (const { from, to } of pieces) {
    if (from > end && !written.endsWith(LINE_END)) written += LINE_END;
    written += text.slice(from, to);
    end = to;
  }
  return written;
}

// src/markdown/chunk/plain-text.ts
var MARKS2 = [
  [/<!--[\s\S]*?-->|%%[\s\S]*?%%/g, ""],
  // Lines without text: fences, rules, rows of dashes in tables.
  [/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ""],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ""],
  [/^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/gm, ""],
  // Beginnings of lines: quotes with the kind of a callout, headings, list items with a checkbox.
  [/^(?:[ \t]*>[ \t]?)+(?:\[![\w-]+\][+-]?)?/gm, ""],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ""],
  [/^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?/gm, "$1"],
  // Links show their text; an address shows its host.
  [/!?\[\[[^[\]\r\n|]{1,500}\|([^[\]\r\n]{1,500})\]\]/g, "$1"],
  [/!?\[\[#*([^[\]\r\n#]{0,500})(?:#+\^?([^[\]\r\n]{0,500}))?\]\]/g, "$1 $2"],
  [/!?\[([^[\]\r\n]{0,500})\]\([^()\r\n]{0,1000}\)/g, "$1"],
  [/\bhttps?:\/\/([^\s<>)\]/]{1,200})[^\s<>)\]]{0,2000}/g, "$1"],
  [/\[\^[^\]\s]{1,100}\]:?/g, ""],
  [/[ \t]+\^[A-Za-z0-9-]+[ \t]*$/gm, ""],
  [/<\/?[A-Za-z][^<>\r\n]{0,300}>/g, " "],
  [/\\(?=[!-/:-@[-`{-~])/g, ""],
  [/\*{1,3}|_{2,3}|~~|==|`+/g, ""],
  [/(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/gu, ""],
  [/(^|\s)#(?=\p{L})/gu, "$1"],
  [/\|/g, " "],
  [/[ \t]+$/gm, ""],
  [/[ \t]{2,}/g, " "],
  [/\n{3,}/g, "\n\n"]
];
var SIGNS = [
  [/[‘’‚‛]/g, "'"],
  [/[“”„‟«»「」『』]/g, '"'],
  [/[‐‑‒–—―−]/g, "-"],
  [/…/g, "..."]
];
function plainText(written) {
  return plainSigns(replaceAll(written, MARKS2)).trim();
}
var plainSigns = (written) => replaceAll(written, SIGNS);
function replaceAll(text, replacements) {
  return replacements.reduce((sum, [sign, by]) => sum.replace(sign, by), text);
}

// src/markdown/chunk/embedded-text.ts
var MAX_PLAIN_TOKENS = 192;
var PRESENT = {
  version: "plain-1",
  maxTokens: (contextTokens) => Math.min(MAX_PLAIN_TOKENS, chunkTokensFor(contextTokens)),
  chunks: plainChunks,
  query: plainSigns
};
var OLDER = [
  { version: "headings-1", maxTokens: chunkTokensFor, chunks: chunkNote, query: (text) => text }
];
function chunksFor(chunker, title, text, rates) {
  return rulesOf(chunker).chunks(title, text, Number(chunker.slice(chunker.indexOf("/") + 1)), rates);
}
function rulesOf(chunker) {
  const version = chunker.slice(0, chunker.indexOf("/"));
  return OLDER.find((rules) => rules.version === version) ?? PRESENT;
}
function plainChunks(title, text, maxTokens, rates) {
  const plain = chunkParts(title, text, maxTokens, rates).map(({ lines, path, content }) => {
    return { lines, path: plainText(path), content: plainText(content) };
  });
  const written = plain.filter(({ content }) => content !== "");
  const [first] = plain;
  const kept = written.length > 0 || first === void 0 || first.path === "" ? written : [first];
  return kept.map(asChunk);
}

// src/markdown/parse/data-uris.ts
var DATA_URI = /\bdata:(?:[a-z]{1,20}\/[\w.+-]{1,100}(?:;[\w.+=-]{1,100}){0,4}|(?:;[\w.+=-]{1,100}){0,3};base64),[^\s"'`<>()[\]]*/g;
function withoutDataUris(text) {
  return text.includes("data:") ? text.replace(DATA_URI, "") : text;
}
function blankDataUris(text) {
  return text.includes("data:") ? text.replace(DATA_URI, (uri) => " ".repeat(uri.length)) : text;
}

// src/base/plain-object.ts
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// src/markdown/parse/canvas.ts
function parseCanvas(text) {
  if (text.trim() === "") return EMPTY_NOTE;
  const fault = canvasFault(text);
  if (fault !== void 0) return { ...EMPTY_NOTE, fault };
  const lines = splitLines(text);
  const cards = locateNodeStrings(text).map((strings) => readCard(text, lines, strings));
  return {
    ...EMPTY_NOTE,
    tags: cards.flatMap(({ tags }) => tags),
    headings: cards.flatMap(({ headings }) => headings),
    blocks: cards.flatMap(({ blocks }) => blocks),
    links: cards.flatMap(({ links }) => links)
  };
}
function canvasFault(text) {
  const canvas = parseJson(text);
  if (canvas instanceof SyntaxError) return canvas.message;
  if (!isObject(canvas)) return "the JSON is not an object";
  const { nodes = [] } = canvas;
  if (!Array.isArray(nodes)) return "`nodes` is not a list";
  const odd = nodes.findIndex((node) => !isObject(node));
  return odd === -1 ? void 0 : `node ${odd + 1} is not an object`;
}
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (malformed) {
    if (malformed instanceof SyntaxError) return malformed;
    throw malformed;
  }
}
function readCard(json, lines, strings) {
  const type = strings.get("type");
  const kind = type === void 0 ? "" : runOfString(json, type).text;
  const text = kind === "text" ? strings.get("text") : void 0;
  const file = kind === "file" ? strings.get("file") : void 0;
  const body = text === void 0 ? EMPTY_NOTE : readText(runOfString(json, text), lines);
  return file === void 0 ? body : { ...body, links: [fileLink(json, lines, file, strings.get("subpath"))] };
}
function fileLink(json, lines, file, subpath) {
  const link = runOfString(json, file).text.normalize("NFC");
  const display = subpath === void 0 ? link : link + runOfString(json, subpath).text;
  return { kind: "canvas", link, display, ...positionAt(lines, file.from + 1), end: file.to - 1 };
}
function readText(run, lines) {
  const cardLines = splitLines(run.text);
  const card = readBody(run.text, cardLines, 0);
  const place = (offset) => positionAt(lines, offsetIn(run, offset));
  const lineOf = (line) => place(cardLines.starts[line - 1] ?? 0).line;
  return {
    // Tasks are left out: their lines are lines of the card, not of the file, so they could not be cited.
    tasks: [],
    tags: card.tags.map((tag) => ({ ...tag, ...place(tag.offset) })),
    headings: card.headings.map((heading) => ({ ...heading, ...place(heading.offset) })),
    blocks: card.blocks.map(({ id, line, endLine }) => ({ id, line: lineOf(line), endLine: lineOf(endLine) })),
    links: card.links.map((link) => ({ ...link, ...place(link.offset), end: offsetIn(run, link.end) }))
  };
}
var NODE_DEPTH = 3;
function locateNodeStrings(json) {
  const nodes = [];
  const names = [];
  for (let at = 0; at < json.length; at += 1) {
    const sign = json.charAt(at);
    if (sign === "{" || sign === "[") {
      names.push(void 0);
      if (names.length === NODE_DEPTH && names[0] === "nodes") nodes.push(/* @__PURE__ */ new Map());
    } else if (sign === "}" || sign === "]") names.pop();
    else if (sign === ",") names[names.length - 1] = void 0;
    else if (sign === '"') {
      const span = { from: at, to: stringEnd(json, at) };
      readString(json, span, names, nodes);
      at = span.to - 1;
    }
  }
  return nodes;
}
function readString(json, span, names, nodes) {
  const depth = names.length;
  if (depth !== 1 && depth !== NODE_DEPTH) return;
  const name = names[depth - 1];
  const isName = json.charAt(skipSpace(json, span.to)) === ":";
  if (isName) names[depth - 1] = String(JSON.parse(json.slice(span.from, span.to)));
  else if (depth === NODE_DEPTH && names[0] === "nodes" && name !== void 0) nodes.at(-1)?.set(name, span);
}
function stringEnd(json, from) {
  let at = from + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

// src/compute/parse-files.ts
var SMALL_FILES = 8;
var SMALL_BYTES = 256 * 1024;
var WRONG_ENCODING = "encoding: the file is UTF-16 text; convert it to UTF-8";
function parseFiles(files) {
  return files.map(({ path, bytes }) => {
    const read = { path, hash: contentHash(bytes), ...decodeText(bytes) };
    if (read.encoding === "utf-16") return { ...read, text: "", code: "FILE_UNREADABLE", reason: WRONG_ENCODING };
    try {
      return { ...read, ...findings(path, read.text) };
    } catch (thrown) {
      return { ...read, code: "INTERNAL", reason: String(thrown) };
    }
  });
}
function findings(path, text) {
  const kind = fileKindOf(path);
  if (kind === "note") return { parsed: parseNote(text) };
  if (kind !== "canvas") return { parsed: EMPTY_NOTE };
  const { fault, ...parsed } = parseCanvas(text);
  return fault === void 0 ? { parsed } : { code: "CANVAS_INVALID", reason: fault };
}
function isSmall(files) {
  return files.length <= SMALL_FILES && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= SMALL_BYTES;
}
function handOver(files) {
  const input = files.map((file) => ({ ...file, bytes: ownBytes(file.bytes) }));
  return { input, transfer: [...new Set(input.map(({ bytes }) => bytes.buffer))] };
}
function ownBytes(bytes) {
  const { buffer } = bytes;
  const fills = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return fills ? new Uint8Array(buffer) : Uint8Array.from(bytes);
}

// src/compute/chunk-files.ts
var SMALL_FILES2 = 8;
var SMALL_BYTES2 = 64 * 1024;
function chunkFiles({ files, chunker, rates = USUAL_RATES }) {
  const usable = Object.keys(rates).length === 0 ? USUAL_RATES : rates;
  return files.map(({ path, title, bytes }) => {
    const read = { path, hash: contentHash(bytes) };
    try {
      const { text, encoding } = decodeText(bytes);
      const chunks = encoding === "utf-16" ? [] : chunksFor(chunker, title, withoutDataUris(text), usable);
      return { ...read, chunks: chunks.map((chunk) => ({ ...chunk, hash: contentHash(Buffer.from(chunk.text)) })) };
    } catch (thrown) {
      return { ...read, code: "INTERNAL", reason: String(thrown) };
    }
  });
}
function isSmallText({ files }) {
  return files.length <= SMALL_FILES2 && files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0) <= SMALL_BYTES2;
}
function handOverFiles({ files, ...rest }) {
  const { input, transfer } = handOver(files);
  return { input: { files: input, ...rest }, transfer };
}

// src/postings/note-texts.ts
var OWN_FIELD = /* @__PURE__ */ new Set(["title", "alias", "aliases", "tag", "tags"]);
function noteTexts(note) {
  const { aliases, headings, properties, tags } = note.parsed;
  const title = noteTitle(note.path, properties);
  const others = headings.map(({ text }) => text).filter((text) => text !== title);
  const name = noteName(note.path);
  const otherNames = title === name ? aliases : [...aliases, name];
  const lists = [otherNames, others, distinctTags(tags), propertyTexts(properties)];
  return [title, ...lists.map((texts) => texts.join("\n")), bodyWithoutHeadings(note)].map(withoutDataUris);
}
function propertyTexts(properties) {
  const others = Object.entries(properties).filter(([name]) => !OWN_FIELD.has(foldName(name)));
  return others.flatMap(([, value]) => stringsIn(value));
}
function stringsIn(value) {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(stringsIn);
}
function bodyWithoutHeadings({ path, text, parsed }) {
  let from = parsed.bodyOffset;
  if (fileKindOf(path) !== "note") return text.slice(from);
  const parts = [];
  for (const heading of parsed.headings) {
    parts.push(text.slice(from, heading.offset));
    from = text.indexOf(heading.text, heading.offset) + heading.text.length;
  }
  return [...parts, text.slice(from)].join("\n");
}

// src/markdown/excerpt/fold-text.ts
var WORD_CHARACTERS = String.raw`\p{L}\p{M}\p{N}\p{Co}`;
var BEYOND_ASCII = /[^\0-\x7F]/;
var PART = /[\u0900-\u0DFF][\u200C\u200D]+|[\uFF66-\uFF9D][\uFF9E\uFF9F]|[^\0-\x7F]/gu;
var DROPPED = new RegExp(
  `[${[
    String.raw`\u0300-\u036F`,
    // accents
    String.raw`\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7`,
    // Hebrew points
    String.raw`\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08D3-\u08FF`,
    // Arabic vowel signs, tatweel
    String.raw`\u00AD\u200D\u2060\uFEFF\u20D0-\u20F0\uFE00-\uFE0F\u{E0100}-\u{E01EF}`
    // soft hyphens, joiners, enclosing marks, variation selectors
  ].join("")}]`,
  "gu"
);
var SARA_AM = /[\u0E33\u0EB3]/;
var LATIN2 = /\p{sc=Latin}/u;
var OTHER_FORMS = {
  ...{ \u03C2: "\u03C3", \u00DF: "ss" },
  // Alef, waw and yeh with hamza or madda, and alef wasla.
  ...{ "\u0623": "\u0627", "\u0625": "\u0627", "\u0622": "\u0627", "\u0671": "\u0627" },
  ...{ "\u0624": "\u0648", "\u0626": "\u064A" }
};
var OTHER_FORM = new RegExp(`[${Object.keys(OTHER_FORMS).join("")}]`, "gu");
function foldText(text) {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFC").replace(PART, foldPart).toLowerCase();
}
function foldWithOffsets(text) {
  const parts = [];
  const shifts = [];
  let length = 0;
  let last = 0;
  for (const { 0: part, index } of text.matchAll(PART)) {
    const folded2 = foldPart(part);
    const end = index + part.length;
    parts.push(text.slice(last, index), folded2);
    length += index - last + folded2.length;
    last = end;
    if (folded2.length !== part.length) shifts.push([length, end]);
  }
  const folded = [...parts, text.slice(last)].join("").toLowerCase();
  return { folded, offsetOf: (at) => offsetIn2(shifts, at) };
}
function offsetIn2(shifts, at) {
  const next = partitionPoint(shifts.length, (index) => (shifts[index]?.[0] ?? 0) <= at);
  const [folded, written] = shifts[next - 1] ?? [0, 0];
  return Math.min(written + at - folded, shifts[next]?.[1] ?? Number.POSITIVE_INFINITY);
}
var MAX_KNOWN_PARTS = 2e4;
var knownParts = /* @__PURE__ */ new Map();
function foldPart(part) {
  const known2 = knownParts.get(part);
  if (known2 !== void 0) return known2;
  if (knownParts.size >= MAX_KNOWN_PARTS) knownParts.clear();
  const lower = (SARA_AM.test(part) ? part : part.normalize("NFKC")).toLowerCase();
  const plain = (LATIN2.test(lower) ? lower.normalize("NFD") : lower).replace(DROPPED, "");
  const folded = plain.replace(OTHER_FORM, (character) => OTHER_FORMS[character] ?? character);
  knownParts.set(part, folded);
  return folded;
}

// src/markdown/excerpt/term-matches.ts
var UNSPACED_SCRIPTS = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
var UNSPACED_SCRIPT = new RegExp(UNSPACED_SCRIPTS, "u");
var UNSPACED_CLUSTERS = new RegExp(`${UNSPACED_SCRIPTS}(?:[\\u1039\\u17D2]${UNSPACED_SCRIPTS}|\\p{M})*`, "gu");
var MARK = /\p{M}/u;
var STACKING = /[\u1039\u17D2]/;
var MAX_MATCHES = 500;
var WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");
var WORD = new RegExp(`[${WORD_CHARACTERS}]`, "u");
function findTerms(text, terms) {
  const { folded, offsetOf } = foldWithOffsets(text);
  const matches = terms.flatMap(
    ({ text: written, kind, forms = [] }, index) => [written, ...forms].flatMap((each) => findTerm(folded, { text: each, kind }, index))
  );
  return matches.map(({ term, from, to }) => ({ term, from: offsetOf(from), to: offsetOf(to) })).sort((one, other) => one.from - other.from);
}
function findTerm(folded, { text, kind }, index) {
  const words = foldText(text).match(WORDS) ?? [];
  const [first] = words;
  const found = [];
  let from = first === void 0 ? -1 : folded.indexOf(first);
  while (first !== void 0 && from !== -1 && found.length < MAX_MATCHES) {
    const to = startsWord(folded, from) ? matchEnd(folded, from, words, kind) : -1;
    if (to !== -1) found.push({ term: index, from, to });
    from = folded.indexOf(first, to === -1 ? from + 1 : to);
  }
  return found;
}
function matchEnd(folded, from, words, kind) {
  let at = from;
  for (const [index, word] of words.entries()) {
    if (index > 0) at = nextWord(folded, at);
    if (!folded.startsWith(word, at)) return -1;
    at += word.length;
    const last = index === words.length - 1;
    if (!(last && kind === "prefix") && !endsWord(folded, at)) return -1;
  }
  return at;
}
function nextWord(folded, from) {
  let at = from;
  while (at < folded.length && !WORD.test(characterAt(folded, at))) at += 1;
  return at;
}
function startsWord(folded, at) {
  const [before, first] = [folded.charAt(at - 1), characterAt(folded, at)];
  return !STACKING.test(before) && (isApart(before) || hasUnspacedScript(first) && !MARK.test(first));
}
function endsWord(folded, at) {
  const [last, after] = [folded.charAt(at - 1), characterAt(folded, at)];
  if (MARK.test(after) || STACKING.test(last) && hasUnspacedScript(after)) return false;
  return isApart(after) || hasUnspacedScript(last);
}
function isApart(character) {
  return character === "" || !WORD.test(character) || hasUnspacedScript(character);
}
function characterAt(text, at) {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : "";
}
function hasUnspacedScript(text) {
  return UNSPACED_SCRIPT.test(text);
}

// src/markdown/excerpt/terms.ts
var WORDS2 = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");
var RUNS = new RegExp(`${UNSPACED_SCRIPTS}+|${UNSPACED_SCRIPTS.replace("[", "[^")}+`, "gu");
var MAYBE_UNSPACED = /[\u0E00-\u1FFF\u2E80-\uFFFF]/;
var MIN_LENGTH = 2;
var MAX_LENGTH = 60;
function formsOf(text) {
  const counts2 = /* @__PURE__ */ new Map();
  eachForm(text, (form) => counts2.set(form, (counts2.get(form) ?? 0) + 1));
  return counts2;
}
function eachForm(text, add) {
  const folded = foldText(text);
  const mayBeUnspaced = MAYBE_UNSPACED.test(folded);
  for (const word of folded.match(WORDS2) ?? []) {
    if (mayBeUnspaced && MAYBE_UNSPACED.test(word)) for (const run of word.match(RUNS) ?? []) addRun(run, add);
    else addWord(word, add);
  }
}
function addRun(run, add) {
  const characters = hasUnspacedScript(run) ? run.match(UNSPACED_CLUSTERS) ?? [] : [];
  if (characters.length === 0) addWord(run, add);
  for (const [at, character] of characters.entries()) {
    const next = characters[at + 1];
    if (next !== void 0) add(character + next);
    else if (at === 0) add(character);
  }
}
function addWord(word, add) {
  if (word.length >= MIN_LENGTH && word.length <= MAX_LENGTH) add(word);
}
var PLURAL = /^[a-z]{2,}s$/;
var NO_PLURAL = /(?:ss|us|is)$/;
var LONG_PLURAL = /(?:ch|sh|x|ss|zz)es$/;
function termOf(form) {
  if (!form.endsWith("s") || form.length <= 3 || !PLURAL.test(form) || NO_PLURAL.test(form)) return form;
  if (form.endsWith("ies") && form.length > 4) return `${form.slice(0, -3)}y`;
  return form.slice(0, LONG_PLURAL.test(form) ? -2 : -1);
}
var LINKS = /!?\[\[[^[\]\r\n]{1,500}\]\]|!?\[[^[\]\r\n]{0,500}\]\([^()\r\n]{0,1000}\)|!?\[[^[\]\r\n]{1,500}\]\[[^[\]\r\n]{0,500}\]|\bhttps?:\/\/[^\s<>)\]]{1,2000}/g;
var DEFINITIONS = /^ {0,3}\[[^[\]\r\n]{1,500}\]:[ \t][^\r\n]*$/gm;
function withoutLinks(text) {
  return text.includes("[") || text.includes("://") ? text.replace(LINKS, " ").replace(DEFINITIONS, " ") : text;
}

// src/markdown/excerpt/compared-text.ts
var MAX_CHARACTERS = 4e4;
var MAX_HEAD = 7e4;
function comparedText(text) {
  return withoutLinks(textAfterProperties(comparedPart(text)));
}
function comparedPart(text) {
  const head = text.slice(0, MAX_HEAD + MAX_CHARACTERS);
  return head.slice(0, bodyStart(head, splitLines(head)).bodyOffset + MAX_CHARACTERS);
}

// src/markdown/excerpt/stop-words.ts
var LISTS = [
  // English
  `a about above after again all also always am an and another any are as at away be because been before being below
  between both but by can cannot could did do does doing done down during each either else enough even ever every few
  for from further get gets got had has have having he her here hers herself him himself his how however i if in into is
  it its itself just least less let like made make many me might more most much must my myself neither never no nor not
  nothing now of off often on one only onto or other others our ours ourselves out over own per perhaps quite rather
  really same see seems shall she should since so some something soon still such take than that the their theirs them
  themselves then there these they thing things this those though through thus to together too toward towards under
  until up upon us use used uses using very via was way we were what when where whether which while who whole whom whose
  why will with within without would yes yet you your yours yourself yourselves don doesn didn isn aren wasn weren won
  ll re ve`,
  // German, without diacritics
  `aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bis bist da dabei dadurch dafur
  daher damit dann daran darauf das dass dazu dein dem denn der des deren dessen dich dies diese dieser diesem diesen
  dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch gegen gibt hab habe haben hatte hier
  hin hinter ich ihm ihn ihnen ihr ihre im immer in ins ist ja jede jeden jeder jedes jetzt kann kein keine konnen mehr
  mein meine mich mir mit muss nach nicht nichts noch nur ob oder ohne schon sehr sein seine seit sich sie sind so soll
  sollte sondern sonst uber um und uns unser unter viel vom von vor was weil wenn wer werden wie wieder wir wird wo zu
  zum zur zwischen`,
  // Words that also mean something in English are left out.
  // French, Spanish, Italian, Portuguese, Dutch, without diacritics
  `au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur lui mais meme mes moi mon ne
  nos notre nous on ou ont pas plus qu que qui sa sans se ses si sont sous ta te tes toi tu un une vos votre vous al
  algo como con cual cuando del desde donde el ella ellas ellos entre es esta este esto estos hay las lo los mi muy no o
  para pero poco por porque ser sobre su sus tambien tiene todo una uno y ya yo agli alla alle anche che chi ci cui da
  dal dalla degli dei della delle di gli ha hanno ho loro ma nei nel nella non per piu quello questa questo sono sul
  sulla tra ao aos as das do dos e ela ele em essa esse eu foi isso nao na nas nem pela pelo quando sao sem seu sua tem
  um uma aan als bij dan dat deze dit een er haar heb heeft het hij ik is kan maar meer mijn naar niet nog om onder ook
  op over tot uit voor waar was wat we wel werd wij ze zich zij zijn zo`
];
var WORDS3 = new Set(LISTS.join(" ").split(/\s+/));
var JOINING = /^(?:\p{sc=Hiragana}{1,2}|.?[的了是在和也就都而及与與着或之这這那你我他她它们們吗嗎呢吧].?|합니|니다|습니|에서|으로|이다|있다|있는|하는|하고|하여|하지|하게|한다|했다|된다|되는|것이|것은|것을|입니|수있|그리|리고|그러|러나)$/u;
var FIRST_JOINING = "\u2E80";
function isStopWord(form) {
  return WORDS3.has(form) || form >= FIRST_JOINING && form.length < 3 && JOINING.test(form);
}

// src/postings/folded-units.ts
var ONLY_WORD = new RegExp(`^[${WORD_CHARACTERS}]+$`, "u");
var SOME_WORD = new RegExp(`[${WORD_CHARACTERS}]`, "u");
var ALONE = /[\0-\u02FF\u0370-\u0482\u048A-\u052F\u2010-\u2027\u2030-\u205E\u20AC]/;
var END = 8365;
var APART = 0;
var BEYOND_ASCII2 = 128;
var NEEDS_CONTEXT = 65535;
var known;
function foldedUnits() {
  known ??= foldUnits();
  return known;
}
function foldUnits() {
  const folded = new Uint16Array(1 << 16).fill(NEEDS_CONTEXT);
  const forms = [];
  const encoder3 = new TextEncoder();
  for (let unit = 0; unit < END; unit++) {
    const character = String.fromCharCode(unit);
    const form = ALONE.test(character) ? foldText(character) : "";
    if (form === "") continue;
    const bytes = encoder3.encode(form);
    if (!SOME_WORD.test(form)) folded[unit] = APART;
    else if (ONLY_WORD.test(form)) {
      folded[unit] = bytes.length === 1 ? bytes[0] : BEYOND_ASCII2 + forms.push(bytes) - 1;
    }
  }
  return { folded, forms };
}

// src/postings/words.ts
var WORDS4 = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");
var MAX_WORD_BYTES = 255;
function wordsOf(text) {
  const folded = foldText(text);
  const isUnspaced = MAYBE_UNSPACED.test(folded) && hasUnspacedScript(folded);
  const spaced = isUnspaced ? folded.replace(UNSPACED_CLUSTERS, " $& ") : folded;
  return spaced.match(WORDS4) ?? [];
}
function cutLength(word, length) {
  if (length <= MAX_WORD_BYTES) return length;
  let end = MAX_WORD_BYTES;
  while ((word[end] & 192) === 128) end -= 1;
  return end;
}
var encoder = new TextEncoder();

// src/postings/word-table.ts
var encoder2 = new TextEncoder();
var LINE_FEED = 10;
var FIRST_SLOTS = 1 << 12;
var FIRST_BYTES = 3;
var MAX_WORDS2 = 2 ** 29;
var MAX_BYTES = 1024;
var WordTable = class {
  count = 0;
  #folding = foldedUnits();
  /** All words one after the other, and where each ends. */
  #bytes = new ByteWriter();
  #ends = new Int32Array(FIRST_SLOTS / 2);
  #hashes = new Int32Array(FIRST_SLOTS / 2);
  /** The number of a word plus one; 0 in an empty slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  #word = new Uint8Array(MAX_BYTES);
  /** Every word of every text, in their order. */
  words = new Int32Array(FIRST_SLOTS);
  /** The number of `words`. */
  total = 0;
  /** Adds the words of a text to `words`. */
  add(text) {
    const { folded, forms } = this.#folding;
    const units = unitsOf(text);
    const word = this.#word;
    let length = 0;
    let lineStart2 = 0;
    let lineTotal = this.total;
    for (let at = 0; at < text.length; at++) {
      const unit = units[at];
      const form = folded[unit];
      if (form === APART) {
        if (length > 0) this.#addWord(length);
        length = 0;
        if (unit === LINE_FEED) [lineStart2, lineTotal] = [at + 1, this.total];
      } else if (form < BEYOND_ASCII2) word[length < MAX_BYTES ? length++ : length] = form;
      else if (form < NEEDS_CONTEXT) length = addForm(forms[form - BEYOND_ASCII2], word, length);
      else {
        this.total = lineTotal;
        length = 0;
        at = this.#addLine(text, lineStart2) - 1;
      }
    }
    if (length > 0) this.#addWord(length);
  }
  /** @returns the end of the line */
  #addLine(text, from) {
    const end = text.indexOf("\n", from);
    const to = end === -1 ? text.length : end;
    for (const word of wordsOf(text.slice(from, to))) {
      this.#addWord(encoder2.encodeInto(word, this.#word).written);
    }
    return to;
  }
  /** The numbers of all words, in the order of their bytes. */
  sorted() {
    const keys = new Float64Array(this.count);
    for (let word = 0; word < this.count; word++) keys[word] = this.#firstBytes(word) * MAX_WORDS2 + word;
    keys.sort();
    const sorted = Int32Array.from(keys, (key) => key % MAX_WORDS2);
    let from = 0;
    for (let at = 1; at <= sorted.length; at++) {
      if (Math.floor(keys[at] / MAX_WORDS2) === Math.floor(keys[from] / MAX_WORDS2)) continue;
      if (at - from > 1) sorted.subarray(from, at).sort((one, other) => this.#compare(one, other));
      from = at;
    }
    return sorted;
  }
  copyTo(word, to) {
    to.clear();
    to.copy(this.#bytes.bytes, this.#start(word), this.#ends[word]);
  }
  /** Of the first bytes in `#word`. */
  #addWord(whole) {
    const length = cutLength(this.#word, whole);
    let hash = FNV_START;
    for (let at = 0; at < length; at++) hash = fnvWith(hash, this.#word[at]);
    this.#push(this.#numberOf(hash, length));
  }
  #push(word) {
    if (this.total === this.words.length) this.words = resized(this.words, this.total * 2);
    this.words[this.total++] = word;
  }
  /** Of the bytes in `#word`. */
  #numberOf(hash, length) {
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ hash >>> 15) & mask; ; slot = slot + 1 & mask) {
      const word = this.#slots[slot] - 1;
      if (word === -1) return this.#insert(slot, hash, length);
      if (this.#hashes[word] === hash && this.#isWord(word, length)) return word;
    }
  }
  #isWord(word, length) {
    const start = this.#start(word);
    if (this.#ends[word] - start !== length) return false;
    const own = this.#word;
    const { bytes } = this.#bytes;
    for (let at = 0; at < length; at++) if (own[at] !== bytes[start + at]) return false;
    return true;
  }
  #insert(slot, hash, length) {
    const word = this.count++;
    this.#slots[slot] = word + 1;
    this.#bytes.copy(this.#word, 0, length);
    this.#ends[word] = this.#bytes.length;
    this.#hashes[word] = hash;
    if (this.count === this.#ends.length) this.#grow();
    return word;
  }
  #grow() {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#ends = resized(this.#ends, this.#ends.length * 2);
    this.#hashes = resized(this.#hashes, this.#hashes.length * 2);
    const mask = this.#slots.length - 1;
    for (let word = 0; word < this.count; word++) {
      const hash = this.#hashes[word];
      let slot = (hash ^ hash >>> 15) & mask;
      while (this.#slots[slot] !== 0) slot = slot + 1 & mask;
      this.#slots[slot] = word + 1;
    }
  }
  #start(word) {
    return word === 0 ? 0 : this.#ends[word - 1];
  }
  #firstBytes(word) {
    const [start, end] = [this.#start(word), this.#ends[word]];
    let first = 0;
    for (let at = start; at < start + FIRST_BYTES; at++)
      first = first * 256 + (at < end ? this.#bytes.bytes[at] : 0);
    return first;
  }
  /** Of two words with the same first bytes. */
  #compare(one, other) {
    const [start, otherStart] = [this.#start(one), this.#start(other)];
    const [length, otherLength] = [this.#ends[one] - start, this.#ends[other] - otherStart];
    const { bytes } = this.#bytes;
    for (let at = FIRST_BYTES; at < length && at < otherLength; at++) {
      const difference = bytes[start + at] - bytes[otherStart + at];
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }
};
function addForm(form, word, from) {
  let length = from;
  for (let at = 0; at < form.length && length < MAX_BYTES; at++) word[length++] = form[at];
  return length;
}
var room = new Uint16Array(1 << 14);
function unitsOf(text) {
  if (text.length > room.length) room = new Uint16Array(text.length * 2);
  Buffer.from(room.buffer).write(text, "utf16le");
  return room;
}
function resized(from, capacity) {
  const larger = new Int32Array(capacity);
  larger.set(from);
  return larger;
}

// src/postings/term-numbers.ts
var PART_FORMS = 100;
var NO_TERM = -1;
var NO_FORM = -2;
var TermNumbers = class {
  /** The terms by number. */
  texts = [];
  #table = new WordTable();
  #word = new ByteWriter();
  /** Of each word of the table. */
  #termOfWord = [];
  #byTerm = /* @__PURE__ */ new Map();
  /** How often each term occurs in the part that is being counted. */
  #counts = [];
  /** The terms of a text, which is split after every 100 forms; each part includes the terms of the title. Stop words are left out. */
  partsOf(title, text) {
    const named = [...formsOf(title)].map(([form, count]) => [this.#numberOf(form), count]);
    const columns = { terms: [], counts: [], ends: [] };
    for (const [term, count] of named) this.#add(term, count, columns);
    let held = 0;
    this.#eachTerm(text, (term) => {
      if (held === PART_FORMS) {
        this.#endPart(columns);
        for (const [name, count] of named) this.#add(name, count, columns);
        held = 0;
      }
      held += 1;
      this.#add(term, 1, columns);
    });
    this.#endPart(columns);
    return { terms: new Int32Array(columns.terms), counts: new Int32Array(columns.counts), ends: columns.ends };
  }
  /** Calls `add` for every form of the text. */
  #eachTerm(text, add) {
    for (let from = 0; from < text.length; ) {
      const unspaced = text.slice(from).search(MAYBE_UNSPACED);
      if (unspaced === -1) {
        this.#eachWord(text.slice(from), add);
        return;
      }
      const line = text.lastIndexOf("\n", from + unspaced) + 1;
      const lineFeed = text.indexOf("\n", line);
      const end = lineFeed === -1 ? text.length : lineFeed;
      if (line > from) this.#eachWord(text.slice(from, line), add);
      eachForm(text.slice(line, end), (form) => add(this.#numberOf(form)));
      from = end + 1;
    }
  }
  /** The same for a text without scripts that are written without spaces: most words are known, so that no text is made of them. */
  #eachWord(text, add) {
    const table = this.#table;
    table.total = 0;
    table.add(text);
    const { words, total } = table;
    for (let at = 0; at < total; at++) {
      const word = words[at];
      this.#termOfWord[word] ??= this.#termOf(word);
      const term = this.#termOfWord[word];
      if (term !== NO_FORM) add(term);
    }
  }
  #termOf(word) {
    let term = NO_FORM;
    this.#table.copyTo(word, this.#word);
    addWord(Buffer.from(this.#word.view()).toString(), (form) => {
      term = this.#numberOf(form);
    });
    return term;
  }
  #add(term, count, { terms }) {
    if (term === NO_TERM) return;
    if (this.#counts[term] === 0) terms.push(term);
    this.#counts[term] = this.#counts[term] + count;
  }
  #endPart({ terms, counts: counts2, ends }) {
    for (let at = counts2.length; at < terms.length; at++) {
      const term = terms[at];
      counts2.push(this.#counts[term]);
      this.#counts[term] = 0;
    }
    ends.push(terms.length);
  }
  #numberOf(form) {
    if (isStopWord(form)) return NO_TERM;
    const term = termOf(form);
    const known2 = this.#byTerm.get(term);
    if (known2 !== void 0) return known2;
    const number = this.texts.push(term) - 1;
    this.#counts.push(0);
    this.#byTerm.set(term, number);
    return number;
  }
};

// src/postings/term-vectors.ts
var HASH_BITS = 24;
var COUNT_BITS = 2;
var MORE = (1 << COUNT_BITS) - 1;
var MAX_COUNT = 255;
function packVectors(notes) {
  const packer = new VectorPacker();
  const vectorEnds = Int32Array.from(notes, (note) => packer.add(note));
  return { vectors: packer.bytes.view().slice(), vectorEnds };
}
var VectorPacker = class {
  bytes = new ByteWriter();
  #numbers = new TermNumbers();
  /** Of each term, by number. */
  #hashes = [];
  /** @returns where the bytes of the note end */
  add({ path, text, parsed }) {
    if (fileKindOf(path) !== "note") return this.bytes.length;
    const title = noteTitle(path, parsed.properties);
    const { terms, counts: counts2, ends } = this.#numbers.partsOf(title, comparedText(blankDataUris(text)));
    let from = 0;
    for (const end of ends) {
      this.#addPart(terms.subarray(from, end), counts2.subarray(from, end));
      from = end;
    }
    return this.bytes.length;
  }
  /** The number of terms, then each one's distance from the hash before, ascending, with its count. */
  #addPart(terms, counts2) {
    const { bytes } = this;
    const pairs = new Uint32Array(terms.length);
    for (let at = 0; at < pairs.length; at++)
      pairs[at] = this.#hashOf(terms[at]) * 256 + Math.min(counts2[at], MAX_COUNT);
    pairs.sort();
    bytes.number(pairs.length);
    let last = 0;
    for (let at = 0; at < pairs.length; at++) {
      const pair = pairs[at];
      const hash = pair >>> 8;
      const rest = (pair & 255) - 1;
      bytes.number(hash - last << COUNT_BITS | Math.min(rest, MORE));
      if (rest >= MORE) bytes.number(rest - MORE);
      last = hash;
    }
  }
  #hashOf(term) {
    this.#hashes[term] ??= termHash(this.#numbers.texts[term]);
    return this.#hashes[term];
  }
};
function termHash(term) {
  const hash = fnvOf(term);
  return (hash >>> HASH_BITS ^ hash) & 2 ** HASH_BITS - 1;
}

// src/postings/word-collector.ts
function packWords(notes) {
  const collector = new WordCollector();
  for (const note of notes) collector.addNote(noteTexts(note));
  return { ...collector.pack(), ...packVectors(notes) };
}
var WordCollector = class {
  #table = new WordTable();
  #lengths = [];
  #parts = [];
  /** @param texts in the order of `FIELDS` */
  addNote(texts) {
    const before = this.#table.total;
    const note = this.#lengths.length;
    for (const [field, text] of texts.entries()) {
      if (text === "") continue;
      this.#table.add(text);
      this.#parts.push({ note, field, end: this.#table.total });
    }
    this.#lengths.push(this.#table.total - before);
  }
  pack() {
    const rows = new ByteWriter();
    const ends = [];
    const packer = new SegmentPacker((row) => {
      rows.copy(row, 0, row.length);
      ends.push(rows.length);
    });
    this.#packWords(packer);
    const directory = packer.finish().slice();
    return {
      lengths: Int32Array.from(this.#lengths),
      directory,
      rows: rows.view().slice(),
      ends: Int32Array.from(ends)
    };
  }
  #packWords(packer) {
    const { ends, notes, places } = this.#byWord();
    const list = new ListWriter();
    const bytes = new ByteWriter();
    for (const word of this.#table.sorted()) {
      const from = word === 0 ? 0 : ends[word - 1];
      const to = ends[word];
      if (from === to) continue;
      list.clear();
      writeList(notes, places, [from, to], list);
      this.#table.copyTo(word, bytes);
      packer.add(bytes.bytes, bytes.length, list);
    }
  }
  /** A counting sort: the note and the place of each word, one word after the other, and where each word ends. */
  #byWord() {
    const { words, total, count } = this.#table;
    const ends = new Int32Array(count + 1);
    for (let at2 = 0; at2 < total; at2++) {
      const after = words[at2] + 1;
      ends[after] = ends[after] + 1;
    }
    for (let word = 1; word <= count; word++) ends[word] = ends[word] + ends[word - 1];
    const [notes, places] = [new Int32Array(total), new Int32Array(total)];
    let at = 0;
    for (const { note, field, end } of this.#parts) {
      for (let position = 0; at < end; at++, position++) {
        const word = words[at];
        const to = ends[word];
        ends[word] = to + 1;
        notes[to] = note;
        places[to] = (field << FIELD_SHIFT) + Math.min(position, MAX_POSITION);
      }
    }
    return { ends, notes, places };
  }
};
var counts = new Int32Array(FIELDS.length);
function writeList(notes, places, [from, to], list) {
  for (let at = from; at < to; ) {
    const note = notes[at];
    let fields = 0;
    let last = 0;
    for (; at < to && notes[at] === note; at++) {
      const place = places[at];
      const field = place >> FIELD_SHIFT;
      if ((fields & 1 << field) === 0) {
        fields |= 1 << field;
        counts[field] = 0;
        last = field << FIELD_SHIFT;
      }
      list.places.number(place - last);
      counts[field] = counts[field] + 1;
      last = place;
    }
    list.addNote(note, fields, counts);
  }
}

// src/compute/index-files.ts
function indexFiles(files) {
  const parsed = parseFiles(files);
  const words = packWords(
    parsed.map((row) => ({ path: row.path, text: row.text, parsed: "parsed" in row ? row.parsed : EMPTY_NOTE }))
  );
  return { rows: parsed.map(({ text, ...row }) => row), words };
}
function buffersOfWords({ words }) {
  const { lengths, directory, rows, ends, vectors, vectorEnds } = words;
  return [lengths, directory, rows, ends, vectors, vectorEnds].map(({ buffer }) => buffer);
}

// src/compute/job.ts
var job = (one) => Object.freeze(one);
var copied = (input) => ({ input, transfer: [] });

// src/markdown/chunk/rated-spans.ts
function ratedSpans({ title, text, within, terms, tokens, limit, isPaged = false }) {
  const [least, most] = within;
  const spans = isPaged ? spansInPages(title, text, tokens) : [...chunkSpans(title, text, tokens)];
  const rated = spans.flatMap(([start, end]) => {
    const [from, to] = [Math.max(start, least), Math.min(end, most)];
    const passage = from < to ? text.slice(from, to) : "";
    return hasOwnWords(passage) ? [{ from, to, weight: weightOf(passage, terms) }] : [];
  });
  const substantial = rated.filter(({ from, to }) => hasMoreThanHeadings(text.slice(from, to)));
  const kept = substantial.length === 0 && terms.length === 0 ? rated : substantial;
  const sorted = kept.sort((one, other) => other.weight - one.weight);
  return sorted.slice(0, limit).map(({ from, to }) => [from, to]);
}
function spansInPages(title, text, tokens) {
  return pagesOf(text).flatMap(
    ({ from, to }) => Array.from(chunkSpans(title, text.slice(from, to), tokens), ([start, end]) => [from + start, from + end])
  );
}
function hasOwnWords(text) {
  return /[\p{L}\p{N}]/u.test(withoutLinks(text));
}
var HEADING = /^ {0,3}#{1,6}(?:[ \t].*)?$/gm;
var UNDERLINED_HEADING = /^(?![ \t]*(?:[-+*>|]|\d+[.)])).+\n {0,3}(?:=+|-+)[ \t]*$/gm;
function hasMoreThanHeadings(text) {
  return /[\p{L}\p{N}]/u.test(text.replace(UNDERLINED_HEADING, "").replace(HEADING, ""));
}
function weightOf(text, terms) {
  if (terms.length === 0) return 0;
  const passage = text.normalize("NFC");
  return (weightIn(passage, terms) + weightIn(withoutLinks(passage), terms)) / 2;
}
function weightIn(text, terms) {
  const held = new Set(findTerms(text, terms).map(({ term }) => term));
  return [...held].reduce((sum, at) => sum + (terms[at]?.weight ?? 0), 0);
}

// src/markdown/excerpt/excerpt.ts
function excerptAround(text, terms, maxChars) {
  const source = text.normalize("NFC");
  const shown = { text: source, lines: splitLines(source), start: 0 };
  return excerptOf(shown, findTerms(source, terms), weightsOf(terms), maxChars);
}
function weightsOf(terms) {
  return (term) => terms[term]?.weight ?? 1;
}
function excerptOf({ text, lines, start }, matches, weightOf2, maxChars) {
  const size = Math.max(1, maxChars - 2);
  const place = bestWindow(matches, weightOf2, size) ?? firstText(text, start);
  const window = sentencesAround(text, start, place, size);
  const shown = text.slice(window.from, window.to);
  const first = lineIndexAt(lines, window.from + shown.length - shown.trimStart().length);
  const last = lineIndexAt(lines, window.from + shown.trimEnd().length - 1);
  const { from, to } = { from: window.from - start, to: window.to - start };
  return { snippet: showWindow(text.slice(start), { from, to }), from: first + 1, to: Math.max(first, last) + 1 };
}
function firstText(text, start) {
  const rest = text.slice(start);
  const at = start + rest.length - rest.trimStart().length;
  return { from: at, to: at };
}
function sentencesAround(text, start, place, size) {
  const cuts = cutsAround(text, start, place, 2 * size);
  const first = cuts.findLastIndex((at) => at <= place.from);
  const last = cuts.findIndex((at) => at >= place.to && at > place.from);
  const core = { from: cuts[first] ?? start, to: cuts[last] ?? text.length };
  const isWhole = first !== -1 && last !== -1 && fits2(text, core, size);
  return isWhole ? expand(text, cuts, { first, last }, size) : cutAround(text, core, place, size);
}
function cutsAround(text, start, place, reach) {
  const from = Math.max(start, place.from - reach);
  const cuts = sentenceCuts(text, from, Math.min(text.length, place.to + reach));
  return from === start && cuts[0] !== start ? [start, ...cuts] : cuts;
}
function expand(text, cuts, core, size) {
  let { first, last } = core;
  const windowOf = (one, other) => ({ from: cuts[one] ?? 0, to: cuts[other] ?? text.length });
  for (let [down, up] = [true, true]; down || up; ) {
    down = down && last + 1 < cuts.length && fits2(text, windowOf(first, last + 1), size);
    if (down) last += 1;
    up = up && first > 0 && !isHeadingAt(text, cuts[first] ?? 0) && fits2(text, windowOf(first - 1, last), size);
    if (up) first -= 1;
  }
  while (last > core.last && isDroppable(text, windowOf(last - 1, last))) last -= 1;
  return windowOf(first, last);
}
function isDroppable(text, { from, to }) {
  return to < text.length && (isHeadingAt(text, from) || text.slice(from, to).trim() === "");
}
function fits2(text, { from, to }, size) {
  if (to - from <= size) return true;
  return to - from <= 4 * size && text.slice(from, to).replace(/\s+/g, " ").trim().length <= size;
}
function cutAround(text, { from, to }, place, size) {
  const kept = place.to - from <= size ? { from, to: place.to } : { from: place.from, to: to - place.from <= size ? to : place.to };
  const window = windowAround(text.slice(from, to), kept.from - from, kept.to - from, size);
  return { from: from + window.from, to: from + window.to };
}
var POSSIBLE_END = /[.!?…。！？｡]["')\]*_”’»」』）】]*|\r\n?|\n/g;
var ITEM_NUMBER = /(?:^|[\r\n])[ \t>]*\d{1,9}\.$/;
var ITEM_HEAD = 24;
function sentenceCuts(text, from, to) {
  const cuts = from === 0 ? [0] : [];
  for (const { index, 0: found } of text.slice(from, to).matchAll(POSSIBLE_END)) {
    const at = from + index + found.length;
    const isLineEnd2 = found.startsWith("\n") || found.startsWith("\r");
    if (at < text.length && (isLineEnd2 ? startsBlock(text, at) : endsRealSentence(text, at))) cuts.push(at);
  }
  if (to === text.length && cuts.at(-1) !== to) cuts.push(to);
  return cuts;
}
function endsRealSentence(text, at) {
  return endsSentence(text, at) && !ITEM_NUMBER.test(text.slice(Math.max(0, at - ITEM_HEAD), at));
}
function bestWindow(matches, weightOf2, size) {
  const within = createTally();
  const nearest = createTally();
  let [first, near] = [0, 0];
  let best;
  for (const [index, { term, to }] of matches.entries()) {
    within.add(term);
    nearest.add(term);
    for (; to - (matches[first]?.from ?? 0) > size && first < index; first += 1) within.drop(termAt(matches, first));
    for (; near < first || nearest.holdsTwice(termAt(matches, near)); near += 1) nearest.drop(termAt(matches, near));
    const weight = within.sum(weightOf2);
    const from = matches[nearest.size() > 1 ? near : first]?.from ?? 0;
    const end = nearest.size() > 1 ? to : matches[first]?.to ?? to;
    const rated = { from, to: end, weight, span: end - from, held: index - first + 1 };
    if (best === void 0 || isBetter(rated, best)) best = rated;
  }
  return best;
}
var termAt = (matches, at) => matches[at]?.term ?? 0;
function isBetter(one, other) {
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.span === other.span ? one.held > other.held : one.span < other.span;
}
function createTally() {
  const counts2 = /* @__PURE__ */ new Map();
  return {
    add: (term) => void counts2.set(term, (counts2.get(term) ?? 0) + 1),
    drop: (term) => {
      const left = (counts2.get(term) ?? 0) - 1;
      if (left > 0) counts2.set(term, left);
      else counts2.delete(term);
    },
    holdsTwice: (term) => (counts2.get(term) ?? 0) > 1,
    size: () => counts2.size,
    sum: (weightOf2) => {
      let sum = 0;
      for (const term of counts2.keys()) sum += weightOf2(term);
      return sum;
    }
  };
}

// src/markdown/excerpt/snippet.ts
function snippetOf(source, terms, maxChars) {
  if (source.isPaged === true) return onBestPage(source, terms, maxChars);
  return passageOf(source, terms, maxChars) ?? bestExcerpt(source, terms, maxChars);
}
function onBestPage({ title, text: written }, terms, maxChars) {
  const text = written.normalize("NFC");
  const findings2 = findTerms(text, terms);
  const best = bestPage(text, findings2, weightsOf(terms));
  const excerpt = excerptAround(text.slice(best.from, best.to), terms, maxChars);
  const missing2 = terms.length > 1 ? missingTerms(title, terms, findings2) : [];
  return {
    lines: [excerpt.from + best.line - 1, excerpt.to + best.line - 1],
    snippet: excerpt.snippet,
    ...missing2.length > 0 && { missing: missing2 },
    page: best.page
  };
}
function bestPage(text, findings2, weightOf2) {
  const pages = pagesOf(text);
  const weights = new Float64Array(pages.length);
  const counted = /* @__PURE__ */ new Set();
  let at = 0;
  for (const { from, term } of findings2) {
    while (from >= (pages[at + 1]?.from ?? Number.POSITIVE_INFINITY)) at += 1;
    if (counted.has(`${at} ${term}`)) continue;
    counted.add(`${at} ${term}`);
    weights[at] = (weights[at] ?? 0) + weightOf2(term);
  }
  return pages[weights.indexOf(Math.max(...weights))];
}
function passageOf({ text, lines }, terms, maxChars) {
  if (lines === void 0 || lines[1] > lineCountOf(text)) return void 0;
  const passage = textOfLines(text, { line: lines[0], endLine: lines[1] });
  return passage.trim() === "" ? void 0 : { lines, snippet: excerptAround(passage, terms, maxChars).snippet };
}
function bestExcerpt({ title, text: written }, terms, maxChars) {
  const text = written.normalize("NFC");
  const lines = splitLines(text);
  const { bodyOffset } = bodyStart(text, lines);
  const start = text.slice(bodyOffset).trim() === "" ? 0 : bodyOffset;
  const findings2 = findTerms(text, terms);
  const inBody = findings2.filter(({ from: from2 }) => from2 >= start);
  const { snippet, from, to } = excerptOf({ text, lines, start }, inBody, weightsOf(terms), maxChars);
  const missing2 = terms.length > 1 ? missingTerms(title, terms, findings2) : [];
  return { lines: [from, to], snippet, ...missing2.length === 0 ? {} : { missing: missing2 } };
}
function missingTerms(title, terms, inText) {
  const found = new Set([...inText, ...findTerms(title.normalize("NFC"), terms)].map(({ term }) => term));
  return terms.filter((_, index) => !found.has(index)).map((term) => term.text);
}

// src/compute/show-texts.ts
var SMALL_SNIPPETS = 2e5;
var SMALL_PASSAGES = 4e4;
function pickSnippets({ hits, terms, maxChars }) {
  return hits.map((hit) => snippetOf(hit, terms, maxChars));
}
function areSmallSnippets({ hits }) {
  return hits.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_SNIPPETS;
}
function pickPassages(texts) {
  return texts.map(ratedSpans);
}
function areSmallPassages(texts) {
  return texts.reduce((sum, { text }) => sum + text.length, 0) <= SMALL_PASSAGES;
}

// src/markdown/chunk/best-chunk.ts
function bestChunks({ notes, terms }) {
  return notes.map(({ title, text }) => {
    const rated = chunkNote(title, text, chunkTokensFor(Number.POSITIVE_INFINITY)).map(({ lines, text: chunk }) => {
      const found = findTerms(chunk.normalize("NFC"), terms);
      return { lines, words: new Set(found.map(({ term }) => term)).size };
    });
    const [best] = rated.toSorted((one, other) => other.words - one.words);
    return best?.lines;
  });
}

// src/markdown/chunk/prompt-sections.ts
var BETWEEN_CHUNKS = "\n\n";
function promptSections(part) {
  const { text, to, limit } = part;
  const groups = firstGroups(part);
  const { starts } = splitLines(text);
  return groups.slice(0, limit).map((group, at) => {
    const next = groups[at + 1]?.[0]?.lines[0];
    const end = next === void 0 ? to : Math.min(starts[next - 1] ?? to, to);
    return { text: joined(group), end };
  });
}
var TOKEN_LENGTH = 4;
function firstGroups(part) {
  const { from, to, maxTokens, limit } = part;
  for (let length = Math.max(1, maxTokens) * TOKEN_LENGTH * (limit + 2); from + length < to; length *= 2) {
    const groups = groupsOf({ ...part, to: from + length });
    if (groups.length > limit + 1) return groups;
  }
  return groupsOf(part);
}
function groupsOf(part) {
  const { maxTokens } = part;
  const groups = [];
  let size = Number.POSITIVE_INFINITY;
  for (const chunk of chunksOf(part)) {
    const { tokens } = sizeOf(chunk.text + BETWEEN_CHUNKS);
    if (size + tokens > maxTokens) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(chunk);
    size += tokens;
  }
  return groups;
}
function joined(chunks) {
  const texts = chunks.map(({ text }, at) => {
    const path = pathOf(text);
    return at > 0 && path === pathOf(chunks[at - 1]?.text ?? "") ? text.slice(path.length).trimStart() : text;
  });
  return texts.join(BETWEEN_CHUNKS);
}
var pathOf = (text) => text.slice(0, Math.max(0, text.indexOf(BETWEEN_CHUNKS)));
function chunksOf({ title, text, from, to, firstLine: firstLine2, maxTokens }) {
  const cut = chunkNote(title, `
${text.slice(from, to)}`, chunkTokensFor(maxTokens));
  const before = firstLine2 - 2;
  return cut.map((chunk) => ({ ...chunk, lines: [chunk.lines[0] + before, chunk.lines[1] + before] }));
}

// src/markdown/edit/lost-parts.ts
function lostParts(before, after, subpaths) {
  const [old, now] = [viewForEdits("", before), viewForEdits("", after)];
  const has = ({ note, lines }, subpath) => resolveSubpath(subpath, note, lines.starts.length) !== null;
  return subpaths.flatMap((subpath, at) => has(old, subpath) && !has(now, subpath) ? [at] : []);
}

// src/markdown/edit/comparison.ts
function compareEdit(before, sorted) {
  const splices = placed(sorted);
  return {
    before,
    after: viewForEdits(before.path, applySplices(before.text, sorted)),
    splices,
    moved: offsetMapper(sorted),
    touchingOld: (from, to) => stretch(
      splices,
      (splice) => splice.to < from,
      (splice) => splice.from <= to
    ),
    touchingNew: (from, to) => stretch(
      splices,
      (splice) => splice.newTo < from,
      (splice) => splice.newFrom <= to
    )
  };
}
function placed(sorted) {
  let shift = 0;
  return sorted.map((splice) => {
    const newFrom = splice.from + shift;
    shift += splice.text.length - (splice.to - splice.from);
    return { ...splice, newFrom, newTo: newFrom + splice.text.length };
  });
}
function stretch(sorted, isBefore, reaches) {
  const first = partitionPoint(sorted.length, (index) => isBefore(sorted[index]));
  const found = [];
  for (let at = first; at < sorted.length && reaches(sorted[at]); at += 1) found.push(sorted[at]);
  return found;
}
function isReplaced({ touchingOld }, from, to) {
  return touchingOld(from, to).some((splice) => splice.from < to && splice.to > from);
}
function isInserted({ touchingNew }, from, to) {
  return touchingNew(from, to).some((splice) => splice.newFrom <= from && to <= splice.newTo && splice.text !== "");
}

// src/markdown/edit/check.ts
function unintendedChange(before, sorted) {
  const comparison = compareEdit(before, sorted);
  return frontMatterChange(comparison) ?? headingChange(comparison) ?? blockChange(comparison) ?? linkChange(comparison);
}
function frontMatterChange({ before, after, splices }) {
  const { bodyOffset, propertiesFault } = before.note;
  const inside = splices.filter(({ from, to }) => from < bodyOffset && to <= bodyOffset);
  const shift = inside.reduce((sum, { from, to, text }) => sum + text.length - (to - from), 0);
  const ended = bodyOffset === before.text.length && isUnended(before) ? lineEndAt(after.text, bodyOffset + shift) : 0;
  if (after.note.bodyOffset !== (bodyOffset === 0 ? 0 : bodyOffset + shift + ended))
    return bodyOffset === 0 ? "the note would begin with front matter" : "the front matter would not end where it does";
  const fault = after.note.propertiesFault;
  if (fault === void 0 || propertiesFault !== void 0) return void 0;
  return `line ${fault.line}, column ${fault.column} of the front matter would not be valid YAML: ${fault.reason}`;
}
function lineEndAt(text, offset) {
  return /^(?:\r\n?|\n)?/.exec(text.slice(offset, offset + 2))?.[0].length ?? 0;
}
function blockChange(comparison) {
  const { before, after, splices } = comparison;
  const kept = /* @__PURE__ */ new Map();
  for (const { id } of after.note.blocks) kept.set(id, (kept.get(id) ?? 0) + 1);
  const nameless = splices.find(({ keepsId }) => keepsId !== void 0 && !kept.has(keepsId))?.keepsId;
  if (nameless !== void 0)
    return `^${nameless} would no longer name anything; add it to the text, \` ^${nameless}\` at its end`;
  const lost = before.note.blocks.find((block) => {
    if (isBlockReplaced(comparison, block)) return false;
    const count = kept.get(block.id) ?? 0;
    kept.set(block.id, count - 1);
    return count < 1;
  });
  return lost && `the block ^${lost.id} on line ${lost.line} would lose its id`;
}
function isBlockReplaced({ before, touchingOld }, { id, line, endLine }) {
  const from = before.lines.starts[line - 1] ?? 0;
  const to = before.lines.ends[endLine - 1] ?? 0;
  return touchingOld(from, to).some((splice) => {
    const isOver = splice.from < splice.to && splice.from < to && splice.to > from;
    return isOver && (!splice.literal || before.text.slice(splice.from, splice.to).includes(`^${id}`));
  });
}
function linkChange(comparison) {
  const { before, after, splices } = comparison;
  if (splices.some(({ literal }) => literal)) return void 0;
  const expected = /* @__PURE__ */ new Map();
  for (const link of before.note.links) {
    const offset = isReplaced(comparison, link.offset, link.end) ? void 0 : comparison.moved(link.offset);
    if (offset !== void 0 && link.kind !== "reference") expected.set(offset, link);
  }
  const found = /* @__PURE__ */ new Set();
  for (const link of after.note.links) {
    found.add(link.offset);
    if (link.kind === "reference" || isInserted(comparison, link.offset, link.end)) continue;
    if (expected.get(link.offset)?.link !== link.link) return `line ${link.line} would become a link: ${link.link}`;
  }
  const lost = [...expected].find(([offset]) => !found.has(offset))?.[1];
  return lost && `the link on line ${lost.line} would be lost: ${lost.link}`;
}
function headingChange(comparison) {
  const { before, after, moved } = comparison;
  const expected = /* @__PURE__ */ new Map();
  const marks = /* @__PURE__ */ new Set();
  for (const heading of before.note.headings) {
    const offset = moved(heading.offset);
    if (isEdited(comparison, heading)) for (const mark of marksOf(comparison, heading)) marks.add(mark);
    else if (offset !== void 0) expected.set(offset, heading);
  }
  for (const heading of after.note.headings) {
    if (isSame(expected.get(heading.offset), heading)) expected.delete(heading.offset);
    else if (!isIntended(comparison, heading, marks)) return accidentalHeading(heading);
  }
  const [lost] = expected.values();
  return lost === void 0 ? misreadHeadings(comparison) : `the heading on line ${lost.line} would be lost`;
}
function isSame(expected, { level, text }) {
  return expected?.level === level && expected.text === text;
}
function accidentalHeading({ line, text }) {
  return `${JSON.stringify(text)} would become a heading by accident (line ${line} of the edited note)`;
}
function spanOf2(view, heading) {
  const { first, last } = headingLines(view, heading);
  return { from: view.lines.starts[first] ?? 0, to: view.lines.ends[last] ?? view.text.length };
}
function isEdited({ before, touchingOld }, heading) {
  const { from, to } = spanOf2(before, heading);
  return touchingOld(from, to).some((splice) => {
    if (splice.from < to && splice.to > from) return true;
    return splice.to === from ? !endsLine(before.text, splice) : !beginsLine(before.text, splice);
  });
}
function endsLine(text, { from, text: inserted }) {
  return inserted === "" ? from === 0 || /[\r\n]/.test(text.charAt(from - 1)) : /[\r\n]$/.test(inserted);
}
function beginsLine(text, { to, text: inserted }) {
  return inserted === "" ? to === text.length || /[\r\n]/.test(text.charAt(to)) : /^[\r\n]/.test(inserted);
}
function marksOf({ before, moved }, heading) {
  const { first, last } = headingLines(before, heading);
  const starts = [.../* @__PURE__ */ new Set([first, last])].map((line) => moved(before.lines.starts[line] ?? 0));
  return starts.filter((start) => start !== void 0);
}
function isIntended(comparison, heading, marks) {
  const { lines } = comparison.after;
  const { first, last } = headingLines(comparison.after, heading);
  for (let line = first; line <= last; line += 1) {
    const [from, to] = [lines.starts[line] ?? 0, lines.ends[line] ?? 0];
    if (!marks.has(from) && !isInserted(comparison, from, to) && !isLiteralEdit(comparison, from, to)) return false;
  }
  return true;
}
function isLiteralEdit({ before, touchingNew }, from, to) {
  return touchingNew(from, to).some(({ literal, newFrom, newTo, from: oldFrom, to: oldTo }) => {
    if (!literal) return false;
    const removed = before.text.slice(oldFrom, oldTo);
    return newFrom === newTo ? removed.trim() !== "" : newFrom < to && newTo > from;
  });
}
function misreadHeadings({ splices, after }) {
  for (const { literal, text, newFrom, newTo } of splices) {
    if (literal || text === "") continue;
    const found = after.note.headings.filter(({ offset }) => offset >= newFrom && offset < newTo);
    const alone = parseNote(`
${text}`).headings;
    if (found.length !== alone.length || found.some((heading, index) => !isSame(alone[index], heading)))
      return "the text would have other headings in the note than on its own";
  }
  return void 0;
}

// src/markdown/edit/block.ts
var MAX_GAP = 4;
var BOX = /^\[.\][ \t]+/;
function blockLayout(view, block) {
  const idLine = lineOfId(view, block);
  const opening = openingOf(view, block.line - 1);
  if (idLine === void 0) return { ...opening, last: block.endLine - 1, idOnOwnLine: false };
  const { prefix } = openingOf(view, idLine);
  const from = (view.lines.starts[block.line - 1] ?? 0) + prefix.length;
  const inMark = !startsWithPrefix(view, block, prefix);
  return { prefix, mark: "", markFrom: from, contentFrom: from, inMark, last: idLine, idOnOwnLine: true };
}
function startsWithPrefix({ text, lines }, block, prefix) {
  return text.startsWith(prefix, lines.starts[block.line - 1]);
}
function lineOfId(view, { id, endLine }) {
  let index = endLine;
  while (index < view.lines.starts.length && isBlankLine(view, index)) index += 1;
  if (idIn(view, endLine - 1)?.id === id) return void 0;
  const below = idIn(view, index);
  return below?.alone === true && below.id === id ? index : void 0;
}
function idIn(view, index) {
  const { text, lines } = view;
  const from = lines.starts[index];
  const to = lines.ends[index];
  if (from === void 0 || to === void 0) return void 0;
  const quoted = /^[ \t>]*/.exec(text.slice(from, to))?.[0].length ?? 0;
  return blockIdAt(text, from + quoted, to);
}
function openingOf({ text, lines }, index) {
  const to = lines.ends[index] ?? text.length;
  let at = lines.starts[index] ?? text.length;
  let prefix = "";
  let mark = "";
  let inMark = false;
  for (; ; ) {
    const next = skipBlanks(text, at, to);
    const item = isRule(text, next, to) ? void 0 : listMarkAt(text, next, to);
    if (item === void 0 && text.charAt(next) !== ">") return lastOpening(text, at, to, { prefix, mark, inMark });
    inMark ||= mark !== "";
    prefix += blanksFor(mark) + text.slice(at, next);
    mark = item === void 0 ? "" : text.slice(next, gapEnd(text, next + item.length, to));
    at = next + (item === void 0 ? 1 : mark.length);
    if (item === void 0) prefix += ">";
  }
}
function lastOpening(text, at, to, read) {
  if (read.mark === "") {
    const from = skipBlanks(text, at, to);
    return { ...read, prefix: read.prefix + text.slice(at, from), markFrom: from, contentFrom: from };
  }
  return { ...read, markFrom: at - read.mark.length, contentFrom: at + boxLength(text.slice(at, to)) };
}
function boxLength(text) {
  return BOX.exec(text)?.[0].length ?? 0;
}
function gapEnd(text, from, to) {
  const end = skipBlanks(text, from, to);
  return end - from > MAX_GAP ? from + 1 : end;
}
function blanksFor(mark) {
  return Array.from(mark, (sign) => isBlank(sign.charCodeAt(0)) ? sign : " ").join("");
}

// src/markdown/edit/insertion-point.ts
function nextTextLine(view, index) {
  let next = index;
  while (next < view.lines.starts.length && isBlankLine(view, next)) next += 1;
  return next;
}
function lineAfterText(view, index, least) {
  let end = index;
  while (end > least && isBlankLine(view, end - 1)) end -= 1;
  return end;
}
function atStart(view) {
  return { index: nextTextLine(view, view.bodyLine), prefix: "" };
}
function atEnd(view, at) {
  refuseUnclosedEnd(view, at);
  return { index: view.lines.starts.length, prefix: "" };
}
function belowHeading(view, { last }) {
  return { index: nextTextLine(view, last + 1), prefix: "" };
}
function endOfOwnText(view, { heading, last }, at) {
  const next = view.note.headings.find(({ line }) => line > heading.line);
  if (next === void 0) refuseUnclosedEnd(view, at);
  const end = next === void 0 ? view.lines.starts.length : next.line - 1;
  return { index: lineAfterText(view, end, last + 1), prefix: "" };
}
function besideTarget(view, target, side, at) {
  if (target.kind === "heading")
    return side === "before" ? { index: target.first, prefix: "" } : belowHeading(view, target);
  const { prefix, inMark, last } = blockLayout(view, target.block);
  if (inMark) throw editRefusal("edit_note", at, "the block is on one line with the mark of another list item");
  return { index: side === "before" ? target.first : last + 1, prefix };
}
var PROBE = "\n\n# end";
function isClosed(text) {
  const last = parseNote(text + PROBE).headings.at(-1);
  return last?.offset === text.length + PROBE.lastIndexOf("#");
}
function refuseUnclosedEnd({ text }, at) {
  if (isClosed(text)) return;
  const rule = "the note ends inside code, math, HTML or a comment that is not closed; close it first with replace_text";
  throw editRefusal("edit_note", at, rule);
}
function refuseUnclosedText(text, at) {
  if (isClosed(`
${text}`)) return;
  throw editRefusal("edit_note", at, "it opens code, math, HTML or a comment and does not close it");
}
function insertAt(view, place, texts) {
  const parts = texts.map((text2) => indented(withoutBlankEdges(text2), place.prefix));
  const blank = `${place.prefix.trimEnd()}
`;
  const inner = parts.reduce((above, below) => `${above}
${isOneList(above, below) ? "" : blank}${below}`);
  const neighbours = { above: neighbourAbove(view, place.index), below: neighbourBelow(view, place.index) };
  const head = needsBlankAbove(view, place, neighbours, inner) ? blank : "";
  const tail = needsBlankBelow(view, neighbours, inner) ? blank : "";
  const at = view.lines.starts[place.index] ?? view.text.length;
  const unended = at === view.text.length && isUnended(view);
  const text = unended ? `
${head}${inner}` : `${head}${inner}
${tail}`;
  return { from: at, to: at, text: withLineEnd(text, view.lineEnd) };
}
function indented(text, prefix) {
  if (prefix === "") return text;
  const lines = text.split(/\r\n?|\n/);
  return lines.map((line) => line === "" ? prefix.trimEnd() : prefix + line).join("\n");
}
function neighbourAbove(view, index) {
  const above = lineAfterText(view, index, view.bodyLine) - 1;
  return above < view.bodyLine ? void 0 : { index: above, gap: index - 1 - above };
}
function neighbourBelow(view, index) {
  const below = nextTextLine(view, index);
  return below === view.lines.starts.length ? void 0 : { index: below, gap: below - index };
}
function needsBlankAbove(view, { index }, { above, below }, text) {
  if (above === void 0) return index === 0 && text.startsWith("---");
  if (above.gap > 0) return false;
  if (isHeading(view, above.index)) return below === void 0 ? leavesBlankBelowHeadings(view) : false;
  if (isFurtherRow(text) && isTableRow(above.index, (row) => lineAt(view, row))) return false;
  return !isOneList(itemAbove(view, above.index), text);
}
function needsBlankBelow(view, { above, below }, text) {
  if (below === void 0 || below.gap > 0) return false;
  const heading = view.note.headings.find(({ line }) => line === below.index + 1);
  if (heading === void 0) return !isOneList(text, lineAt(view, below.index));
  const { first, last } = headingLines(view, heading);
  return first !== last || above === void 0 || above.gap > 0;
}
function isOneList(above, below) {
  const [first = ""] = below.split(/[\r\n]/, 1);
  return continuesList(above.slice(Math.max(above.lastIndexOf("\n"), above.lastIndexOf("\r")) + 1), first);
}
function itemAbove(view, index) {
  let above = index;
  while (above > view.bodyLine && /^[ \t]+(?![ \t\-+*\d])/.test(lineAt(view, above)) && !isBlankLine(view, above))
    above -= 1;
  return lineAt(view, above);
}
function isHeading(view, index) {
  return view.note.headings.some((heading) => headingLines(view, heading).last === index);
}
function leavesBlankBelowHeadings(view) {
  let close = 0;
  let apart = 0;
  for (const heading of view.note.headings) {
    const below = headingLines(view, heading).last + 1;
    if (below >= view.lines.starts.length) continue;
    if (isBlankLine(view, below)) apart += 1;
    else close += 1;
  }
  return apart >= close;
}
var QUOTES = /^[ \t]*(?:>[ \t]*)*/;
function readLine(line) {
  const marks = QUOTES.exec(line)?.[0] ?? "";
  return { quotes: marks.split(">").length, text: line.slice(marks.length) };
}
function signOf({ text }) {
  return isRule(text, 0, text.length) ? void 0 : listMarkAt(text, 0, text.length)?.sign;
}
function continuesList(above, below) {
  const [upper, lower] = [readLine(above), readLine(below)];
  const sign = signOf(lower);
  return sign !== void 0 && sign === signOf(upper) && upper.quotes === lower.quotes;
}
var ROW = /^[ \t]*\|/;
function isFurtherRow(below) {
  const [first = "", second = ""] = below.split(/\r\n?|\n/, 2).map((line) => line.trim());
  return ROW.test(first) && !isDashRow(second, 0, second.length);
}
function isTableRow(index, lineAt2) {
  let above = index;
  while (above >= 0 && ROW.test(lineAt2(above))) {
    const line = lineAt2(above).trim();
    if (isDashRow(line, 0, line.length)) return above > 0 && ROW.test(lineAt2(above - 1));
    above -= 1;
  }
  return false;
}

// src/markdown/edit/section.ts
function replaceSection(view, target, text, at) {
  const body = withoutBlankEdges(text);
  if (target.kind === "block") return replaceBlock(view, target, body, at);
  if (repeatsHeading(body, target))
    throw editRefusal("edit_note", at, "it begins with the heading itself, which stays: leave that line out");
  return { ...replaceBelow(view, target, body), literal: false };
}
function replaceBelow(view, target, body) {
  const { starts, ends } = view.lines;
  const first = nextTextLine(view, target.last + 1);
  const end = lineAfterText(view, target.sectionEnd + 1, target.last + 1);
  if (first >= end) {
    if (body !== "") return insertAt(view, belowHeading(view, target), [body]);
    return { from: view.text.length, to: view.text.length, text: "" };
  }
  if (body === "") return removeLines(view, isBlankLine(view, end) ? target.last + 1 : first, end);
  return { from: starts[first] ?? 0, to: ends[end - 1] ?? 0, text: withLineEnd(body, view.lineEnd) };
}
function removeLines(view, first, end) {
  const { starts, ends } = view.lines;
  if (end < starts.length || !isUnended(view))
    return { from: starts[first] ?? 0, to: starts[end] ?? view.text.length, text: "" };
  return { from: ends[first - 1] ?? 0, to: view.text.length, text: "" };
}
function repeatsHeading(body, { heading }) {
  const [line = ""] = body.split(/[\r\n]/, 1);
  const mark = line.startsWith("#") ? headingAt(line, 0, line.length) : void 0;
  return mark?.level === heading.level && line.slice(mark.from, mark.to) === heading.text;
}
function replaceBlock(view, { block, first }, body, at) {
  const layout = blockLayout(view, block);
  if (layout.inMark) throw editRefusal("edit_note", at, "the block is on one line with the mark of another list item");
  if (body === "") return { ...removeLines(view, first, layout.last + 1), literal: false };
  const { from, text, last } = layout.idOnOwnLine ? aboveItsId(layout, block, body) : withItsId(layout, block, body);
  const to = view.lines.ends[last] ?? view.text.length;
  return { from, to, text: withLineEnd(text, view.lineEnd), literal: false, keepsId: block.id };
}
function aboveItsId({ prefix, markFrom, last }, { id, endLine }, body) {
  const isNamedBelow = /^[ \t]*[>|]/.test(body) || bringsMark(body);
  if (isNamedBelow) return { from: markFrom, text: hung(body, prefix), last: endLine - 1 };
  return { from: markFrom, text: hung(withBlockId(body, id), prefix), last };
}
function withItsId({ prefix, mark, markFrom, contentFrom }, { id, endLine }, body) {
  const text = withBlockId(body, id);
  const last = endLine - 1;
  if (mark === "" || bringsMark(body)) return { from: markFrom, text: hung(text, prefix), last };
  const from = boxLength(body) > 0 ? markFrom + mark.length : contentFrom;
  return { from, text: hung(text, prefix + blanksFor(mark)), last };
}
function bringsMark(body) {
  const [line = ""] = body.split(/[\r\n]/, 1);
  return listMarkAt(line, 0, line.length) !== void 0;
}
function hung(text, prefix) {
  return indented(text, prefix).slice(prefix.length);
}
var STANDS_ALONE = /^[ \t]*[>|]/;
var ENDS_PARAGRAPH = /^[ \t]*(?:#{1,6}[ \t]|`{3}|~{3}|[>|]|$)/;
function withBlockId(text, id) {
  const lines = text.split(/\r\n?|\n/);
  if (lines.some((line) => blockIdAt(line, 0, line.length)?.id === id)) return text;
  if (STANDS_ALONE.test(text)) return `${text}

^${id}`;
  const end = lines.findIndex((line, index) => index > 0 && (ENDS_PARAGRAPH.test(line) || isItem(line)));
  const last = end === -1 ? lines.length - 1 : end - 1;
  return lines.map((line, index) => index === last ? `${line.trimEnd()} ^${id}` : line).join("\n");
}
function isItem(line) {
  const from = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  return listMarkAt(line, from, line.length) !== void 0;
}

// src/markdown/edit/task.ts
var MARKS3 = { open: " ", done: "x", cancelled: "-" };
var WRITTEN = {
  done: { emoji: "\u2705", dataview: "completion", pattern: dayPattern("\u2705", "completion") },
  cancelled: { emoji: "\u274C", dataview: "cancelled", pattern: dayPattern("\u274C", "cancelled") }
};
function dayPattern(emoji, field) {
  const day = String.raw`[ \t]*\d{4}-\d{2}-\d{2}(?!\d)`;
  return new RegExp(
    String.raw`[ \t]*(?:${emoji}\uFE0F?${day}|\[${field}[ \t]*::${day}[ \t]*\]|\(${field}[ \t]*::${day}[ \t]*\))`,
    "giu"
  );
}
function setTask(view, edit, at, dates) {
  const mark = markOf(edit.status, at);
  const task = taskAt(view, edit, at);
  const [before, after] = [taskStatus(task.mark), taskStatus(mark)];
  if (task.mark === mark || before === after && after !== "open") return [];
  if (after === "done") refuseRecurring(task, edit, at);
  const { markFrom, textFrom } = placesOf(view, task);
  const box = { from: markFrom, to: markFrom + task.mark.length, text: mark };
  return [box, ...removedDays(task, textFrom, before), ...addedDay(task, textFrom, after, dates)];
}
function markOf(status, at) {
  const mark = Object.hasOwn(MARKS3, status ?? "") ? MARKS3[status ?? ""] : status;
  const isMark = mark !== void 0 && !/\p{Cc}/u.test(mark) && checkboxAt(`[${mark}] x`, 0, mark.length + 4)?.mark === mark;
  if (isMark) return mark;
  throw editRefusal("edit_note", `${at}.status`, "set_task needs open, done, cancelled or one character such as `/`");
}
function refuseRecurring({ text }, { recurring }, at) {
  const { recurrence } = taskFields(text);
  if (recurrence === void 0 || recurring !== void 0) return;
  const rule = `the task recurs (${recurrence}): its next occurrence would be missing, which only the Tasks plugin creates; pass recurring: tick_only to complete this occurrence without it, and add the next one yourself`;
  throw editRefusal("edit_note", `${at}.recurring`, rule);
}
function taskAt(view, { target, line }, at) {
  const { tasks } = view.note;
  if (target === void 0) {
    if (line === void 0) throw editRefusal("edit_note", `${at}.target`, "set_task needs a target or a line");
    const task = tasks.find((each) => each.line === line);
    if (task === void 0) throw editRefusal("edit_note", `${at}.line`, `line ${line} is not a task`);
    return task;
  }
  const name = { target, line, at };
  return /^#?\^/.test(target.trim()) ? taskOfBlock(view, name) : taskWithText(view, name);
}
function taskOfBlock(view, name) {
  const block = locateTarget(view, name);
  const task = view.note.tasks.find(({ line }) => line === block.first + 1);
  if (task === void 0) throw editRefusal("edit_note", `${name.at}.target`, `${name.target} is not a task`);
  return task;
}
var BULLET_AND_BOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[.{1,2}\][ \t]+/u;
function taskWithText(view, name) {
  const wanted = name.target.replace(BULLET_AND_BOX, "").trim();
  const same = view.note.tasks.filter(({ text }) => text === wanted);
  const found = same.length > 0 || wanted === "" ? same : view.note.tasks.filter(({ text }) => text.includes(wanted));
  const [task, ...others] = name.line === void 0 ? found : found.filter(({ line }) => line === name.line);
  if (task === void 0) throw missingText(view, name.target);
  if (others.length === 0) return task;
  const lines = [task, ...others].map(({ line }) => line);
  throw ambiguousTarget(view, name, lines);
}
function placesOf(view, { line, text, mark }) {
  const written = lineAt(view, line - 1);
  const textAt = written.lastIndexOf(text);
  const markAt = written.lastIndexOf(`[${mark}]`, textAt - 1) + 1;
  const start = view.lines.starts[line - 1] ?? 0;
  return { markFrom: start + markAt, textFrom: start + textAt };
}
function removedDays({ text }, textFrom, before) {
  if (before === "open") return [];
  const { pattern } = WRITTEN[before === "done" ? "done" : "cancelled"];
  return [...text.matchAll(pattern)].map(({ index, 0: written }) => {
    return { from: textFrom + index, to: textFrom + index + written.length, text: "" };
  });
}
function addedDay({ text }, textFrom, after, dates) {
  if (dates === void 0 || after === "open" || !text.includes(dates.filter)) return [];
  const kind = after === "done" ? "done" : "cancelled";
  if (!dates[kind] || taskFields(text)[kind] !== void 0) return [];
  const { emoji, dataview } = WRITTEN[kind];
  const day = dates.format === "emoji" ? ` ${emoji} ${dates.day}` : `  [${dataview}:: ${dates.day}]`;
  const id = blockIdAt(text, 0, text.length);
  const end = id === void 0 ? text.length : text.slice(0, text.length - id.id.length - 1).trimEnd().length;
  return [{ from: textFrom + end, to: textFrom + end, text: day }];
}

// src/markdown/edit/note.ts
function editNote(path, text, edits, taskDates) {
  const view = viewForEdits(path, text);
  const planned = edits.map((edit, index) => planEdit(view, edit, index, taskDates));
  const sorted = sortSplices([...planned.flatMap(({ splices = [] }) => splices), ...insertions(view, planned)]);
  refuseOverlap(sorted);
  const unintended = unintendedChange(view, sorted);
  if (unintended !== void 0) throw editRefusal("edit_note", "edits", unintended);
  return {
    text: applySplices(text, sorted),
    spans: sorted.map(({ from, to, text: inserted }) => ({ from, to, text: inserted }))
  };
}
function planEdit(view, edit, index, taskDates) {
  const at = `edits.${index}`;
  const { op, text = "" } = edit;
  if (op === "set_task") {
    if (edit.text !== void 0) throw editRefusal("edit_note", `${at}.text`, "set_task takes a status and no text");
    const splices = setTask(view, edit, at, taskDates).map((splice) => ({ ...splice, literal: true, edit: index }));
    return { edit: index, text, splices };
  }
  if (edit.text === void 0) throw editRefusal("edit_note", `${at}.text`, `is required for ${op}`);
  if (!text.isWellFormed()) throw editRefusal("edit_note", `${at}.text`, "it contains a lone surrogate");
  if (op === "replace_text") return { edit: index, text, splices: replaceText(view, { ...edit, text }, index) };
  refuseUnclosedText(text, `${at}.text`);
  const target = targetOf(view, edit, at);
  if (op === "replace_section") {
    const splice = replaceSection(view, target ?? missing(at, op), text, `${at}.text`);
    return { edit: index, text, splices: [{ ...splice, edit: index }] };
  }
  if (text.trim() === "") throw editRefusal("edit_note", `${at}.text`, "there is nothing to insert");
  return { edit: index, text, place: placeOf2(view, edit, target, at) };
}
function targetOf(view, { target, line }, at) {
  return target === void 0 ? void 0 : locateTarget(view, { target, line, at });
}
function missing(at, op) {
  throw editRefusal("edit_note", `${at}.target`, `${op} needs a target: \`#Heading\`, \`#Above#Below\` or \`#^block\``);
}
function placeOf2(view, { op }, target, at) {
  if (op === "insert_before") return besideTarget(view, target ?? missing(at, op), "before", `${at}.target`);
  if (op === "insert_after") return besideTarget(view, target ?? missing(at, op), "after", `${at}.target`);
  if (target === void 0) return op === "append" ? atEnd(view, at) : atStart(view);
  if (target.kind === "block")
    throw editRefusal("edit_note", `${at}.target`, `${op} takes a heading or nothing; use insert_after for a block`);
  return op === "append" ? endOfOwnText(view, target, at) : belowHeading(view, target);
}
function replaceText(view, { target, text, count = 1, line }, edit) {
  const at = `edits.${edit}`;
  if (target === void 0 || target === "")
    throw editRefusal("edit_note", `${at}.target`, "replace_text needs the text to be replaced");
  return locateText(view, { target, line, at }, count).map(({ from, to }) => {
    const inserted = withLineEndsOf(text, view.text.slice(from, to), view.lineEnd);
    return { from, to, text: inserted, literal: true, edit };
  });
}
function insertions(view, planned) {
  const placed2 = planned.flatMap(({ place, text, edit }) => place === void 0 ? [] : [{ place, text, edit }]);
  const byPlace = Map.groupBy(placed2, ({ place }) => `${place.index} ${place.prefix}`);
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    const texts = same.map(({ text }) => text);
    return first === void 0 ? [] : [{ ...insertAt(view, first.place, texts), literal: false, edit: first.edit }];
  });
}
function refuseOverlap(sorted) {
  const [one, other] = overlapIn(sorted) ?? [];
  if (one === void 0 || other === void 0) return;
  const [first, second] = [Math.min(one.edit, other.edit), Math.max(one.edit, other.edit)];
  throw editRefusal(
    "edit_note",
    `edits.${second}`,
    `it changes text that edits.${first} replaces; make one edit of both`
  );
}

// src/markdown/edit/properties.ts
var import_yaml3 = __toESM(require_dist(), 1);
import { isDeepStrictEqual as isDeepStrictEqual2 } from "node:util";

// src/markdown/edit/property-plan.ts
import { isDeepStrictEqual } from "node:util";
var MAX_DEPTH = 32;
function planProperties(properties, changes) {
  const planning = { properties, wanted: /* @__PURE__ */ new Map(), notices: [], claim: createNameClaims(properties) };
  for (const [name, value] of Object.entries(changes.set ?? {})) planSetting(planning, name, value);
  for (const name of changes.remove ?? []) planRemoval(planning, name);
  for (const [property, add = [], remove = []] of requestedNames(changes))
    if (add.length + remove.length > 0) planNames(planning, property, add, remove);
  return planning;
}
function createNameClaims(properties) {
  const spelled = createNameLookup(properties);
  const claimed = /* @__PURE__ */ new Set();
  return (name, at) => {
    const folded = name.toLowerCase();
    if (name.trim() === "") throw editRefusal("set_properties", at, "a property needs a name");
    if (claimed.has(folded)) throw editRefusal("set_properties", at, `${JSON.stringify(name)} is changed twice`);
    claimed.add(folded);
    return spelled(name);
  };
}
function planSetting({ properties, wanted, claim }, written, value) {
  const name = claim(written, `set.${written}`);
  refuseUnwritable(value, `set.${written}`, 0);
  if (!isDeepStrictEqual(ownValue(properties, name), value)) wanted.set(name, value);
}
function planRemoval({ properties, wanted, notices, claim }, written) {
  const name = claim(written, "remove");
  if (Object.hasOwn(properties, name)) wanted.set(name, void 0);
  else notices.push(`${JSON.stringify(written)} is not a property of this note.`);
}
function planNames({ properties, wanted, notices, claim }, property, add, remove) {
  const name = claim(property, `add_${property}`);
  const { value, notices: missing2 } = changeNames(property, ownValue(properties, name), add, remove);
  if (value !== void 0) wanted.set(name, value);
  notices.push(...missing2);
}
function requestedNames({ addTags, removeTags, addAliases, removeAliases }) {
  return [
    ["tags", addTags, removeTags],
    ["aliases", addAliases, removeAliases]
  ];
}
function ownValue(properties, name) {
  return Object.hasOwn(properties, name) ? properties[name] : void 0;
}
function createNameLookup(properties) {
  const folded = /* @__PURE__ */ new Map();
  for (const name of Object.keys(properties)) if (!folded.has(name.toLowerCase())) folded.set(name.toLowerCase(), name);
  return (name) => Object.hasOwn(properties, name) ? name : folded.get(name.toLowerCase()) ?? name;
}
function refuseUnwritable(value, at, depth) {
  if (depth > MAX_DEPTH) throw editRefusal("set_properties", at, `it is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === "string" && !value.isWellFormed())
    throw editRefusal("set_properties", at, "it contains a lone surrogate");
  if (typeof value !== "object" || value === null) return;
  for (const each of Object.values(value)) refuseUnwritable(each, at, depth + 1);
}
function changeNames(property, current, add, remove) {
  const old = listOf(property, current);
  const removed = new Set(remove.map((name) => keyOf(property, name)));
  const kept = old.filter((item) => !removed.has(keyOf(property, item)));
  const added = newNames(property, kept, add);
  const known2 = new Set(old.map((item) => keyOf(property, item)));
  const notices = remove.filter((name) => !known2.has(keyOf(property, name))).map((name) => `${property}: ${JSON.stringify(name)} is not there to be removed.`);
  const changed = kept.length < old.length || added.length > 0;
  return { value: changed ? [...kept, ...added] : void 0, notices };
}
function listOf(property, current) {
  if (Array.isArray(current)) return current;
  if (current === void 0 || current === null || current === "") return [];
  const isName = typeof current === "string" && (property === "tags" ? isTagName(withoutSign(current)) : !current.includes(","));
  if (isName) return [current];
  const rule = `the note's ${property} are ${JSON.stringify(current)}, which is not a list of ${property}; set them as a list first`;
  throw editRefusal("set_properties", `add_${property}`, rule);
}
function newNames(property, kept, add) {
  const present = new Set(kept.map((item) => keyOf(property, item)));
  return add.flatMap((written) => {
    const name = property === "tags" ? withoutSign(written.trim()) : written.trim();
    if (property === "tags" ? !isTagName(name) : name === "")
      throw editRefusal("set_properties", `add_${property}`, `${JSON.stringify(written)} cannot be one of ${property}`);
    const key = keyOf(property, name);
    if (present.has(key)) return [];
    present.add(key);
    return [name];
  });
}
function keyOf(property, item) {
  const text = typeof item === "string" ? item.trim() : JSON.stringify(item);
  return foldName(property === "tags" ? withoutSign(text) : text);
}
function withoutSign(tag) {
  return tag.replace(/^#/, "");
}

// src/markdown/edit/yaml-map.ts
var import_yaml2 = __toESM(require_dist(), 1);

// src/markdown/edit/yaml-source.ts
var import_yaml = __toESM(require_dist(), 1);
function readYamlSource(source, lineEnd2) {
  const tree = parseYaml(source.replace(/\r(?!\n)/g, "\n"));
  return { source, map: tree.fault === void 0 && (0, import_yaml.isMap)(tree.contents) ? tree.contents : null, lineEnd: lineEnd2 };
}
function findPair({ source, map }, name) {
  const items = map?.items ?? [];
  const wanted = name.toLowerCase();
  return items.find((pair) => nameOf(pair, source) === name) ?? items.find((pair) => nameOf(pair, source).toLowerCase() === wanted);
}
function nameOf({ key }, source) {
  if ((0, import_yaml.isScalar)(key)) return typeof key.value === "string" ? key.value : key.source ?? "";
  return source.slice(...rangeOf(key));
}
function placeOfPair({ source }, { key, value }) {
  const [keyFrom, keyTo] = rangeOf(key);
  const from = lineStart(source, keyFrom);
  if (!(0, import_yaml.isNode)(value))
    return { from, keyTo, colonTo: keyTo, valueFrom: keyTo, valueTo: keyTo, to: nextLine(source, keyTo) };
  const [valueFrom] = rangeOf(value);
  const valueTo = endOfNode(value);
  const colonTo = afterColon(source, keyTo, valueFrom);
  const ended = valueTo > colonTo && isLineEnd(source.charCodeAt(valueTo - 1));
  return { from, keyTo, colonTo, valueFrom, valueTo, to: ended ? valueTo : nextLine(source, valueTo) };
}
function endOfNode(node) {
  const last = (0, import_yaml.isCollection)(node) && !node.flow ? node.items.at(-1) : void 0;
  if (isPairOf(last)) return endOfNode((0, import_yaml.isNode)(last.value) ? last.value : last.key);
  return (0, import_yaml.isNode)(last) ? endOfNode(last) : rangeOf(node)[1];
}
function afterColon(source, keyTo, most) {
  let at = keyTo;
  while (at < most && source.charAt(at) !== ":") at = source.charAt(at) === "#" ? lineEnd(source, at) : at + 1;
  return Math.min(at + 1, most);
}
function nextLine(source, offset) {
  return Math.min(lineStartAfter(source, lineEnd(source, offset)), source.length);
}
function beginsLine2(source, offset) {
  const start = lineStart(source, offset);
  return skipBlanks(source, start, offset) === offset;
}
function sharedAnchor(map, pair) {
  const anchors = /* @__PURE__ */ new Map();
  for (const node of [pair.key, pair.value]) {
    visitNodes(node, (each) => isAnchored(each) && anchors.set(each.anchor, rangeOf(each)[0]));
  }
  if (anchors.size === 0) return void 0;
  let shared;
  for (const other of map.items) {
    if (other === pair) continue;
    for (const node of [other.key, other.value]) {
      visitNodes(node, (each) => {
        const offset = (0, import_yaml.isAlias)(each) ? anchors.get(each.source) : void 0;
        if ((0, import_yaml.isAlias)(each) && offset !== void 0) shared ??= { name: each.source, offset };
      });
    }
  }
  return shared;
}
function isAnchored(node) {
  return typeof node === "object" && node !== null && "anchor" in node && typeof node.anchor === "string";
}
function visitNodes(node, visit) {
  visit(node);
  if (!(0, import_yaml.isCollection)(node)) return;
  for (const item of node.items) {
    if ((0, import_yaml.isNode)(item)) visitNodes(item, visit);
    else if (isPairOf(item)) for (const each of [item.key, item.value]) visitNodes(each, visit);
  }
}
function isPairOf(item) {
  return typeof item === "object" && item !== null && "key" in item && "value" in item;
}

// src/markdown/edit/yaml-value.ts
var DEFAULT_STYLE = { indent: "  ", listIndent: "  ", quote: "none" };
function isList(value) {
  return Array.isArray(value);
}
function takesLines(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
function yamlInline(value, style) {
  if (typeof value === "string") return yamlText(value, style, true);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (isList(value)) return `[${value.map((item) => yamlInline(item, style)).join(", ")}]`;
  const entries = Object.entries(value).map(
    ([name, each]) => `${yamlText(name, style, true)}: ${yamlInline(each, style)}`
  );
  return `{${entries.join(", ")}}`;
}
function yamlAfterColon(value, style) {
  if (value === null || takesLines(value)) return "";
  return ` ${typeof value === "string" ? yamlText(value, style, false) : yamlInline(value, style)}`;
}
function yamlLines(value, style, pad) {
  if (!takesLines(value)) return [];
  if (isList(value)) return itemLines(value, style, pad + style.listIndent);
  return entryLines(value, style, pad + style.indent);
}
function entryLines(map, style, pad) {
  return Object.entries(map).flatMap(([name, value]) => yamlProperty(name, value, style, pad));
}
function yamlProperty(name, value, style, pad) {
  const line = `${pad}${yamlText(name, style, false)}:${yamlAfterColon(value, style)}`;
  return [line, ...yamlLines(value, style, pad)];
}
function itemLines(items, style, pad) {
  return items.flatMap((item) => yamlItem(item, style, `${pad}- `));
}
function yamlItem(item, style, lead) {
  const pad = " ".repeat(lead.length);
  if (!takesLines(item))
    return [lead + (typeof item === "string" ? yamlText(item, style, false) : yamlInline(item, style))];
  const [first = "", ...rest] = isList(item) ? itemLines(item, style, pad) : entryLines(item, style, pad);
  return [lead + first.slice(pad.length), ...rest];
}
function yamlText(text, { quote }, inBrackets) {
  if (quote === "single" && isPrintable(text)) return `'${text.replaceAll("'", "''")}'`;
  return quote !== "double" && isPlain(text, inBrackets) ? text : doubleQuoted(text);
}
function doubleQuoted(text) {
  return JSON.stringify(text).replace(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
function isPrintable(text) {
  return text.isWellFormed() && !/[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/.test(text);
}
var OPENING_SIGN = /^[-?:,[\]{}#&*!|>'"%@`=<~]|^\.\.\./;
var BREAKING_SIGN = /:(?:\s|$)|\s#|^\s|\s$/;
var BRACKET_SIGN = /[,[\]{}]|:/;
var OTHER_TYPE = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
var NUMBER = /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[\da-f_]+|\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|(?:\d[\d_]*(?:\.[\d_]*)?|\.[\d_]*)(?:e[-+]?\d+)?|\.?[\d_]*e[-+]?\d+|\.inf|\.nan)$/i;
function isPlain(text, inBrackets) {
  if (text === "" || !isPrintable(text) || OPENING_SIGN.test(text) || BREAKING_SIGN.test(text)) return false;
  return !OTHER_TYPE.test(text) && !NUMBER.test(text) && !(inBrackets && BRACKET_SIGN.test(text));
}

// src/markdown/edit/yaml-map.ts
function addPair(yaml, name, value) {
  const { source, map } = yaml;
  if (map?.flow) return addToBrackets(source, map, name, value);
  const start = map === null ? 0 : lineStart(source, rangeOf(map)[0]);
  const pad = map === null ? "" : source.slice(start, skipBlanks(source, start, source.length));
  const lines = yamlProperty(name, value, styleOf(yaml), pad).map((line) => line + yaml.lineEnd);
  const at = endOfProperties(source, map);
  return applySplices(source, [{ from: at, to: at, text: lines.join("") }]);
}
function endOfProperties(source, map) {
  const from = map === null ? 0 : rangeOf(map)[1];
  const mark = /^\.\.\.(?=[ \t\r\n]|$)/m.exec(source.slice(from));
  return mark === null ? source.length : from + mark.index;
}
function replaceValue(yaml, pair, value) {
  const { source, map } = yaml;
  const place = placeOfPair(yaml, pair);
  if (map?.flow) return applySplices(source, [bracketValue(source, map, pair, place, value)]);
  return applySplices(source, [lineValue(yaml, pair, place, value)]);
}
function lineValue(yaml, pair, place, value) {
  const { source } = yaml;
  const { colonTo, to } = place;
  const style = { ...styleOf(yaml), quote: typeof value === "string" ? quoteOf(source, pair) : "none" };
  const inBrackets = (0, import_yaml2.isCollection)(pair.value) && pair.value.flow === true && typeof value === "object" && value !== null;
  const inline = inBrackets ? ` ${yamlInline(value, style)}` : yamlAfterColon(value, style);
  const gap = inline === "" ? "" : gapBefore(source, place);
  const pad = source.slice(place.from, skipBlanks(source, place.from, source.length));
  const lines = inBrackets ? [] : yamlLines(value, style, pad);
  const colon = place.colonTo === place.keyTo ? ":" : "";
  const written = [colon + gap + inline.trimStart() + commentOf(source, pair, place), ...lines].join(yaml.lineEnd);
  return { from: colonTo, to, text: written + yaml.lineEnd };
}
function gapBefore(source, { colonTo, valueFrom, valueTo }) {
  const end = skipBlanks(source, colonTo, source.length);
  return valueFrom < valueTo && end > colonTo && end <= valueFrom ? source.slice(colonTo, end) : " ";
}
function commentOf(source, pair, { colonTo, valueFrom, valueTo }) {
  const lineTo = lineEnd(source, colonTo);
  const from = valueFrom > lineTo ? colonTo : valueTo;
  if ((0, import_yaml2.isScalar)(pair.value) && /^BLOCK_/.test(pair.value.type ?? "")) return "";
  const rest = source.slice(from, lineEnd(source, from));
  const mark = /(?:^|[ \t])#/.exec(rest);
  if (mark === null) return "";
  const blanks = /[ \t]*$/.exec(rest.slice(0, mark.index))?.[0] ?? "";
  const comment = rest.slice(mark.index);
  return comment.startsWith("#") ? ` ${comment}` : blanks + comment;
}
function quoteOf(source, { value }) {
  const first = (0, import_yaml2.isScalar)(value) ? source.charAt(rangeOf(value)[0]) : "";
  if (first === '"') return "double";
  return first === "'" ? "single" : "none";
}
function removePair(yaml, pair) {
  const { source, map } = yaml;
  if (map?.flow) return removeFromBrackets(source, map, pair);
  const { from, to } = placeOfPair(yaml, pair);
  return applySplices(source, [{ from, to, text: "" }]);
}
function styleOf({ source, map }) {
  const deeper = (pair) => columnAt(source, rangeOf(pair.value)[0]) - columnAt(source, rangeOf(pair.key)[0]);
  const nested = (map?.items ?? []).filter(({ value }) => (0, import_yaml2.isCollection)(value) && !value.flow && value.items.length > 0);
  const list = nested.find(({ value }) => (0, import_yaml2.isSeq)(value));
  const inner = nested.find(({ value }) => !(0, import_yaml2.isSeq)(value));
  const blanks = (pair, usual) => " ".repeat(deeper(pair) < 0 ? usual.length : deeper(pair));
  return {
    ...DEFAULT_STYLE,
    ...list && { listIndent: blanks(list, DEFAULT_STYLE.listIndent) },
    ...inner && { indent: blanks(inner, DEFAULT_STYLE.indent) }
  };
}
function columnAt(source, offset) {
  return offset - lineStart(source, offset);
}
function addToBrackets(source, map, name, value) {
  const entry = yamlInline({ [name]: value }, bracketStyle(source, map)).slice(1, -1);
  const last = map.items.at(-1);
  if (last === void 0) {
    const at2 = rangeOf(map)[0] + 1;
    return applySplices(source, [{ from: at2, to: at2, text: entry }]);
  }
  const [lastFrom] = rangeOf(last.key);
  const apart = beginsLine2(source, lastFrom) && lineStart(source, lastFrom) > rangeOf(map)[0];
  const parting = apart ? source.slice(lineEndBefore(source, lineStart(source, lastFrom)), lastFrom) : " ";
  const at = pairEnd(last);
  return applySplices(source, [{ from: at, to: at, text: `,${parting}${entry}` }]);
}
function bracketValue(source, map, { value: old }, place, value) {
  const written = yamlInline(value, bracketStyle(source, map));
  const { keyTo, colonTo, valueFrom, valueTo } = place;
  if (colonTo === keyTo) return { from: keyTo, to: keyTo, text: `: ${written}` };
  if ((0, import_yaml2.isScalar)(old) && valueFrom === valueTo) return { from: colonTo, to: valueTo, text: ` ${written}` };
  return { from: skipSpace(source, colonTo), to: valueTo, text: written };
}
function removeFromBrackets(source, { items }, pair) {
  const index = items.indexOf(pair);
  const [before, after] = [items[index - 1], items[index + 1]];
  const [from] = rangeOf(pair.key);
  const end = pairEnd(pair);
  if (before !== void 0) return applySplices(source, [{ from: pairEnd(before), to: end, text: "" }]);
  if (after !== void 0) return applySplices(source, [{ from, to: rangeOf(after.key)[0], text: "" }]);
  const comma = skipSpace(source, end);
  return applySplices(source, [{ from, to: source.charAt(comma) === "," ? comma + 1 : end, text: "" }]);
}
function pairEnd({ key, value }) {
  return Math.max(rangeOf(key)[1], rangeOf(value)[1]);
}
function bracketStyle(source, { items: [first] }) {
  const isJson = first !== void 0 && source.charAt(rangeOf(first.key)[0]) === '"';
  return { ...DEFAULT_STYLE, quote: isJson ? "double" : "none" };
}

// src/markdown/edit/properties.ts
function editProperties(path, text, changes) {
  const lines = splitLines(text);
  const { fault, properties, bodyLine } = readFrontMatter(text, lines);
  if (fault !== void 0) throw new VaultgraphError("PROPERTIES_INVALID", { path, ...fault });
  const { wanted, notices } = planProperties(properties, changes);
  if (wanted.size === 0) return { text, notices };
  const front = frontMatterOf(text, lines, bodyLine);
  const before = readYamlSource(front.source, front.lineEnd);
  refuseSharedAnchors(before, wanted, (reason, offset) => {
    const { line, column } = positionAt(lines, front.from + offset);
    return new VaultgraphError("PROPERTIES_INVALID", { path, line, column, reason });
  });
  const changed = withSource(text, front, changeSource(before, wanted, properties));
  refuseMisread(changed, text.slice(front.bodyFrom), properties, wanted);
  return { text: changed, notices };
}
function frontMatterOf(text, { starts, ends }, bodyLine) {
  const lineEnd2 = dominantLineEnd(text);
  if (bodyLine === 0) return { exists: false, source: "", from: 0, to: 0, bodyFrom: 0, lineEnd: lineEnd2 };
  const [from = 0, to = 0, bodyFrom = text.length] = [starts[1], starts[bodyLine - 1], starts[bodyLine]];
  return { exists: true, source: text.slice(from, to), from, to, bodyFrom, lineEnd: text.slice(ends[0], from) };
}
function refuseSharedAnchors(yaml, wanted, refusal2) {
  for (const name of wanted.keys()) {
    const pair = findPair(yaml, name);
    const shared = yaml.map === null || pair === void 0 ? void 0 : sharedAnchor(yaml.map, pair);
    if (shared !== void 0)
      throw refusal2(`another property refers to the anchor &${shared.name} of ${JSON.stringify(name)}`, shared.offset);
  }
}
function changeSource(before, wanted, properties) {
  let yaml = before;
  for (const [name, value] of wanted)
    yaml = readYamlSource(changeProperty(yaml, name, value, properties[name]), yaml.lineEnd);
  return yaml.source;
}
function changeProperty(yaml, name, value, old) {
  const pair = findPair(yaml, name);
  if (pair === void 0) return value === void 0 ? yaml.source : addPair(yaml, name, value);
  if (value === void 0) return removePair(yaml, pair);
  const list = Array.isArray(old) && Array.isArray(value) ? changeList(yaml, pair, old, value) : void 0;
  return list ?? replaceValue(yaml, pair, value);
}
function withSource(text, front, source) {
  const { exists, from, to, bodyFrom, lineEnd: lineEnd2 } = front;
  if (!exists) return `---${lineEnd2}${source}---${lineEnd2}${text}`;
  const body = text.slice(bodyFrom);
  if (source === "" && bodyStart(body, splitLines(body)).bodyLine === 0) return body;
  const wasEmpty = front.source === "" && source !== "";
  const isEmptied = source === lineEnd2 && !front.source.startsWith(lineEnd2);
  return text.slice(0, from) + (isEmptied ? "" : source + (wasEmpty ? lineEnd2 : "")) + text.slice(to);
}
function refuseMisread(changed, body, properties, wanted) {
  const expected = new Map(Object.entries(properties));
  for (const [name, value] of wanted) {
    if (value === void 0) expected.delete(name);
    else expected.set(name, value);
  }
  const read = readFrontMatter(changed, splitLines(changed));
  const isRead = isDeepStrictEqual2(read.properties, Object.fromEntries(expected));
  if (isRead && read.fault === void 0 && changed.slice(read.bodyOffset) === body) return;
  const rule = `this front matter cannot take ${[...wanted.keys()].map((name) => JSON.stringify(name)).join(", ")} so that it reads back`;
  throw editRefusal("set_properties", "set", rule);
}
function listChange(old, wanted) {
  const kept = /* @__PURE__ */ new Set();
  for (const [index, item] of old.entries()) {
    if (kept.size < wanted.length && isDeepStrictEqual2(item, wanted[kept.size])) kept.add(index);
  }
  return { kept, added: wanted.slice(kept.size) };
}
function changeList({ source, lineEnd: lineEnd2 }, { value }, old, wanted) {
  if (!(0, import_yaml3.isSeq)(value) || value.items.length !== old.length || value.items.some(isDecorated)) return void 0;
  const change = listChange(old, wanted);
  if (change.kept.size === 0) return void 0;
  const splices = value.flow ? bracketSplices(source, value, change) : lineSplices(source, value, change, lineEnd2);
  return splices && applySplices(source, sortSplices(splices));
}
function isDecorated(item) {
  const { anchor, tag } = item ?? {};
  return anchor !== void 0 || tag !== void 0;
}
var DASH = /^[ \t]*-[ \t]*$/;
function lineSplices(source, list, change, lineEnd2) {
  const places = list.items.map((item) => itemLines2(source, item));
  const last = places.at(-1);
  if (last === void 0 || places.some(({ lead: lead2 }) => !DASH.test(lead2))) return void 0;
  const splices = places.flatMap(({ from, to }, index) => change.kept.has(index) ? [] : [{ from, to, text: "" }]);
  const lead = last.lead.endsWith("-") ? `${last.lead} ` : last.lead;
  const lines = change.added.flatMap((item) => yamlItem(item, DEFAULT_STYLE, lead)).map((line) => line + lineEnd2);
  return [...splices, { from: last.to, to: last.to, text: lines.join("") }];
}
function itemLines2(source, item) {
  const [itemFrom] = rangeOf(item);
  const itemTo = endOfNode(item);
  const from = lineStart(source, itemFrom);
  const ended = itemTo > itemFrom && isLineEnd(source.charCodeAt(itemTo - 1));
  return { from, to: ended ? itemTo : nextLine(source, itemTo), lead: source.slice(from, itemFrom) };
}
function bracketSplices(source, { items }, { kept, added }) {
  const ranges = items.map(rangeOf);
  const firstKept = Math.min(...kept);
  const splices = ranges.flatMap(([from, to], index) => {
    if (kept.has(index)) return [];
    if (index < firstKept) return [{ from, to: ranges[index + 1]?.[0] ?? to, text: "" }];
    return [{ from: ranges[index - 1]?.[1] ?? from, to, text: "" }];
  });
  const [lastFrom, lastTo] = ranges.at(-1) ?? [0, 0];
  const start = lineStart(source, lastFrom);
  const parting = beginsLine2(source, lastFrom) ? source.slice(lineEndBefore(source, start), lastFrom) : " ";
  const style = bracketStyle2(source, lastFrom);
  const text = added.map((item) => `,${parting}${yamlInline(item, style)}`).join("");
  return [...splices, { from: lastTo, to: lastTo, text }];
}
function bracketStyle2(source, lastFrom) {
  return { ...DEFAULT_STYLE, quote: source.charAt(lastFrom) === '"' ? "double" : "none" };
}

// src/markdown/edit/tag-rename.ts
import { isDeepStrictEqual as isDeepStrictEqual3 } from "node:util";

// src/markdown/edit/tag-name.ts
function tagMapper({ from, to, nested }) {
  const depth = from.split("/").length;
  const wanted = foldName(from);
  return (tag) => {
    const segments = tag.split("/");
    const isMeant = segments.length === depth || nested && segments.length > depth;
    if (!isMeant || foldName(segments.slice(0, depth).join("/")) !== wanted) return void 0;
    return [to, ...segments.slice(depth)].join("/");
  };
}

// src/markdown/edit/tag-rename.ts
function renameTags(path, text, rename) {
  const map = tagMapper(rename);
  const parse = fileKindOf(path) === "canvas" ? parseCanvas : parseNote;
  const before = parse(text);
  const concerned = before.tags.filter(({ tag }) => {
    const to = map(tag.slice(1));
    return to !== void 0 && `#${to}` !== tag;
  });
  if (concerned.length === 0) return { text, renamed: [] };
  const splices = concerned.map((tag) => spliceOf(text, tag, map));
  const renamed = concerned.map(({ tag, line }) => ({ tag, line }));
  if (splices.includes(void 0)) return { text, renamed: [], reason: "a tag is not written in one piece" };
  const written = applySplices(text, sortSplices(splices));
  const after = withoutRepeats(path, written, before, map);
  if (isAsMeant(before, parse(after), map)) return { text: after, renamed };
  return { text, renamed: [], reason: "with the new tag the text would read otherwise" };
}
function spliceOf(text, { tag, from, offset }, map) {
  const name = tag.slice(1);
  const to = map(name) ?? name;
  if (from === "body") {
    return text.startsWith(tag, offset) ? { from: offset + 1, to: offset + tag.length, text: to } : void 0;
  }
  const quoted = /["']/.test(text.charAt(offset - 1));
  const at = offset + (/^[ \t]*#?/.exec(text.slice(offset, offset + MAX_LEAD))?.[0].length ?? 0);
  if (!text.startsWith(name, at)) return void 0;
  return { from: at, to: at + name.length, text: quoted ? to : yamlInline(to, DEFAULT_STYLE) };
}
var MAX_LEAD = 64;
function withoutRepeats(path, text, before, map) {
  const { properties } = parseNote(fileKindOf(path) === "canvas" ? "" : text);
  const name = Object.keys(properties).find((each) => each.toLowerCase() === "tags");
  const list = name === void 0 ? void 0 : properties[name];
  if (name === void 0 || !Array.isArray(list)) return text;
  const made = new Set(tagsFrom(before.tags, "properties").map(({ tag }) => foldName(map(tag.slice(1)) ?? "")));
  const seen = /* @__PURE__ */ new Set();
  const kept = list.filter((item) => {
    const key = typeof item === "string" ? foldName(item.trim().replace(/^#/, "")) : "";
    if (key === "" || !made.has(key)) return true;
    return !seen.has(key) && seen.add(key);
  });
  return kept.length === list.length ? text : editProperties(path, text, { set: { [name]: kept } }).text;
}
function isAsMeant(before, after, map) {
  const wanted = (origin) => tagsFrom(before.tags, origin).map(({ tag }) => map(tag.slice(1)) ?? tag.slice(1));
  const found = (origin) => tagsFrom(after.tags, origin).map(({ tag }) => tag.slice(1));
  const distinct = (tags) => [...new Set(tags.map(foldName))].sort();
  return isDeepStrictEqual3(wanted("body"), found("body")) && isDeepStrictEqual3(distinct(wanted("properties")), distinct(found("properties"))) && isDeepStrictEqual3(withoutTags(before), withoutTags(after));
}
function withoutTags({ properties, propertiesFault, aliases, headings, blocks, links, tasks }) {
  const others = Object.entries(properties).filter(([name]) => name.toLowerCase() !== "tags");
  return {
    others,
    aliases,
    fault: propertiesFault?.reason,
    headings: headings.length,
    blocks: blocks.map(({ id }) => id),
    links: links.map(({ link, kind }) => [link, kind]),
    tasks: tasks.map(({ mark, due }) => [mark, due])
  };
}

// src/markdown/links/link-changes.ts
function linksIn(path, text) {
  return (fileKindOf(path) === "canvas" ? parseCanvas(text) : parseNote(text)).links;
}
function changeLinks(linked, changes, breaking) {
  const all = tryChanges(linked, changes, breaking);
  if (all.failed.size === 0) return { ...all, failed: [] };
  const passing = changes.filter(({ link }) => !all.failed.has(link));
  const failing = changes.filter(({ link }) => all.failed.has(link)).map(({ link }) => link);
  const some = failing.length === 0 || passing.length === 0 ? void 0 : tryChanges(linked, passing, breaking);
  if (some?.failed.size === 0) return { ...some, failed: failing };
  return { text: linked.text, made: [], failed: changes.map(({ link }) => link) };
}
function tryChanges(linked, changes, breaking) {
  const splices = sortSplices([...new Map(changes.map(({ splice }) => [splice.from, splice])).values()]);
  const text = applySplices(linked.text, splices);
  const found = linkFinder(linksIn(linked.path, text), offsetMapper(splices));
  const changed = new Set(changes.map(({ link }) => link));
  const failed = /* @__PURE__ */ new Set();
  const made = [];
  for (const link of linked.links) {
    const now = found(link);
    const mustLead = changed.has(link) || !breaking.has(link);
    if (now === void 0 || !isSameLink(link, now) || mustLead && !leadsToTarget(linked, link, now))
      failed.add(link);
    else if (changed.has(link)) made.push({ link, now });
  }
  return { text, made, failed };
}
function linkFinder(links, moved) {
  const keyOf2 = ({ kind, key = "" }, offset) => `${kind} ${offset} ${key}`;
  const byPlace = new Map(links.map((link) => [keyOf2(link, link.offset), link]));
  return (link) => byPlace.get(keyOf2(link, moved(link.offset) ?? (moved(link.offset - 1) ?? Number.NaN) + 1));
}
var INNER_LINK = /\[\[|\]\(/;
function isSameLink(before, after) {
  if (before.target === null) return before.link === after.link;
  if (before.kind === "canvas") return true;
  if (splitLink(before.link).subpath !== splitLink(after.link).subpath) return false;
  const isMadeOfPath = after.display === displayOf(after.link) || INNER_LINK.test(before.display);
  return before.display === after.display || isMadeOfPath;
}
function leadsToTarget({ path, files }, { target }, now) {
  return target === null || resolveWritten(now, files.pathAfter(path), files.after).path === files.pathAfter(target);
}
function createMovedFiles(moved, after, existing = []) {
  const arrived = new Set([...moved.values()].filter((path) => !existing.includes(path)));
  const left = Map.groupBy(moved.keys(), nameKeyOf);
  return {
    before: (nameKey) => [...after(nameKey).filter((path) => !arrived.has(path)), ...left.get(nameKey) ?? []],
    after,
    pathAfter: (path) => moved.get(path) ?? path,
    nameKeys: /* @__PURE__ */ new Set([...left.keys(), ...[...arrived].map(nameKeyOf)])
  };
}
function resolveWritten({ kind, link }, source, candidatesFor) {
  if (kind !== "canvas") return resolveLink(link, source, candidatesFor);
  const path = candidatesFor(nameKeyOf(link)).find((candidate) => candidate === link);
  return path === void 0 ? { path: null } : { path, match: "exact" };
}

// src/markdown/links/unparsed-links.ts
var MAX_SHOWN_LENGTH = 100;
var WRITTEN2 = /\[\[([^[\]|\r\n]+)|\]\(<?((?:[^()<>\r\n]|\([^()\r\n]{0,12000}\)){1,12000})|<([^<>\r\n]+)/g;
function writtenLinks(path, text, files) {
  if (fileKindOf(path) !== "note") return [];
  return [...text.matchAll(WRITTEN2)].flatMap(({ index, 0: written, 1: name, 2: bare, 3: enclosed }) => {
    const link = name?.replace(/\\$/, "") ?? decodeDestination((bare ?? enclosed ?? "").trim());
    return breaks(link, path, files) ? [{ offset: index, written }] : [];
  });
}
function unparsedLinks(path, text, files) {
  const all = writtenLinks(path, text, files);
  if (all.length === 0) return [];
  const isParsed = coveredBy(linksIn(path, text));
  const lines = splitLines(text);
  return all.filter(({ offset }) => !isParsed(offset)).map(({ offset, written }) => {
    const { line } = positionAt(lines, offset);
    return { path: files.pathAfter(path), line, text: written.slice(0, MAX_SHOWN_LENGTH) };
  });
}
function coveredBy(links) {
  const ascending = links.toSorted((one, other) => one.offset - other.offset);
  let at = 0;
  let end = 0;
  return (offset) => {
    for (let link = ascending[at]; link !== void 0 && link.offset <= offset; link = ascending[++at])
      end = Math.max(end, link.end);
    return offset < end;
  };
}
function breaks(link, path, files) {
  const key = nameKeyOf(splitLink(link).path);
  if (!files.nameKeys.has(key) && !files.nameKeys.has(`${key}.md`)) return false;
  const target = resolveLink(link, path, files.before).path;
  if (target === null || files.pathAfter(target) === target) return false;
  return resolveLink(link, files.pathAfter(path), files.after).path !== files.pathAfter(target);
}

// src/markdown/edit/tag-spellings.ts
var MAX_SHOWN_LENGTH2 = 100;
var MAX_SPELLINGS = 50;
function tagSpellings(path, text, rename) {
  const isBase = fileKindOf(path) === "base";
  const parsed = fileKindOf(path) === "canvas" ? parseCanvas(text) : parseNote(isBase ? "" : text);
  const tagged = new Set(parsed.tags.map(({ offset }) => offset));
  const isInLink = coveredBy(parsed.links);
  const map = tagMapper(rename);
  const found = [];
  let [line, lineFrom] = [1, 0];
  for (const match of text.matchAll(spellingPattern(rename.from, isBase))) {
    const offset = match.index + (match[1]?.length ?? 0);
    const written = text.slice(offset, tagNameEnd(text, offset - 1));
    const isLink = isInLink(offset);
    if (isLink || tagged.has(offset - 1) || map(written) === void 0) continue;
    line += text.slice(lineFrom, offset).match(/\r\n?|\n/g)?.length ?? 0;
    lineFrom = offset;
    found.push({ line, text: lineAround(text, offset) });
    if (found.length === MAX_SPELLINGS) break;
  }
  return found;
}
function spellingPattern(from, isBase) {
  const name = from.replace(/[/\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const lead = isBase ? `["'#]#?` : String.raw`(?<![^\s"'\x60(:,=>])(?:tag:[ \t]*#?|#)`;
  return new RegExp(`(${lead})${name}`, "giu");
}
function lineAround(text, offset) {
  const from = Math.max(text.lastIndexOf("\n", offset), text.lastIndexOf("\r", offset)) + 1;
  const start = Math.max(from, offset - MAX_SHOWN_LENGTH2 / 2);
  const [line = ""] = text.slice(start, start + MAX_SHOWN_LENGTH2).split(/[\r\n]/, 1);
  return line.trim().toWellFormed();
}

// node_modules/diff/libesm/diff/base.js
var Diff = class {
  diff(oldStr, newStr, options = {}) {
    let callback;
    if (typeof options === "function") {
      callback = options;
      options = {};
    } else if ("callback" in options) {
      callback = options.callback;
    }
    const oldString = this.castInput(oldStr, options);
    const newString = this.castInput(newStr, options);
    const oldTokens = this.removeEmpty(this.tokenize(oldString, options));
    const newTokens = this.removeEmpty(this.tokenize(newString, options));
    return this.diffWithOptionsObj(oldTokens, newTokens, options, callback);
  }
  diffWithOptionsObj(oldTokens, newTokens, options, callback) {
    var _a;
    const done = (value) => {
      value = this.postProcess(value, options);
      if (callback) {
        setTimeout(function() {
          callback(value);
        }, 0);
        return void 0;
      } else {
        return value;
      }
    };
    const newLen = newTokens.length, oldLen = oldTokens.length;
    let editLength = 1;
    let maxEditLength = newLen + oldLen;
    if (options.maxEditLength != null) {
      maxEditLength = Math.min(maxEditLength, options.maxEditLength);
    }
    const maxExecutionTime = (_a = options.timeout) !== null && _a !== void 0 ? _a : Infinity;
    const abortAfterTimestamp = Date.now() + maxExecutionTime;
    const bestPath = [{ oldPos: -1, lastComponent: void 0 }];
    let newPos = this.extractCommon(bestPath[0], newTokens, oldTokens, 0, options);
    if (bestPath[0].oldPos + 1 >= oldLen && newPos + 1 >= newLen) {
      return done(this.buildValues(bestPath[0].lastComponent, newTokens, oldTokens));
    }
    let minDiagonalToConsider = -Infinity, maxDiagonalToConsider = Infinity;
    const execEditLength = () => {
      for (let diagonalPath = Math.max(minDiagonalToConsider, -editLength); diagonalPath <= Math.min(maxDiagonalToConsider, editLength); diagonalPath += 2) {
        let basePath;
        const removePath = bestPath[diagonalPath - 1], addPath = bestPath[diagonalPath + 1];
        if (removePath) {
          bestPath[diagonalPath - 1] = void 0;
        }
        let canAdd = false;
        if (addPath) {
          const addPathNewPos = addPath.oldPos - diagonalPath;
          canAdd = addPath && 0 <= addPathNewPos && addPathNewPos < newLen;
        }
        const canRemove = removePath && removePath.oldPos + 1 < oldLen;
        if (!canAdd && !canRemove) {
          bestPath[diagonalPath] = void 0;
          continue;
        }
        if (!canRemove || canAdd && removePath.oldPos < addPath.oldPos) {
          basePath = this.addToPath(addPath, true, false, 0, options);
        } else {
          basePath = this.addToPath(removePath, false, true, 1, options);
        }
        newPos = this.extractCommon(basePath, newTokens, oldTokens, diagonalPath, options);
        if (basePath.oldPos + 1 >= oldLen && newPos + 1 >= newLen) {
          return done(this.buildValues(basePath.lastComponent, newTokens, oldTokens)) || true;
        } else {
          bestPath[diagonalPath] = basePath;
          if (basePath.oldPos + 1 >= oldLen) {
            maxDiagonalToConsider = Math.min(maxDiagonalToConsider, diagonalPath - 1);
          }
          if (newPos + 1 >= newLen) {
            minDiagonalToConsider = Math.max(minDiagonalToConsider, diagonalPath + 1);
          }
        }
      }
      editLength++;
    };
    if (callback) {
      (function exec() {
        setTimeout(function() {
          if (editLength > maxEditLength || Date.now() > abortAfterTimestamp) {
            return callback(void 0);
          }
          if (!execEditLength()) {
            exec();
          }
        }, 0);
      })();
    } else {
      while (editLength <= maxEditLength && Date.now() <= abortAfterTimestamp) {
        const ret = execEditLength();
        if (ret) {
          return ret;
        }
      }
    }
  }
  addToPath(path, added, removed, oldPosInc, options) {
    const last = path.lastComponent;
    if (last && !options.oneChangePerToken && last.added === added && last.removed === removed) {
      return {
        oldPos: path.oldPos + oldPosInc,
        lastComponent: { count: last.count + 1, added, removed, previousComponent: last.previousComponent }
      };
    } else {
      return {
        oldPos: path.oldPos + oldPosInc,
        lastComponent: { count: 1, added, removed, previousComponent: last }
      };
    }
  }
  extractCommon(basePath, newTokens, oldTokens, diagonalPath, options) {
    const newLen = newTokens.length, oldLen = oldTokens.length;
    let oldPos = basePath.oldPos, newPos = oldPos - diagonalPath, commonCount = 0;
    while (newPos + 1 < newLen && oldPos + 1 < oldLen && this.equals(oldTokens[oldPos + 1], newTokens[newPos + 1], options)) {
      newPos++;
      oldPos++;
      commonCount++;
      if (options.oneChangePerToken) {
        basePath.lastComponent = { count: 1, previousComponent: basePath.lastComponent, added: false, removed: false };
      }
    }
    if (commonCount && !options.oneChangePerToken) {
      basePath.lastComponent = { count: commonCount, previousComponent: basePath.lastComponent, added: false, removed: false };
    }
    basePath.oldPos = oldPos;
    return newPos;
  }
  equals(left, right, options) {
    if (options.comparator) {
      return options.comparator(left, right);
    } else {
      return left === right || !!options.ignoreCase && left.toLowerCase() === right.toLowerCase();
    }
  }
  removeEmpty(array) {
    const ret = [];
    for (let i = 0; i < array.length; i++) {
      if (array[i]) {
        ret.push(array[i]);
      }
    }
    return ret;
  }
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  castInput(value, options) {
    return value;
  }
  // eslint-disable-next-line @typescript-eslint/no-unused-vars
  tokenize(value, options) {
    return Array.from(value);
  }
  join(chars) {
    return chars.join("");
  }
  postProcess(changeObjects, options) {
    return changeObjects;
  }
  get useLongestToken() {
    return false;
  }
  buildValues(lastComponent, newTokens, oldTokens) {
    const components = [];
    let nextComponent;
    while (lastComponent) {
      components.push(lastComponent);
      nextComponent = lastComponent.previousComponent;
      delete lastComponent.previousComponent;
      lastComponent = nextComponent;
    }
    components.reverse();
    const componentLen = components.length;
    let componentPos = 0, newPos = 0, oldPos = 0;
    for (; componentPos < componentLen; componentPos++) {
      const component = components[componentPos];
      if (!component.removed) {
        if (!component.added && this.useLongestToken) {
          let value = newTokens.slice(newPos, newPos + component.count);
          value = value.map(function(value2, i) {
            const oldValue = oldTokens[oldPos + i];
            return oldValue.length > value2.length ? oldValue : value2;
          });
          component.value = this.join(value);
        } else {
          component.value = this.join(newTokens.slice(newPos, newPos + component.count));
        }
        newPos += component.count;
        if (!component.added) {
          oldPos += component.count;
        }
      } else {
        component.value = this.join(oldTokens.slice(oldPos, oldPos + component.count));
        oldPos += component.count;
      }
    }
    return components;
  }
};

// node_modules/diff/libesm/diff/line.js
var LineDiff = class extends Diff {
  constructor() {
    super(...arguments);
    this.tokenize = tokenize;
  }
  equals(left, right, options) {
    if (options.ignoreWhitespace) {
      if (!options.newlineIsToken || !left.includes("\n")) {
        left = left.trim();
      }
      if (!options.newlineIsToken || !right.includes("\n")) {
        right = right.trim();
      }
    } else if (options.ignoreNewlineAtEof && !options.newlineIsToken) {
      if (left.endsWith("\n")) {
        left = left.slice(0, -1);
      }
      if (right.endsWith("\n")) {
        right = right.slice(0, -1);
      }
    }
    return super.equals(left, right, options);
  }
};
var lineDiff = new LineDiff();
function diffLines(oldStr, newStr, options) {
  return lineDiff.diff(oldStr, newStr, options);
}
function tokenize(value, options) {
  if (options.stripTrailingCr) {
    value = value.replace(/\r\n/g, "\n");
  }
  const retLines = [], linesAndNewlines = value.split(/(\n|\r\n)/);
  if (!linesAndNewlines[linesAndNewlines.length - 1]) {
    linesAndNewlines.pop();
  }
  for (let i = 0; i < linesAndNewlines.length; i++) {
    const line = linesAndNewlines[i];
    if (i % 2 && !options.newlineIsToken) {
      retLines[retLines.length - 1] += line;
    } else {
      retLines.push(line);
    }
  }
  return retLines;
}

// node_modules/diff/libesm/patch/create.js
function needsQuoting(s) {
  for (let i = 0; i < s.length; i++) {
    if (s[i] < " " || s[i] > "~" || s[i] === '"' || s[i] === "\\") {
      return true;
    }
  }
  return false;
}
function quoteFileNameIfNeeded(s) {
  if (!needsQuoting(s)) {
    return s;
  }
  let result = '"';
  const bytes = new TextEncoder().encode(s);
  let i = 0;
  while (i < bytes.length) {
    const b = bytes[i];
    if (b === 7) {
      result += "\\a";
    } else if (b === 8) {
      result += "\\b";
    } else if (b === 9) {
      result += "\\t";
    } else if (b === 10) {
      result += "\\n";
    } else if (b === 11) {
      result += "\\v";
    } else if (b === 12) {
      result += "\\f";
    } else if (b === 13) {
      result += "\\r";
    } else if (b === 34) {
      result += '\\"';
    } else if (b === 92) {
      result += "\\\\";
    } else if (b >= 32 && b <= 126) {
      result += String.fromCharCode(b);
    } else {
      result += "\\" + b.toString(8).padStart(3, "0");
    }
    i++;
  }
  result += '"';
  return result;
}
var INCLUDE_HEADERS = {
  includeIndex: true,
  includeUnderline: true,
  includeFileHeaders: true
};
var OMIT_HEADERS = {
  includeIndex: false,
  includeUnderline: false,
  includeFileHeaders: false
};
function structuredPatch(oldFileName, newFileName, oldStr, newStr, oldHeader, newHeader, options) {
  let optionsObj;
  if (!options) {
    optionsObj = {};
  } else if (typeof options === "function") {
    optionsObj = { callback: options };
  } else {
    optionsObj = options;
  }
  if (typeof optionsObj.context === "undefined") {
    optionsObj.context = 4;
  }
  const context = optionsObj.context;
  if (optionsObj.newlineIsToken) {
    throw new Error("newlineIsToken may not be used with patch-generation functions, only with diffing functions");
  }
  if (!optionsObj.callback) {
    return diffLinesResultToPatch(diffLines(oldStr, newStr, optionsObj));
  } else {
    const { callback } = optionsObj;
    diffLines(oldStr, newStr, Object.assign(Object.assign({}, optionsObj), { callback: (diff) => {
      const patch = diffLinesResultToPatch(diff);
      callback(patch);
    } }));
  }
  function diffLinesResultToPatch(diff) {
    if (!diff) {
      return;
    }
    diff.push({ value: "", lines: [] });
    function contextLines(lines) {
      return lines.map(function(entry) {
        return " " + entry;
      });
    }
    const hunks = [];
    let oldRangeStart = 0, newRangeStart = 0, curRange = [], oldLine = 1, newLine = 1;
    for (let i = 0; i < diff.length; i++) {
      const current = diff[i], lines = current.lines || splitLines2(current.value);
      current.lines = lines;
      if (current.added || current.removed) {
        if (!oldRangeStart) {
          const prev = diff[i - 1];
          oldRangeStart = oldLine;
          newRangeStart = newLine;
          if (prev) {
            curRange = context > 0 ? contextLines(prev.lines.slice(-context)) : [];
            oldRangeStart -= curRange.length;
            newRangeStart -= curRange.length;
          }
        }
        for (const line of lines) {
          curRange.push((current.added ? "+" : "-") + line);
        }
        if (current.added) {
          newLine += lines.length;
        } else {
          oldLine += lines.length;
        }
      } else {
        if (oldRangeStart) {
          if (lines.length <= context * 2 && i < diff.length - 2) {
            for (const line of contextLines(lines)) {
              curRange.push(line);
            }
          } else {
            const contextSize = Math.min(lines.length, context);
            for (const line of contextLines(lines.slice(0, contextSize))) {
              curRange.push(line);
            }
            const hunk = {
              oldStart: oldRangeStart,
              oldLines: oldLine - oldRangeStart + contextSize,
              newStart: newRangeStart,
              newLines: newLine - newRangeStart + contextSize,
              lines: curRange
            };
            hunks.push(hunk);
            oldRangeStart = 0;
            newRangeStart = 0;
            curRange = [];
          }
        }
        oldLine += lines.length;
        newLine += lines.length;
      }
    }
    for (const hunk of hunks) {
      for (let i = 0; i < hunk.lines.length; i++) {
        if (hunk.lines[i].endsWith("\n")) {
          hunk.lines[i] = hunk.lines[i].slice(0, -1);
        } else {
          hunk.lines.splice(i + 1, 0, "\\ No newline at end of file");
          i++;
        }
      }
    }
    return {
      oldFileName,
      newFileName,
      oldHeader,
      newHeader,
      hunks
    };
  }
}
function formatPatch(patch, headerOptions) {
  var _a, _b, _c, _d, _e, _f;
  if (!headerOptions) {
    headerOptions = INCLUDE_HEADERS;
  }
  if (Array.isArray(patch)) {
    if (patch.length > 1 && !headerOptions.includeFileHeaders && !patch.every((p) => p.isGit)) {
      throw new Error("Cannot omit file headers on a multi-file patch. (The result would be unparseable; how would a tool trying to apply the patch know which changes are to which file?)");
    }
    return patch.map((p) => formatPatch(p, headerOptions)).join("\n");
  }
  const ret = [];
  if (patch.isGit) {
    headerOptions = INCLUDE_HEADERS;
    if (!patch.oldFileName) {
      throw new Error("oldFileName must be specified for Git patches");
    }
    if (!patch.newFileName) {
      throw new Error("newFileName must be specified for Git patches");
    }
    let gitOldName = patch.oldFileName;
    let gitNewName = patch.newFileName;
    if (patch.isCreate && gitOldName === "/dev/null") {
      gitOldName = gitNewName.replace(/^b\//, "a/");
    } else if (patch.isDelete && gitNewName === "/dev/null") {
      gitNewName = gitOldName.replace(/^a\//, "b/");
    }
    ret.push("diff --git " + quoteFileNameIfNeeded(gitOldName) + " " + quoteFileNameIfNeeded(gitNewName));
    if (patch.isDelete) {
      ret.push("deleted file mode " + ((_a = patch.oldMode) !== null && _a !== void 0 ? _a : "100644"));
    }
    if (patch.isCreate) {
      ret.push("new file mode " + ((_b = patch.newMode) !== null && _b !== void 0 ? _b : "100644"));
    }
    if (patch.oldMode && patch.newMode && !patch.isDelete && !patch.isCreate) {
      ret.push("old mode " + patch.oldMode);
      ret.push("new mode " + patch.newMode);
    }
    if (patch.isRename) {
      ret.push("rename from " + quoteFileNameIfNeeded(((_c = patch.oldFileName) !== null && _c !== void 0 ? _c : "").replace(/^a\//, "")));
      ret.push("rename to " + quoteFileNameIfNeeded(((_d = patch.newFileName) !== null && _d !== void 0 ? _d : "").replace(/^b\//, "")));
    }
    if (patch.isCopy) {
      ret.push("copy from " + quoteFileNameIfNeeded(((_e = patch.oldFileName) !== null && _e !== void 0 ? _e : "").replace(/^a\//, "")));
      ret.push("copy to " + quoteFileNameIfNeeded(((_f = patch.newFileName) !== null && _f !== void 0 ? _f : "").replace(/^b\//, "")));
    }
  } else {
    if (headerOptions.includeIndex && patch.oldFileName == patch.newFileName && patch.oldFileName !== void 0) {
      ret.push("Index: " + patch.oldFileName);
    }
    if (headerOptions.includeUnderline) {
      ret.push("===================================================================");
    }
  }
  const hasHunks = patch.hunks.length > 0;
  if (headerOptions.includeFileHeaders && patch.oldFileName !== void 0 && patch.newFileName !== void 0 && (!patch.isGit || hasHunks)) {
    ret.push("--- " + quoteFileNameIfNeeded(patch.oldFileName) + (patch.oldHeader ? "	" + patch.oldHeader : ""));
    ret.push("+++ " + quoteFileNameIfNeeded(patch.newFileName) + (patch.newHeader ? "	" + patch.newHeader : ""));
  }
  for (let i = 0; i < patch.hunks.length; i++) {
    const hunk = patch.hunks[i];
    const oldStart = hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart;
    const newStart = hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart;
    ret.push("@@ -" + oldStart + "," + hunk.oldLines + " +" + newStart + "," + hunk.newLines + " @@");
    for (const line of hunk.lines) {
      ret.push(line);
    }
  }
  return ret.join("\n") + "\n";
}
function splitLines2(text) {
  const hasTrailingNl = text.endsWith("\n");
  const result = text.split("\n").map((line) => line + "\n");
  if (hasTrailingNl) {
    result.pop();
  } else {
    result.push(result.pop().slice(0, -1));
  }
  return result;
}

// src/markdown/excerpt/cut-to-lines.ts
function cutToLines(text, maxLength) {
  const { ends, starts } = splitLines(text);
  if (text.length <= maxLength) return { text, wholeLines: ends.length };
  const wholeLines = ends.findLastIndex((end) => end <= maxLength) + 1;
  if (wholeLines > 0)
    return { text: text.slice(0, Math.min(starts[wholeLines] ?? text.length, maxLength)), wholeLines };
  return { text: text.slice(0, isInsidePair(text, maxLength) ? maxLength - 1 : maxLength), wholeLines };
}
function isInsidePair(text, offset) {
  return (text.codePointAt(offset - 1) ?? 0) > 65535;
}

// src/markdown/edit/unified-diff.ts
var CONTEXT_LINES = 3;
var MAX_MS = 300;
var NO_FILE = "/dev/null";
function boundedDiff(files, longest) {
  let diff = "";
  for (const [at, file] of files.entries()) {
    const whole = fileDiff(file);
    const { text, wholeLines } = cutToLines(whole, longest - diff.length);
    diff += wholeLines > 0 || diff === "" ? text : "";
    if (text.length < whole.length) return { diff, cut: files.length - at };
  }
  return { diff, cut: 0 };
}
function fileDiff({ from, to, before = "", after = "" }) {
  const moved = from !== null && to !== null && from !== to;
  const renamed = moved ? `rename from ${shownPath(from)}
rename to ${shownPath(to)}
` : "";
  const isFileAlone = before === after && (from === null || to === null);
  if (before === after && !isFileAlone) return renamed;
  const names = `--- ${shownPath(from)}
+++ ${shownPath(to)}
`;
  return `${renamed}${names}${before === after ? "" : formatPatch(patchOf(before, after), OMIT_HEADERS)}`;
}
function patchOf(before, after) {
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT_LINES, timeout: MAX_MS });
  return patch ?? replaced(before, after);
}
function replaced(before, after) {
  const gone = structuredPatch("", "", before, "");
  const [removed] = gone.hunks;
  const [added] = structuredPatch("", "", "", after).hunks;
  if (removed === void 0 || added === void 0) return gone;
  const lines = [...removed.lines, ...added.lines];
  return { ...gone, hunks: [{ ...removed, newStart: added.newStart, newLines: added.newLines, lines }] };
}
function shownPath(path) {
  if (path === null) return NO_FILE;
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

// src/markdown/excerpt/quote-places.ts
var MEANINGFUL = /[\p{L}\p{N}]/u;
function* verbatimMatches(text, quote) {
  if (!MEANINGFUL.test(quote)) return;
  for (const spelling of /* @__PURE__ */ new Set([quote, quote.normalize("NFC"), quote.normalize("NFD")])) {
    let hasMatch = false;
    for (const match of text.matchAll(patternOf(spelling))) {
      hasMatch = true;
      yield match;
    }
    if (hasMatch) return;
  }
}
function patternOf(quote) {
  const words = quote.trim().split(/\s+/);
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  const characters = [...quote.trim()];
  return new RegExp(`${edge(characters[0], "?<!")}${escaped}${edge(characters.at(-1), "?!")}`, "gu");
}
function edge(character = "", look) {
  return MEANINGFUL.test(character) && !hasUnspacedScript(character) ? `(${look}[\\p{L}\\p{M}\\p{N}])` : "";
}
function placeAt(lines, from, found) {
  const to = from + found.length;
  const { line, column } = positionAt(lines, from);
  return { from, to, lines: [line, positionAt(lines, Math.max(from, to - 1)).line], column };
}
function quotePlaces({ text, from, to, quotes }) {
  const lines = splitLines(text);
  const placeOf3 = (quote) => {
    let first;
    let count = 0;
    for (const match of verbatimMatches(text, quote)) {
      if (match.index < from || match.index + match[0].length > to) continue;
      first ??= match;
      count += 1;
    }
    return first && { ...placeAt(lines, first.index, first[0]), text: first[0], count };
  };
  const places = new Map([...new Set(quotes)].map((quote) => [quote, placeOf3(quote)]));
  return quotes.map((quote) => places.get(quote));
}

// src/markdown/excerpt/text-signature.ts
var SIGNATURE_LENGTH = 64;
var WORDS_PER_RUN = 3;
var MIN_RUNS = 8;
var SPREAD = 2654435769;
function textSignature(text) {
  const hashes = [];
  const words = [];
  eachForm(textAfterProperties(text), (form) => {
    words.push(fnvOf(form));
    if (words.length < WORDS_PER_RUN) return;
    hashes.push(words.slice(-WORDS_PER_RUN).reduce((hash, word) => mixed(hash ^ word), FNV_START));
  });
  const runs = new Set(hashes);
  return runs.size < MIN_RUNS ? null : smallestHashes(runs);
}
function smallestHashes(runs) {
  const signature = new Uint32Array(SIGNATURE_LENGTH).fill(4294967295);
  for (const run of runs) {
    for (let at = 0; at < SIGNATURE_LENGTH; at += 1) {
      const hash = mixed(run ^ Math.imul(at + 1, SPREAD));
      if (hash < signature[at]) signature[at] = hash;
    }
  }
  return signature;
}
function mixed(value) {
  let hash = value;
  hash = Math.imul(hash ^ hash >>> 16, 2246822507);
  hash = Math.imul(hash ^ hash >>> 13, 3266489909);
  return (hash ^ hash >>> 16) >>> 0;
}

// src/markdown/links/link-style.ts
function createLinkStyles(source, text, links, before) {
  const shown = links.filter(
    ({ kind, target, link }) => kind !== "canvas" && target !== null && splitLink(link).path !== ""
  );
  let relative;
  const writesRelative = () => relative ??= !shown.some((link) => isDestination(text, link) && isWrittenByName(source, link));
  return {
    styleOf: (link, target) => {
      const { path } = splitLink(link.link);
      const style = {
        extension: hasExtension(path, target),
        dotted: path.startsWith("./") || !isDestination(text, link),
        segments: segmentsOf(path)
      };
      if (path.startsWith("/")) return { ...style, by: "root" };
      const isRelative = isDotted(path) || isDestination(text, link) && isRelativeTo(source, path, target) && writesRelative();
      if (isRelative) return { ...style, by: "relative" };
      const byName = isShortest(source, path, target, before);
      if (byName) return { ...style, by: "name" };
      const isWhole = foldName(path) === foldName(style.extension ? target : withoutExtension(target));
      return { ...style, by: "path", segments: isWhole ? Number.POSITIVE_INFINITY : style.segments };
    }
  };
}
function isDestination(text, { offset }) {
  return !text.startsWith("[[", offset) && !text.startsWith("![[", offset);
}
function isDotted(path) {
  return path.startsWith("./") || path.startsWith("../");
}
function segmentsOf(path) {
  return path.split("/").length;
}
function isRelativeTo(source, path, target) {
  const relative = relativePath(folderOf(source), target);
  const folded = foldName(path);
  return folded === foldName(relative) || folded === foldName(withoutExtension(relative));
}
function isWrittenByName(source, { link, target }) {
  const { path } = splitLink(link);
  return target !== null && !isDotted(path) && !path.startsWith("/") && !isRelativeTo(source, path, target);
}
function isShortest(source, path, target, before) {
  for (let count = 1; count < segmentsOf(path); count += 1) {
    const found = resolveLink(lastSegments(path, count), source, before);
    if (found.path === target && found.match !== "ambiguous") return false;
  }
  return true;
}

// src/markdown/links/rewrite-links.ts
function targetedLinks(path, text, candidatesFor) {
  return linksIn(path, text).map((link) => ({ ...link, target: resolveWritten(link, path, candidatesFor).path }));
}
function rewriteLinks(path, text, links, files) {
  const styles = createLinkStyles(path, text, links, files.before);
  const rewriting = { path, text, links, files, styles, locate: createLinkPathLocator(path, text) };
  const changes = [];
  const refused = [];
  const breaking = new Set(links.filter((link) => mustChange(rewriting, link)));
  for (const link of breaking) {
    const splice = newPath(rewriting, link);
    if (typeof splice === "string") refused.push(refusal(link, splice));
    else changes.push({ link, splice });
  }
  return changes.length === 0 ? { text, rewritten: [], refused } : applied(rewriting, changes, breaking, refused);
}
function applied(rewriting, changes, breaking, refused) {
  const changed = changeLinks(rewriting, changes, breaking);
  const failed = changed.failed.map((link) => refusal(link, "with the new path the text would read otherwise"));
  return {
    text: changed.text,
    rewritten: changed.made.map(({ link: { line, column, link }, now }) => ({
      line,
      column,
      from: link,
      to: now.link
    })),
    refused: [...refused, ...failed].sort((one, other) => one.line - other.line || one.column - other.column)
  };
}
function refusal({ line, column, link }, reason) {
  return { line, column, link, reason };
}
function mustChange({ path, files, styles }, link) {
  const { target } = link;
  if (target === null) return false;
  const [source, wanted] = [files.pathAfter(path), files.pathAfter(target)];
  const found = resolveWritten(link, source, files.after);
  if (found.path !== wanted) return true;
  if (isAmbiguous(found) && !isAmbiguous(resolveWritten(link, path, files.before))) return true;
  const written = link.kind === "canvas" ? "" : splitLink(link.link).path;
  if (written === "" || source === path && wanted === target) return false;
  return styles.styleOf(link, target).by === "relative" && !isRelativeTo(source, written.replace(/^\.\//, ""), wanted);
}
function isAmbiguous(found) {
  return found.path !== null && found.match === "ambiguous";
}
function newPath(rewriting, link) {
  const { path, files, styles, locate } = rewriting;
  const place = locate(link);
  if (place === void 0 || link.target === null)
    return "it is not written in one piece, or is defined more than once";
  const { from, to } = place;
  const [source, wanted] = [files.pathAfter(path), files.pathAfter(link.target)];
  if (link.kind === "canvas") return { from, to, text: place.quote(wanted) };
  for (const spelled of spellingsOf(wanted, source, styles.styleOf(link, link.target), splitLink(link.link).path)) {
    const found = resolveLink(spelled, source, files.after);
    const text = found.path === wanted && !isAmbiguous(found) ? writePath(spelled, place) : void 0;
    if (text !== void 0) return { from, to, text };
  }
  return `no link of this form can name ${JSON.stringify(wanted)}`;
}
function writePath(path, { form, written, quote }) {
  const isDestination3 = form === "bare" || form === "enclosed";
  const text = isDestination3 ? encodeDestination(path, written, form === "enclosed") : path;
  return readsBack(text, path, form) ? quote(text) : void 0;
}
function readsBack(text, path, form) {
  switch (form) {
    case "file":
      return true;
    case "wikilink":
      return wikilinkClose(`[[${text}]]`, 0) === text.length + 2 && isPathOf(readWikilink(text)?.link, path);
    case "bare":
      return isDestination2(`(${text})`, text, path);
    case "enclosed":
      return isDestination2(`(<${text}>)`, text, path);
  }
}
function isDestination2(target, text, path) {
  const found = inlineTargetAt(target, 0);
  return found?.raw === text && found.end === target.length && !isExternal(text) && isPathOf(decodeDestination(text), path);
}
function isPathOf(link, path) {
  return link === path && splitLink(link).path === path;
}
function encodeDestination(path, before, enclosed) {
  const encoded2 = enclosed ? path.replace(IN_BRACKETS, hexOf) : encodeBare(path, before);
  return withSegmentsOf(before, encoded2, decodeDestination);
}
var IN_BRACKETS = /[<>\\]|%(?=[\da-f]{2})/gi;
var BARE = /[\0- <>\\`\x7F]|%(?=[\da-f]{2})|[()]|[^\0-\x7F]+/gi;
function encodeBare(path, before) {
  const keepsBrackets = /(?<!\\)[()]/.test(before);
  const keepsLetters = !/%[89a-f][\da-f]/i.test(before);
  const inLowerCase = /%(?:[a-f][\da-f]|\d[a-f])/.test(before);
  return path.replace(BARE, (signs) => {
    if (/^[()]/.test(signs) ? keepsBrackets : signs > "\x7F" && keepsLetters) return signs;
    return inLowerCase ? hexOf(signs).toLowerCase() : hexOf(signs);
  });
}
function hexOf(signs) {
  return encodeURIComponent(signs).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

// src/markdown/links/follow-links.ts
function followLinks({ moved, paths, existing, ...file }) {
  return followed(file, createMovedFiles(moved, candidatesByName(paths), existing));
}
function followed({ path, bytes, earlier, isLinking }, files) {
  const { text: before, encoding } = decodeText(bytes);
  if (!isLinking && writtenLinks(path, before, files).length === 0) return void 0;
  const file = { path, etag: contentHash(bytes) };
  const mayChange = encoding === "utf-8";
  const restored = mayChange ? restoredText(path, before, earlier, files) : void 0;
  if (restored !== void 0) {
    const { text: after2, ...changed2 } = restored;
    return { file: { ...file, changed: { before, after: after2, ...changed2 } }, parts: [], broken: [], unparsed: [] };
  }
  const all = targetedLinks(path, before, files.before);
  const { text: after, ...links } = rewriteLinks(path, before, all, files);
  const parts = mayChange ? linksToParts(all, files) : [];
  const broken = links.refused.map(({ line, reason }) => ({ path, line, reason }));
  const unparsed = unparsedLinks(path, after, files);
  if (after === before) return { file, parts, broken, unparsed };
  if (!mayChange) {
    const unchanged = links.rewritten.map(({ line }) => ({ path, line, reason: "it is not UTF-8 text" }));
    return { file, parts, broken: [...broken, ...unchanged], unparsed };
  }
  const lines = links.rewritten.map(({ line }) => line);
  const changed = { before, after, bytes: encoderLike(bytes)(after), lines };
  return { file: { ...file, changed }, parts, broken, unparsed };
}
function linksToParts(links, { pathAfter }) {
  return links.flatMap(({ kind, link, target, line }, index) => {
    const { subpath } = kind === "canvas" ? { subpath: "" } : splitLink(link);
    const isMoved = target !== null && pathAfter(target) !== target;
    return isMoved && subpath !== "" ? [{ index, line, target, subpath }] : [];
  });
}
function restoredText(path, text, earlier, files) {
  if (earlier === void 0) return void 0;
  const before = decodeText(earlier);
  const now = targetedLinks(path, text, files.before);
  const then = targetedLinks(files.pathAfter(path), before.text, files.after);
  const leads = (at) => {
    const target = now[at]?.target ?? null;
    return target === null ? null : files.pathAfter(target);
  };
  const fits3 = now.length === then.length && then.every(({ target }, at) => target === leads(at));
  if (!fits3 || before.encoding === "invalid") return void 0;
  const lines = then.filter(({ link }, at) => link !== now[at]?.link).map(({ line }) => line);
  return { text: before.text, bytes: earlier, lines };
}

// src/markdown/links/mentions.ts
var EXTERNAL = /\[[^[\]\n]{0,500}\]\([^()\s]{1,2000}\)|\b[a-z][a-z\d+.-]{1,20}:\/\/\S+/giu;
function mentionsWithin({ text, names, skip, limit, maxSentence }) {
  const found = mentionsIn(text, names);
  const mentions = found.slice(skip, skip + limit).map((mention) => ({
    ...mention,
    sentence: sentenceAround(text, mention.offset, mention.end, maxSentence)
  }));
  return { mentions, hasMore: found.length > skip + limit };
}
function mentionsIn(text, names) {
  const parsed = parseNote(text);
  const hidden = [
    { from: 0, to: parsed.bodyOffset },
    ...parsed.links.map(({ offset, end }) => ({ from: offset, to: end })),
    ...parsed.tags.map(({ offset, tag }) => ({ from: offset, to: offset + tag.length })),
    ...[...text.matchAll(EXTERNAL)].map(({ index, 0: found }) => ({ from: index, to: index + found.length }))
  ];
  const places = [...text.matchAll(patternOf2(names))].map(({ index, 0: found }) => ({
    from: index,
    to: index + found.length
  }));
  const isHidden = overlaps(places, hidden);
  const lines = splitLines(text);
  const open = places.filter((_, at) => !isHidden[at]);
  return onlyInText(text, open).map(({ from, to }) => ({
    ...positionAt(lines, from),
    end: to,
    text: text.slice(from, to)
  }));
}
function patternOf2(names) {
  const longestFirst = [...names].sort((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map(wholeWords).join("|"), "giu");
}
function wholeWords(name) {
  const words = name.trim().split(/\s+/);
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
  const first = [...name.trim()][0] ?? "";
  const last = [...name.trim()].at(-1) ?? "";
  const before = hasUnspacedScript(first) ? "" : `(?<![${WORD_CHARACTERS}_])`;
  return `${before}${pattern}(?!${hasUnspacedScript(last) ? "\\p{M}" : `[${WORD_CHARACTERS}_]`})`;
}
function onlyInText(text, places) {
  if (places.length === 0) return [];
  let marked = "";
  let last = 0;
  const starts = places.map(({ from, to }) => {
    marked += `${text.slice(last, from)}[[`;
    const start = { from: marked.length, to: marked.length + 1 };
    marked += `${text.slice(from, to)}]]`;
    last = to;
    return start;
  });
  const { links } = parseNote(marked + text.slice(last));
  const found = links.map(({ offset, end }) => ({ from: offset, to: end }));
  const isLinked = overlaps(starts, found);
  return places.filter((_, at) => isLinked[at]);
}
function overlaps(places, ranges) {
  const ascending = ranges.toSorted((one, other) => one.from - other.from);
  let at = 0;
  let end = 0;
  return places.map(({ from, to }) => {
    for (let range = ascending[at]; range !== void 0 && range.from < to; range = ascending[++at]) {
      end = Math.max(end, range.to);
    }
    return end > from;
  });
}
var MAX_NAMES = 400;
var WORD2 = new RegExp(`[${WORD_CHARACTERS}]+`, "gu");
function firstMentions(text, all) {
  const names = all.filter(createPrefilter(text)).slice(0, MAX_NAMES);
  const byFolded = Map.groupBy(names, foldedName);
  const found = /* @__PURE__ */ new Map();
  for (const place of names.length === 0 ? [] : mentionsIn(text, names)) {
    const key = foldedName(place.text);
    if (!found.has(key)) found.set(key, { place, names: byFolded.get(key) ?? [] });
  }
  return [...found.values()];
}
var foldedName = (name) => foldName(name).replace(/\s+/g, " ").trim();
function createPrefilter(text) {
  const folded = foldedName(text);
  const words = new Set(folded.match(WORD2) ?? []);
  return (name) => {
    const wanted = foldedName(name);
    const [first] = wanted.match(WORD2) ?? [];
    if (first === void 0) return false;
    return (words.has(first) || hasUnspacedScript(wanted)) && folded.includes(wanted);
  };
}

// src/markdown/links/insert-links.ts
var MAX_WORDS_LENGTH = 120;
function insertLinks(note) {
  const inserted = [];
  const paths = /* @__PURE__ */ new Set();
  let [invented, unwritable] = [0, 0];
  for (const [at, target] of note.targets.entries()) {
    if (paths.has(target.path)) continue;
    const places = placesOf2(target.words, note);
    if (places.length === 0) invented += 1;
    const free = places.filter((place) => !inserted.some((taken) => touches(place, taken)));
    const link = firstWritable(at, target, free, note);
    if (link !== void 0) {
      inserted.push(link);
      paths.add(target.path);
    } else if (free.length > 0) unwritable += 1;
  }
  return { inserted, invented, unwritable };
}
function placesOf2(words, { text, from, to }) {
  if (typeof words !== "string") return [words];
  const wanted = words.trim().replace(/\s+/g, " ");
  if (!/[\p{L}\p{N}]/u.test(wanted) || wanted.length > MAX_WORDS_LENGTH) return [];
  const places = mentionsIn(text.slice(0, to), [wanted]);
  return places.filter((place) => place.offset >= from && place.text === wanted);
}
function firstWritable(target, { spelling }, places, { text: whole, maxSentence }) {
  if (spelling === void 0) return void 0;
  for (const { line, column, offset, end, text } of places) {
    const written = linkAt(whole, { from: offset, to: end }, spelling);
    if (written === void 0) continue;
    const sentence = sentenceAround(whole, offset, end, maxSentence);
    return { target, line, column, offset, text, sentence, ...written };
  }
  return void 0;
}
function touches({ offset, end }, taken) {
  return offset < taken.offset + taken.text.length && end > taken.offset;
}
var STEP = 12;
function linkAt(text, place, spelling) {
  const words = text.slice(place.from, place.to);
  const forms = spelling === words ? [`[[${words}]]`] : [`[[${spelling}|${words}]]`, `[[${spelling}\\|${words}]]`];
  const link = formsFor(text, place, forms).find((form) => isReadAs(form, spelling, text, place));
  return link === void 0 ? void 0 : { link, edit: editAt(text, place, link) };
}
function formsFor(text, { from }, forms) {
  const start = Math.max(text.lastIndexOf("\n", from - 1), text.lastIndexOf("\r", from - 1)) + 1;
  const end = text.slice(from).search(/[\r\n]|$/) + from;
  return text.slice(start, end).includes("|") ? forms.toReversed() : forms;
}
function isReadAs(form, spelling, text, { from, to }) {
  const before = parseNote(text);
  const after = parseNote(text.slice(0, from) + form + text.slice(to));
  const link = after.links.find(({ offset, end }) => offset === from && end === from + form.length);
  const isWhole = link?.link === spelling && link.display === text.slice(from, to);
  return isWhole && after.links.length === before.links.length + 1 && after.tags.length === before.tags.length;
}
function editAt(text, { from, to }, link) {
  let [start, end] = [from, to];
  while (!occursOnce(text, text.slice(start, end))) {
    start = characterBoundary(text, Math.max(0, start - STEP), -1);
    end = characterBoundary(text, Math.min(text.length, end + STEP), 1);
  }
  const target = text.slice(start, end);
  return { op: "replace_text", target, text: text.slice(start, from) + link + text.slice(to, end), count: 1 };
}
function occursOnce(text, words) {
  return text.indexOf(words, text.indexOf(words) + 1) === -1;
}
function characterBoundary(text, offset, step) {
  const isSplit = (text.codePointAt(offset - 1) ?? 0) > 65535 || text.startsWith("\r\n", offset - 1);
  return offset > 0 && isSplit ? offset + step : offset;
}

// src/markdown/links/rewrite-subpaths.ts
function rewriteSubpaths(path, text, changes) {
  if (changes.length === 0) return { text, failed: [] };
  const links = linksIn(path, text);
  const locate = createLinkPathLocator(path, text);
  const splices = /* @__PURE__ */ new Map();
  const unplaced = [];
  for (const { index, subpath } of changes) {
    const link = links[index];
    const place = link && locate(link);
    if (place === void 0) unplaced.push(index);
    else {
      const written = place.form === "bare" || place.form === "enclosed" ? encoded(subpath) : subpath;
      splices.set(place.to, { from: place.to, to: place.linkTo, text: place.quote(written) });
    }
  }
  const after = applySplices(text, sortSplices([...splices.values()]));
  const wanted = new Map(changes.map(({ index, subpath }) => [index, subpath]));
  const found = linksIn(path, after);
  const reads = found.map(({ link }, index) => link === rewritten(links[index]?.link ?? "", wanted.get(index)));
  const failed = unplaced.length > 0 || found.length !== links.length || reads.includes(false);
  return failed ? { text, failed: changes.map(({ index }) => index) } : { text: after, failed: [] };
}
function rewritten(link, subpath) {
  return subpath === void 0 ? link : splitLink(link).path + subpath;
}
var UNSAFE = /[\0- <>()\\`%\x7F]/g;
function encoded(subpath) {
  return subpath.replace(UNSAFE, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
function headingSubpath(texts) {
  return texts.map(
    (text) => `#${text.replace(/[#|^:%[\]\\]/g, " ").replace(/\s+/g, " ").trim()}`
  ).join("");
}

// src/markdown/merge/block-ids.ts
function withFreeBlockIds(path, text, used) {
  const view = viewForEdits(path, text);
  const own = new Set(view.note.blocks.map(({ id }) => id.toLowerCase()));
  const renamed = /* @__PURE__ */ new Map();
  for (const id of own)
    if (used.has(id))
      renamed.set(
        id,
        freeId(id, (each) => used.has(each) || own.has(each))
      );
  const splices = view.note.blocks.flatMap((block) => {
    const to = renamed.get(block.id.toLowerCase());
    return to === void 0 ? [] : [spliceOf2(view, block, to)];
  });
  if (splices.includes(void 0)) return void 0;
  const unique = new Map(splices.map((splice) => [splice.from, splice]));
  const after = applySplices(text, sortSplices([...unique.values()]));
  const wanted = view.note.blocks.map(({ id }) => renamed.get(id.toLowerCase()) ?? id);
  const isMeant = parseNote(after).blocks.every(({ id }, index) => id === wanted[index]);
  return isMeant ? { text: after, renamed } : void 0;
}
function freeId(id, isTaken) {
  let number = 2;
  while (isTaken(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}
function spliceOf2({ text, lines }, { id, line, endLine }, to) {
  for (let at = line - 1; at < lines.starts.length; at += 1) {
    const [from = 0, end = 0] = [lines.starts[at], lines.ends[at]];
    const quoted = from + (/^[ \t>]*/.exec(text.slice(from, end))?.[0].length ?? 0);
    if (blockIdAt(text, quoted, end)?.id === id) {
      const idFrom = text.lastIndexOf(`^${id}`, end) + 1;
      return { from: idFrom, to: idFrom + id.length, text: to };
    }
    if (at >= endLine && quoted < end) return void 0;
  }
  return void 0;
}

// src/markdown/merge/merge.ts
function mergedTexts({ path, text, sources, subpaths }) {
  const merged = mergeNotes(path, text, sources);
  if ("fault" in merged) return merged;
  const view = viewForEdits(path, merged.text);
  const parts = new Map(merged.parts.map((part) => [part.source.path, part]));
  const renamed = merged.parts.flatMap(
    ({ source, renamed: ids }) => [...ids].map(([block, to]) => ({ path: source.path, block, to }))
  );
  const named = subpaths.map(({ target, subpath }) => {
    const part = parts.get(target);
    return part && mergedSubpath(view, part, subpath);
  });
  return { text: merged.text, renamed, subpaths: named };
}
function mergeNotes(path, text, sources) {
  const into = viewForEdits(path, text);
  const used = new Set(into.note.blocks.map(({ id }) => id.toLowerCase()));
  let merged = text;
  let headingAt2 = into.note.headings.length;
  const parts = [];
  for (const { path: from, title, text: whole } of sources) {
    const body = textAfterProperties(whole);
    const free = withFreeBlockIds(from, body, used);
    if (free === void 0) return { fault: { path: from, reason: "one of its block ids cannot be renamed" } };
    const source = viewForEdits(from, free.text);
    const dropsTitle = repeatsTitle(source, title);
    const own = dropsTitle ? free.text.slice(endOfFirstHeading(source)) : free.text;
    const heading = `## ${title}`;
    const below = headingsBelow(2, from, withoutBlankStart(own));
    const section = below.trim() === "" ? heading : `${heading}

${below}`;
    merged = editNote(path, merged, [{ op: "append", text: section }]).text;
    parts.push({ source, renamed: free.renamed, dropsTitle, headingAt: headingAt2, title });
    headingAt2 += source.note.headings.length + (dropsTitle ? 0 : 1);
    for (const { id } of source.note.blocks) used.add(id.toLowerCase());
  }
  return { text: merged, parts };
}
function repeatsTitle(source, title) {
  const [first] = source.note.headings;
  if (first === void 0 || foldHeading(first.text) !== foldHeading(title)) return false;
  return source.text.slice(0, source.lines.starts[first.line - 1] ?? 0).trim() === "";
}
function endOfFirstHeading(source) {
  const [first] = source.note.headings;
  if (first === void 0) return 0;
  return source.lines.starts[headingLines(source, first).last + 1] ?? source.text.length;
}
function withoutBlankStart(text) {
  return text.replace(/^(?:[ \t]*(?:\r\n?|\n))+/, "");
}
function mergedSubpath(merged, part, subpath) {
  const { source, renamed, title, headingAt: headingAt2, dropsTitle } = part;
  const id = /#\s*\^([^#]*)$/.exec(subpath)?.[1]?.trim().toLowerCase();
  if (id !== void 0) {
    const now = renamed.get(id);
    return now === void 0 ? void 0 : { subpath: `#^${now}` };
  }
  const span = resolveSubpath(subpath, source.note, source.lines.starts.length);
  const index = source.note.headings.findIndex(({ line }) => line === span?.line);
  if (span === null || index === -1) return void 0;
  const place = headingAt2 + (dropsTitle ? index : index + 1);
  const leads = (to) => resolveSubpath(to, merged.note, merged.lines.starts.length)?.line === merged.note.headings[place]?.line;
  if (leads(subpath)) return void 0;
  const found = [
    `${headingSubpath([title])}${subpath}`,
    headingPath(source, index, [title]),
    headingPath(source, index, [])
  ];
  const exact = found.find(leads);
  return exact === void 0 ? { subpath: headingSubpath([title]), inexact: true } : { subpath: exact };
}
function headingPath({ note: { headings } }, index, above) {
  const path = [];
  let level = Number.POSITIVE_INFINITY;
  for (let at = index; at >= 0; at -= 1) {
    const heading = headings[at];
    if (heading === void 0 || heading.level >= level) continue;
    path.unshift(heading.text);
    level = heading.level;
  }
  return headingSubpath([...above, ...path]);
}
var MAX_LEVEL = 6;
function headingsBelow(level, path, text) {
  const view = viewForEdits(path, text);
  const { headings } = view.note;
  const shift = level + 1 - Math.min(...headings.map((heading) => heading.level));
  if (headings.length === 0 || shift <= 0) return text;
  const levelOf = (old) => Math.min(old + shift, MAX_LEVEL);
  const splices = headings.flatMap((heading) => {
    const { first, last } = headingLines(view, heading);
    const isUnderlined = first !== last;
    const signs = "#".repeat(levelOf(heading.level) - (isUnderlined ? 0 : heading.level));
    const mark = { from: heading.offset, to: heading.offset, text: isUnderlined ? `${signs} ` : signs };
    const [end = 0, underlineEnd = 0] = [view.lines.ends[first], view.lines.ends[last]];
    return isUnderlined ? [mark, { from: end, to: underlineEnd, text: "" }] : [mark];
  });
  const moved = applySplices(text, sortSplices(splices));
  const found = parseNote(moved).headings;
  const isMeant = found.length === headings.length && found.every((heading, at) => heading.text === headings[at]?.text && heading.level === levelOf(headings[at].level));
  return isMeant ? moved : text;
}

// src/compute/text-jobs.ts
var SMALL_TEXT = 64 * 1024;
function textJob(run, textsOf) {
  const isSmall2 = (input) => textsOf(input).reduce((sum, { length }) => sum + length, 0) <= SMALL_TEXT;
  return job({ run, isSmall: isSmall2, handOver: copied, buffersOf: () => [] });
}
var movable = (bytes) => bytes !== void 0 && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
var textJobs = Object.freeze({
  edit: textJob(
    ({ path, text, edits, taskDates }) => editNote(path, text, edits, taskDates).text,
    ({ text }) => [text]
  ),
  properties: textJob(
    ({ path, text, changes }) => editProperties(path, text, changes),
    ({ text }) => [text]
  ),
  rename_tag: textJob(
    ({ path, text, rename }) => {
      const renamed = renameTags(path, text, rename);
      return { ...renamed, spellings: tagSpellings(path, renamed.text, rename) };
    },
    ({ text }) => [text]
  ),
  merge: textJob(mergedTexts, ({ text, sources }) => [text, ...sources.map((source) => source.text)]),
  subpaths: textJob(
    ({ path, text, changes }) => rewriteSubpaths(path, text, changes),
    ({ text }) => [text]
  ),
  replace: job({
    // Imported here, so that the main thread never loads the engine.
    run: async (input) => (await import("./replace-text-OE7L77L2.js")).replaceText(input),
    // Never inline: a search can be aborted only by ending its thread.
    isSmall: () => false,
    handOver: copied,
    buffersOf: () => []
  }),
  lost_parts: textJob(
    ({ before, after, subpaths }) => lostParts(before, after, subpaths),
    ({ before, after }) => [before, after]
  ),
  diff: textJob(
    ({ files, longest }) => boundedDiff(files, longest),
    ({ files }) => files.flatMap(({ before = "", after = "" }) => [before, after])
  ),
  mentions: textJob(mentionsWithin, ({ text }) => [text]),
  names: textJob(
    ({ text, names }) => firstMentions(text, names),
    ({ text }) => [text]
  ),
  tasks: textJob(
    ({ text }) => parseNote(text).tasks,
    ({ text }) => [text]
  ),
  signatures: textJob(
    ({ texts }) => texts.map(textSignature),
    ({ texts }) => texts
  ),
  sections: textJob(promptSections, ({ text }) => [text]),
  chunks: textJob(bestChunks, (input) => input.notes.map(({ text }) => text)),
  quotes: textJob(quotePlaces, ({ text }) => [text]),
  insert: textJob(insertLinks, ({ text }) => [text]),
  follow: job({
    run: followLinks,
    // Never inline: it would index the paths of the whole vault for one file.
    isSmall: () => false,
    handOver: copied,
    buffersOf: (followed2) => movable(followed2?.file.changed?.bytes)
  })
});

// src/compute/jobs.ts
var SMALL_RANKING = 1e5;
var SMALL_BETWEENNESS = 5e5;
var sizeOf2 = (rows) => nodeCountOf(rows) + rows.targets.length;
var bufferOf = (column) => column.buffer;
var copyRows = ({ offsets, targets, counts: counts2 }) => ({ input: { offsets, targets, counts: counts2 }, transfer: [] });
var jobs = Object.freeze({
  ...textJobs,
  parse: job({
    run: parseFiles,
    isSmall,
    handOver,
    buffersOf: () => []
  }),
  index: job({
    run: indexFiles,
    isSmall,
    handOver,
    buffersOf: buffersOfWords
  }),
  chunk: job({
    run: chunkFiles,
    isSmall: isSmallText,
    handOver: handOverFiles,
    buffersOf: () => []
  }),
  snippets: job({
    run: pickSnippets,
    isSmall: areSmallSnippets,
    handOver: copied,
    buffersOf: () => []
  }),
  passages: job({
    run: pickPassages,
    isSmall: areSmallPassages,
    handOver: copied,
    buffersOf: () => []
  }),
  pagerank: job({
    run: pagerank,
    isSmall: (rows) => sizeOf2(rows) <= SMALL_RANKING,
    handOver: copyRows,
    buffersOf: (scores) => [bufferOf(scores)]
  }),
  betweenness: job({
    run: betweenness,
    isSmall: (rows) => sizeOf2(rows) * nodeCountOf(rows) <= SMALL_BETWEENNESS,
    handOver: copyRows,
    buffersOf: ({ scores }) => [bufferOf(scores)]
  }),
  communities: job({
    // Imported here, so that the main thread never loads the graph library.
    run: async (rows) => (await import("./communities-VYLZBQB7.js")).communities(rows),
    // Never inline: a search in a library can be aborted only by ending its thread.
    isSmall: () => false,
    handOver: copyRows,
    buffersOf: ({ communityOf, sizes }) => [bufferOf(communityOf), bufferOf(sizes)]
  }),
  pdf: job({
    // As above: only the thread for PDFs loads pdf.js.
    run: async (pdf) => (await import("./pdf-text-6J73FQKM.js")).textOfPdf(pdf),
    isSmall: () => false,
    handOver: (pdf) => {
      const { input, transfer } = handOver([pdf]);
      return { input: input[0] ?? pdf, transfer };
    },
    buffersOf: () => []
  })
});
var jobNamed = (name) => jobs[name];

// src/compute/thread.ts
var port = parentPort;
if (port === null) throw new VaultgraphError("INTERNAL", { kind: "not_in_a_thread" });
process.env = { ...process.env };
port.on("message", async ({ job: job2, input }) => {
  const { run, buffersOf } = jobNamed(job2);
  const [outcome] = await Promise.allSettled([(async () => run(input))()]);
  if (outcome.status === "fulfilled") return send({ output: outcome.value }, buffersOf(outcome.value));
  if (!(outcome.reason instanceof VaultgraphError)) throw outcome.reason;
  send({ refusal: serializeError(outcome.reason) });
});
function send(answer, buffers = []) {
  port?.postMessage(answer, buffers);
}
