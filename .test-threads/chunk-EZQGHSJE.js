import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  bodyStart,
  decodeDestination,
  definitionIn,
  headingAt,
  inlineTargetAt,
  isBlank,
  labelOf,
  lineIndexAt,
  offsetIn,
  parseNote,
  partitionPoint,
  runOf,
  runOfString,
  skipBlanks,
  skipSpace,
  splitLines,
  splitLink
} from "./chunk-NVDSTPDZ.js";
import {
  fileKindOf
} from "./chunk-E4QZ4GQG.js";
import {
  VaultgraphError
} from "./chunk-DGCWP52G.js";
import {
  __commonJS,
  __toESM
} from "./chunk-ZNZW5SZL.js";

// node_modules/fastest-levenshtein/mod.js
var require_mod = __commonJS({
  "node_modules/fastest-levenshtein/mod.js"(exports) {
    "use strict";
    exports.__esModule = true;
    exports.distance = exports.closest = void 0;
    var peq = new Uint32Array(65536);
    var myers_32 = function(a, b) {
      var n = a.length;
      var m = b.length;
      var lst = 1 << n - 1;
      var pv = -1;
      var mv = 0;
      var sc = n;
      var i = n;
      while (i--) {
        peq[a.charCodeAt(i)] |= 1 << i;
      }
      for (i = 0; i < m; i++) {
        var eq = peq[b.charCodeAt(i)];
        var xv = eq | mv;
        eq |= (eq & pv) + pv ^ pv;
        mv |= ~(eq | pv);
        pv &= eq;
        if (mv & lst) {
          sc++;
        }
        if (pv & lst) {
          sc--;
        }
        mv = mv << 1 | 1;
        pv = pv << 1 | ~(xv | mv);
        mv &= xv;
      }
      i = n;
      while (i--) {
        peq[a.charCodeAt(i)] = 0;
      }
      return sc;
    };
    var myers_x = function(b, a) {
      var n = a.length;
      var m = b.length;
      var mhc = [];
      var phc = [];
      var hsize = Math.ceil(n / 32);
      var vsize = Math.ceil(m / 32);
      for (var i = 0; i < hsize; i++) {
        phc[i] = -1;
        mhc[i] = 0;
      }
      var j = 0;
      for (; j < vsize - 1; j++) {
        var mv_1 = 0;
        var pv_1 = -1;
        var start_1 = j * 32;
        var vlen_1 = Math.min(32, m) + start_1;
        for (var k = start_1; k < vlen_1; k++) {
          peq[b.charCodeAt(k)] |= 1 << k;
        }
        for (var i = 0; i < n; i++) {
          var eq = peq[a.charCodeAt(i)];
          var pb = phc[i / 32 | 0] >>> i & 1;
          var mb = mhc[i / 32 | 0] >>> i & 1;
          var xv = eq | mv_1;
          var xh = ((eq | mb) & pv_1) + pv_1 ^ pv_1 | eq | mb;
          var ph = mv_1 | ~(xh | pv_1);
          var mh = pv_1 & xh;
          if (ph >>> 31 ^ pb) {
            phc[i / 32 | 0] ^= 1 << i;
          }
          if (mh >>> 31 ^ mb) {
            mhc[i / 32 | 0] ^= 1 << i;
          }
          ph = ph << 1 | pb;
          mh = mh << 1 | mb;
          pv_1 = mh | ~(xv | ph);
          mv_1 = ph & xv;
        }
        for (var k = start_1; k < vlen_1; k++) {
          peq[b.charCodeAt(k)] = 0;
        }
      }
      var mv = 0;
      var pv = -1;
      var start = j * 32;
      var vlen = Math.min(32, m - start) + start;
      for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] |= 1 << k;
      }
      var score = m;
      for (var i = 0; i < n; i++) {
        var eq = peq[a.charCodeAt(i)];
        var pb = phc[i / 32 | 0] >>> i & 1;
        var mb = mhc[i / 32 | 0] >>> i & 1;
        var xv = eq | mv;
        var xh = ((eq | mb) & pv) + pv ^ pv | eq | mb;
        var ph = mv | ~(xh | pv);
        var mh = pv & xh;
        score += ph >>> m - 1 & 1;
        score -= mh >>> m - 1 & 1;
        if (ph >>> 31 ^ pb) {
          phc[i / 32 | 0] ^= 1 << i;
        }
        if (mh >>> 31 ^ mb) {
          mhc[i / 32 | 0] ^= 1 << i;
        }
        ph = ph << 1 | pb;
        mh = mh << 1 | mb;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
      }
      for (var k = start; k < vlen; k++) {
        peq[b.charCodeAt(k)] = 0;
      }
      return score;
    };
    var distance2 = function(a, b) {
      if (a.length < b.length) {
        var tmp = b;
        b = a;
        a = tmp;
      }
      if (b.length === 0) {
        return a.length;
      }
      if (a.length <= 32) {
        return myers_32(a, b);
      }
      return myers_x(a, b);
    };
    exports.distance = distance2;
    var closest = function(str, arr) {
      var min_distance = Infinity;
      var min_index = 0;
      for (var i = 0; i < arr.length; i++) {
        var dist = distance2(str, arr[i]);
        if (dist < min_distance) {
          min_distance = dist;
          min_index = i;
        }
      }
      return arr[min_index];
    };
    exports.closest = closest;
  }
});

// src/markdown/edit/view.ts
function viewForEdits(path, text) {
  const lines = splitLines(text);
  const { bodyLine } = bodyStart(text, lines);
  return { path, text, lines, lineEnd: dominantLineEnd(text), note: parseNote(text), bodyLine };
}
function lineAt({ text, lines }, index) {
  return text.slice(lines.starts[index] ?? text.length, lines.ends[index] ?? text.length);
}
function isBlankLine({ text, lines }, index) {
  const end = lines.ends[index] ?? text.length;
  return skipBlanks(text, lines.starts[index] ?? text.length, end) === end;
}
function headingLines({ text, lines }, heading) {
  const first = heading.line - 1;
  const marked = headingAt(text, heading.offset, lines.ends[first] ?? text.length) !== void 0;
  return { first, last: marked && text.charAt(heading.offset) === "#" ? first : first + 1 };
}
function isUnended({ text }) {
  return text !== "" && !/[\r\n]$/.test(text);
}
var ANY_END = /\r\n?|\n/g;
function dominantLineEnd(text) {
  if (!text.includes("\r")) return "\n";
  const counts = { "\r\n": 0, "\n": 0, "\r": 0 };
  for (const [end] of text.matchAll(ANY_END)) counts[end] += 1;
  const most = Math.max(counts["\r\n"], counts["\n"], counts["\r"]);
  if (counts["\r\n"] === most) return "\r\n";
  return counts["\n"] === most ? "\n" : "\r";
}
function withLineEnd(text, lineEnd) {
  return text.replace(ANY_END, lineEnd);
}
function withLineEndsOf(text, model, lineEnd) {
  const ends = model.match(ANY_END) ?? [];
  let at = 0;
  return text.replace(ANY_END, () => ends[at++] ?? lineEnd);
}
function withoutBlankEdges(text) {
  const { starts, ends } = splitLines(text);
  const isText = (start, line) => skipBlanks(text, start, ends[line] ?? 0) < (ends[line] ?? 0);
  const first = starts.findIndex(isText);
  return first === -1 ? "" : text.slice(starts[first], ends[starts.findLastIndex(isText)]);
}

// src/markdown/edit/splice.ts
function sortSplices(splices) {
  return [...splices].sort((one, other) => one.from - other.from || one.to - other.to);
}
function overlapIn(sorted) {
  let last;
  for (const splice of sorted) {
    if (last !== void 0 && splice.from < last.to) return [last, splice];
    if (last === void 0 || splice.to > last.to) last = splice;
  }
  return void 0;
}
function applySplices(text, sorted) {
  let changed = "";
  let at = 0;
  for (const splice of sorted) {
    changed += text.slice(at, splice.from) + splice.text;
    at = splice.to;
  }
  return changed + text.slice(at);
}
function offsetMapper(sorted) {
  const shifts = [];
  let shift = 0;
  for (const { from, to, text } of sorted) {
    shift += text.length - (to - from);
    shifts.push(shift);
  }
  return (offset) => {
    const before = partitionPoint(sorted.length, (index) => sorted[index].from <= offset);
    const last = sorted[before - 1];
    return last !== void 0 && last.to > offset ? void 0 : offset + (shifts[before - 1] ?? 0);
  };
}

// src/base/nearest.ts
var import_fastest_levenshtein = __toESM(require_mod(), 1);
var FARTHEST_SHARE = 0.4;
function nearestName(name, allowed) {
  const wanted = name.toLowerCase();
  let best;
  let least = Math.max(1, Math.floor(wanted.length * FARTHEST_SHARE)) + 1;
  for (const candidate of allowed) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const edits = (0, import_fastest_levenshtein.distance)(wanted, candidate.toLowerCase());
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

// src/markdown/links/section.ts
function lineCountOf(text) {
  return splitLines(text).starts.length;
}
function sectionSpan(headings, index, lineCount) {
  const heading = headings[index];
  if (heading === void 0) return null;
  let next = index + 1;
  while ((headings[next]?.level ?? 0) > heading.level) next += 1;
  const below = headings[next];
  return { line: heading.line, endLine: below === void 0 ? Math.max(lineCount, heading.line) : below.line - 1 };
}
function textOfLines(text, { line, endLine }) {
  const { starts, ends } = splitLines(text);
  const last = Math.min(endLine, ends.length);
  return text.slice(starts[line - 1] ?? text.length, ends[last - 1] ?? text.length);
}
function resolveSubpath(subpath, outline, lineCount) {
  const parts = subpath.split("#").map((part) => part.trim()).filter((part) => part !== "");
  const last = parts[parts.length - 1];
  if (last === void 0) return null;
  const [first, ...others] = last.startsWith("^") ? blocksNamed(last.slice(1), outline.blocks) : sectionsNamed(parts, outline.headings, lineCount);
  return first === void 0 ? null : { ...first, others };
}
function blocksNamed(id, blocks) {
  const wanted = id.toLowerCase();
  return blocks.filter((block) => block.id.toLowerCase() === wanted).map(({ line, endLine }) => ({ line, endLine }));
}
function sectionsNamed(parts, headings, lineCount) {
  const folded = headings.map(({ text }) => foldHeading(text));
  let spans = [{ line: 0, endLine: lineCount }];
  for (const part of parts) {
    const wanted = foldHeading(part);
    spans = headings.flatMap((heading, index) => {
      const inside = folded[index] === wanted && spans.some((span) => heading.line > span.line && heading.line <= span.endLine);
      return inside ? sectionSpan(headings, index, lineCount) ?? [] : [];
    });
  }
  return spans;
}
function foldHeading(text) {
  return text.normalize("NFC").replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\r\n]/g, " ").replace(/\s+/g, " ").trim().toLowerCase();
}

// src/markdown/edit/target.ts
var MAX_CHOICES = 10;
var MAX_HEADINGS = 40;
var MAX_LABEL_LENGTH = 120;
function locateTarget(view, name) {
  const { target: written, line } = name;
  const target = written.startsWith("^") ? `#${written}` : written;
  const found = resolve(view, target) ?? resolve(view, `#${target.replaceAll("#", " ")}`);
  const all = found === null ? [] : [found, ...found.others];
  const spans = line === void 0 ? all : all.filter((span2) => span2.line === line);
  const [span, further] = spans;
  if (span === void 0) throw missingTarget(view, target);
  if (further !== void 0)
    throw ambiguousTarget(
      view,
      name,
      spans.map((each) => each.line)
    );
  return targetAt(view, span, target);
}
function resolve({ note, lines }, subpath) {
  return resolveSubpath(subpath, note, lines.starts.length);
}
function targetAt(view, span, target) {
  const id = /#\s*\^([^#]*)$/.exec(target)?.[1]?.trim().toLowerCase();
  const isNamed = (each) => each.id.toLowerCase() === id && each.line === span.line;
  const block = view.note.blocks.find((each) => isNamed(each) && each.endLine === span.endLine);
  if (block !== void 0) return { kind: "block", block, first: span.line - 1, last: span.endLine - 1 };
  const heading = view.note.headings.find((each) => each.line === span.line);
  if (heading === void 0) throw missingTarget(view, target);
  return { kind: "heading", heading, ...headingLines(view, heading), sectionEnd: span.endLine - 1 };
}
function missingTarget({ path, note }, target) {
  const outline = note.headings.slice(0, MAX_HEADINGS).map(headingLabel);
  return new VaultgraphError("EDIT_TARGET_NOT_FOUND", { path, target, count: 0, outline });
}
function headingLabel({ level, text }) {
  return `${"#".repeat(level)} ${text}`;
}
function ambiguousTarget(view, { target, at }, found, expected = 1) {
  const { path } = view;
  const times = /* @__PURE__ */ new Map();
  for (const line of found) times.set(line, (times.get(line) ?? 0) + 1);
  const items = [...times].flatMap(
    ([line, count]) => count === expected ? [{ value: String(line), path, line, label: lineLabel(view, line) }] : []
  );
  const lines = [...times.keys()].slice(0, MAX_CHOICES);
  const choices = { items: items.slice(0, MAX_CHOICES), total: items.length, retryWith: `${at}.line` };
  const details = { path, target, count: found.length, expected, lines };
  return new VaultgraphError("EDIT_TARGET_AMBIGUOUS", details, items.length === 0 ? {} : { choices });
}
function lineLabel(view, line) {
  const text = lineAt(view, line - 1).trim();
  return text.length <= MAX_LABEL_LENGTH ? text : `${text.slice(0, MAX_LABEL_LENGTH).toWellFormed()}\u2026`;
}
var ACCEPTED = {
  edit_note: ["note", "edits", "create", "if_match", "confirm", "dry_run", "plan_id"],
  set_properties: [
    ...["note", "notes", "filter", "set", "remove", "add_tags", "remove_tags", "add_aliases", "remove_aliases"],
    ...["if_match", "confirm", "dry_run", "plan_id"]
  ]
};
function editRefusal(tool, at, rule) {
  const issue = { path: at, rule };
  return new VaultgraphError("INVALID_INPUT", { tool, issues: [issue], accepted: ACCEPTED[tool] });
}

// src/markdown/edit/exact-text.ts
var MAX_LINES = 2e4;
var MAX_LINE_LENGTH = 300;
function locateText(view, name, count) {
  const { places, overlapping } = occurrencesOf(view.text, name.target);
  const lineOf = ({ from }) => lineIndexAt(view.lines, from) + 1;
  const matching = name.line === void 0 ? places : places.filter((place) => lineOf(place) === name.line);
  if (matching.length === 0) throw missingText(view, name.target);
  if (matching.length !== count || overlapping) throw ambiguousTarget(view, name, matching.map(lineOf), count);
  return matching;
}
function occurrencesOf(text, target) {
  const folded = foldLineEnds(text);
  const wanted = foldLineEnds(target).text;
  const places = [];
  let overlapping = false;
  let at = wanted === "" ? -1 : folded.text.indexOf(wanted);
  while (at !== -1) {
    const end = at + wanted.length;
    places.push({ from: folded.offsetOf(at), to: folded.offsetOf(end) });
    const next = overlapping ? -1 : folded.text.indexOf(wanted, at + 1);
    overlapping ||= next !== -1 && next < end;
    at = next >= end ? next : folded.text.indexOf(wanted, end);
  }
  return { places, overlapping };
}
function foldLineEnds(text) {
  if (!text.includes("\r")) return { text, offsetOf: (index) => index };
  const pairs = [];
  for (const { index } of text.matchAll(/\r\n/g)) pairs.push(index - pairs.length);
  const offsetOf = (index) => index + partitionPoint(pairs.length, (pair) => pairs[pair] < index);
  return { text: text.replace(/\r\n?/g, "\n"), offsetOf };
}
function missingText(view, target) {
  const near = nearestLine(view, target);
  const nearest = near === void 0 ? {} : { nearest: near };
  return new VaultgraphError("EDIT_TARGET_NOT_FOUND", { path: view.path, target, count: 0, ...nearest });
}
function nearestLine(view, target) {
  const wanted = normalizeLoosely(target.trim().split(/[\r\n]/, 1)[0] ?? "").slice(0, MAX_LINE_LENGTH);
  if (wanted === "") return void 0;
  const numbers = /* @__PURE__ */ new Map();
  for (let index = 0; index < Math.min(view.lines.starts.length, MAX_LINES); index += 1) {
    const line2 = normalizeLoosely(lineAt(view, index).slice(0, MAX_LINE_LENGTH));
    if (line2 !== "" && !numbers.has(line2)) numbers.set(line2, index + 1);
  }
  const lines = [...numbers.keys()];
  const near = lines.find((line2) => line2.includes(wanted)) ?? lineSharingWords(wanted, lines) ?? nearestName(wanted, lines);
  const line = numbers.get(near ?? "");
  if (line === void 0) return void 0;
  return {
    line,
    text: lineAt(view, line - 1).trim().slice(0, MAX_LINE_LENGTH).toWellFormed()
  };
}
function lineSharingWords(wanted, lines) {
  const words = new Set(wordsOf(wanted));
  let best;
  let most = Math.max(1, words.size / 2);
  for (const line of lines) {
    const shared = new Set(wordsOf(line).filter((word) => words.has(word))).size;
    if (shared > most) [best, most] = [line, shared];
  }
  return best;
}
function wordsOf(text) {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
function normalizeLoosely(text) {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

// src/markdown/links/link-path.ts
function createLinkPathLocator(path, text) {
  let definitions;
  return (link) => {
    const { quote, run } = surroundings(path, text, link);
    if (link.kind === "canvas") return pathIn(run, { from: 0, to: run.text.length }, "file", quote);
    if (link.kind === "reference") {
      definitions ??= definitionsIn(text);
      return pathInDefinition(run, link, definitions);
    }
    return /^!?\[\[/.test(run.text) ? wikilinkPath(run, link, quote) : destinationPath(run, link, quote);
  };
}
var asIs = (path) => path;
var asJson = (path) => JSON.stringify(path).slice(1, -1);
function surroundings(path, text, { kind, offset, end }) {
  if (fileKindOf(path) === "canvas") {
    const escapesSlash = text.slice(offset, end).includes("\\/");
    const quote = (to) => escapesSlash ? asJson(to).replaceAll("/", "\\/") : asJson(to);
    return { run: runOfString(text, { from: offset - 1, to: end + 1 }), quote };
  }
  const run = runOf(text, offset, end);
  const sign = kind === "property" ? signBefore(text, offset) : "";
  if (sign === '"') return { run: unescapedRun(run, /\\./g), quote: asJson };
  if (sign === "'") return { run: unescapedRun(run, /''/g), quote: (to) => to.replaceAll("'", "''") };
  return { run, quote: asIs };
}
function signBefore(text, offset) {
  let at = offset - 1;
  while (at >= 0 && isBlank(text.charCodeAt(at))) at -= 1;
  return text.charAt(at);
}
function unescapedRun({ text, pieces }, pair) {
  const start = pieces[0]?.offset ?? 0;
  const found = [{ at: 0, offset: start }];
  let read = "";
  let at = 0;
  for (const { index, 0: signs } of text.matchAll(pair)) {
    read += text.slice(at, index) + signs.charAt(1);
    at = index + signs.length;
    found.push({ at: read.length, offset: start + at });
  }
  return { text: read + text.slice(at), pieces: found };
}
function pathIn(run, { from, to }, form, quote, linkTo = to) {
  const [start, end, linkEnd] = [offsetIn(run, from), offsetIn(run, to), offsetIn(run, linkTo)];
  return { form, from: start, to: end, linkTo: linkEnd, written: run.text.slice(from, to), quote };
}
function wikilinkPath(run, { link }, quote) {
  const start = run.text.indexOf("[[") + 2;
  const content = run.text.slice(start, -2);
  const bar = content.indexOf("|");
  const named = bar <= 0 ? content : content.slice(0, content.charAt(bar - 1) === "\\" ? bar - 1 : bar);
  const hash = named.indexOf("#");
  const part = hash === -1 ? named : named.slice(0, hash);
  const from = start + part.length - part.trimStart().length;
  const span = { from, to: start + part.trimEnd().length };
  const found = pathIn(run, span, "wikilink", quote, start + named.trimEnd().length);
  return found.written === splitLink(link).path ? found : void 0;
}
function destinationPath(run, { link }, quote) {
  for (let at = run.text.lastIndexOf("]("); at > 0; at = run.text.lastIndexOf("](", at - 1)) {
    const target = inlineTargetAt(run.text, at + 1);
    if (target?.end === run.text.length && decodeDestination(target.raw) === link)
      return destinationAt(run, at + 2, target.raw, quote);
  }
  return void 0;
}
function destinationAt(run, start, raw, quote) {
  let from = skipSpace(run.text, start);
  const enclosed = run.text.charAt(from) === "<";
  if (enclosed) from += 1;
  const cut = raw.search(/#|%23|\\#/);
  const to = from + (cut === -1 ? raw.length : cut);
  return pathIn(run, { from, to }, enclosed ? "enclosed" : "bare", quote, from + raw.length);
}
var MARKS = /^[ \t]*(?:(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*)*/;
function definitionsIn(text) {
  const found = /* @__PURE__ */ new Map();
  for (const { index, 0: line } of text.matchAll(/[^\r\n]+/g)) {
    const from = line.includes("]:") ? MARKS.exec(line)?.[0].length ?? 0 : line.length;
    const definition = definitionIn(line.slice(from));
    if (definition === void 0) continue;
    const { label, raw, start } = definition;
    const path = destinationAt(runOf(text, index, index + line.length), from + start, raw, asIs);
    const same = found.get(label);
    if (same === void 0) found.set(label, [{ link: decodeDestination(raw), path }]);
    else same.push({ link: decodeDestination(raw), path });
  }
  return found;
}
function pathInDefinition(run, link, all) {
  const label = labelOf(/\]\[([^[\]]*)\]$/.exec(run.text)?.[1] || link.display);
  const [first, second] = (all.get(label) ?? []).filter((defined) => defined.link === link.link);
  return second === void 0 ? first?.path : void 0;
}

export {
  lineCountOf,
  textOfLines,
  resolveSubpath,
  foldHeading,
  viewForEdits,
  lineAt,
  isBlankLine,
  headingLines,
  isUnended,
  dominantLineEnd,
  withLineEnd,
  withLineEndsOf,
  withoutBlankEdges,
  sortSplices,
  overlapIn,
  applySplices,
  offsetMapper,
  locateTarget,
  ambiguousTarget,
  editRefusal,
  locateText,
  foldLineEnds,
  missingText,
  createLinkPathLocator
};
