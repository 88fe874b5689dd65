import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  comparePaths
} from "./chunk-OTTFF52N.js";
import {
  foldName,
  nameKeyOf,
  normalizeName,
  splitLink
} from "./chunk-NVDSTPDZ.js";
import {
  fileKindOf,
  noteName
} from "./chunk-E4QZ4GQG.js";

// src/markdown/frontmatter/note-title.ts
function titleProperty(properties) {
  const value = Object.entries(properties).find(([name]) => foldName(name) === "title")?.[1];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : void 0;
}
function noteTitle(path, properties) {
  return titleProperty(properties) ?? noteName(path);
}

// src/postings/bytes.ts
var FIRST_CAPACITY = 1024;
var encoder = new TextEncoder();
var ByteWriter = class {
  bytes = new Uint8Array(FIRST_CAPACITY);
  length = 0;
  clear() {
    this.length = 0;
  }
  /** What was written so far, valid until the next write. */
  view() {
    return this.bytes.subarray(0, this.length);
  }
  /** @param value a whole number from 0 to 2^32 - 1 */
  number(value) {
    if (this.length + 5 > this.bytes.length) this.#reserve(5);
    let rest = value;
    while (rest > 127) {
      this.bytes[this.length++] = rest & 127 | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }
  byte(value) {
    if (this.length === this.bytes.length) this.#reserve(1);
    this.bytes[this.length++] = value;
  }
  copy(from, start, end) {
    const count = end - start;
    this.#reserve(count);
    if (count > 32) this.bytes.set(from.subarray(start, end), this.length);
    else for (let at = 0; at < count; at++) this.bytes[this.length + at] = from[start + at];
    this.length += count;
  }
  /** In UTF-8. */
  text(text) {
    this.#reserve(text.length * 3);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127) {
        this.length += encoder.encodeInto(text.slice(at), this.bytes.subarray(this.length)).written;
        return;
      }
      this.bytes[this.length++] = unit;
    }
  }
  #reserve(count) {
    if (this.length + count <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    larger.set(this.view());
    this.bytes = larger;
  }
};
var ByteReader = class {
  data;
  at;
  constructor(data, at = 0) {
    this.data = data;
    this.at = at;
  }
  /** Past the end of the data it is 0. */
  number() {
    let byte = this.data[this.at++];
    if (byte < 128) return byte;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      value |= (byte & 127) << shift;
      if (!(byte > 127)) return value >>> 0;
      byte = this.data[this.at++];
    }
  }
  /** Reads past `count` numbers. */
  skip(count) {
    const { data } = this;
    let left = count;
    let at = this.at;
    while (left > 0 && at < data.length) if (data[at++] < 128) left -= 1;
    this.at = at;
  }
};
function compareBytes(one, length, other, from, to) {
  const count = Math.min(length, to - from);
  for (let at = 0; at < count; at++) {
    const difference = one[at] - other[from + at];
    if (difference !== 0) return difference;
  }
  return length - (to - from);
}

// src/postings/segment-packer.ts
var MAX_ROW_BYTES = 4e3;
var MAX_SHARED_BYTES = 1500;
var SegmentPacker = class {
  #emit;
  #row = new ByteWriter();
  #directory = new ByteWriter();
  #last = new ByteWriter();
  #first = new ByteWriter();
  #hasDirectory = false;
  /** @param emit takes a row; its bytes change afterwards */
  constructor(emit) {
    this.#emit = emit;
  }
  /** @param word in UTF-8, after the one before */
  add(word, length, list) {
    const { notes, places } = list;
    const bytes = notes.length + places.length;
    const isLong = bytes > MAX_SHARED_BYTES;
    if (isLong || this.#row.length + length + bytes + 12 > MAX_ROW_BYTES) this.#endRow();
    if (this.#row.length === 0) this.#beginRow(word, length, isLong);
    this.#addWord(word, length);
    this.#row.number(list.count);
    this.#row.number(notes.length);
    this.#row.number(isLong ? 0 : places.length + 1);
    this.#row.copy(notes.bytes, 0, notes.length);
    if (isLong) {
      this.#endRow();
      this.#emit(places.view());
    } else this.#row.copy(places.bytes, 0, places.length);
  }
  /** @returns the directory */
  finish() {
    this.#endRow();
    return this.#directory.view();
  }
  #endRow() {
    if (this.#row.length > 0) this.#emit(this.#row.view());
    this.#row.clear();
    this.#last.clear();
  }
  #beginRow(word, length, hasPlaces) {
    const shared = this.#hasDirectory ? sharedBytes(this.#first, word, length) : 0;
    this.#hasDirectory = true;
    this.#directory.number(hasPlaces ? 1 : 0);
    writeRest(this.#directory, shared, word, length);
    this.#first.clear();
    this.#first.copy(word, 0, length);
  }
  #addWord(word, length) {
    writeRest(this.#row, sharedBytes(this.#last, word, length), word, length);
    this.#last.clear();
    this.#last.copy(word, 0, length);
  }
};
function writeRest(to, shared, word, length) {
  to.number(shared);
  to.number(length - shared);
  to.copy(word, shared, length);
}
function sharedBytes(last, word, length) {
  const most = Math.min(last.length, length);
  let shared = 0;
  while (shared < most && last.bytes[shared] === word[shared]) shared += 1;
  return shared;
}

// src/markdown/links/path-spelling.ts
function folderOf(path) {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
function relativePath(folder, path) {
  const from = folder === "" ? [] : folder.split("/");
  const to = path.split("/");
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => ".."), ...to.slice(shared)].join("/");
}
function lastSegments(path, count) {
  return path.split("/").slice(-count).join("/");
}
function withoutExtension(path) {
  return fileKindOf(path) === "note" ? path.slice(0, -".md".length) : path;
}
function hasExtension(written, target) {
  return foldName(lastSegments(written, 1)) === foldName(lastSegments(target, 1));
}
function spellingsOf(target, source, style, before) {
  const paths = [...styledPaths(target, source, style), target, `/${target}`];
  const short = style.extension ? [] : paths.map(withoutExtension);
  const all = [...short, ...paths].flatMap((path) => [withSegmentsOf(before, path, foldName), path]);
  return [...new Set(all)];
}
function styledPaths(target, source, { by, dotted, segments }) {
  const deepest = target.split("/").length;
  switch (by) {
    case "name":
      return Array.from({ length: deepest }, (_, index) => lastSegments(target, index + 1));
    case "path": {
      const least = Math.min(segments, deepest);
      return Array.from({ length: deepest - least + 1 }, (_, index) => lastSegments(target, least + index));
    }
    case "root":
      return [`/${target}`];
    case "relative": {
      const path = relativePath(folderOf(source), target);
      if (path.startsWith("../")) return [path];
      return dotted ? [`./${path}`] : [path, `./${path}`];
    }
  }
}
function withSegmentsOf(before, path, fold) {
  const old = before.split("/");
  const segments = path.split("/");
  for (let at = 1; at <= Math.min(old.length, segments.length); at += 1) {
    const written = old.at(-at) ?? "";
    if (fold(written) !== fold(segments.at(-at) ?? "")) break;
    segments[segments.length - at] = written;
  }
  return segments.join("/");
}

// src/markdown/links/resolve-link.ts
var UNRESOLVED = { path: null };
var NOTE_EXTENSION = ".md";
function pathKeys(path) {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last === "" ? [] : [nameKeyOf(`${last}${NOTE_EXTENSION}`), nameKeyOf(last)];
}
function resolveLink(link, source, candidatesFor) {
  const { path } = splitLink(link);
  if (path === "") return { path: source, match: "exact" };
  const [noteKey = "", fileKey = ""] = pathKeys(path);
  const notes = noteKey === "" ? [] : candidatesFor(noteKey);
  if (notes.length > 0) return choose(`${path}${NOTE_EXTENSION}`, source, notes);
  return fileKey === "" ? UNRESOLVED : choose(path, source, candidatesFor(fileKey));
}
function choose(path, source, candidates) {
  const fixed = fixedPath(path, source);
  if (fixed === void 0) return UNRESOLVED;
  const wanted = wantedPath(fixed.path, folderOf(source));
  const ranked = [];
  for (const candidate of candidates) {
    const folded = foldName(candidate);
    const ends = !fixed.whole && folded.endsWith(`/${wanted.folded}`);
    if (ends || folded === wanted.folded) ranked.push(rankOf(candidate, folded, wanted));
  }
  return best(ranked);
}
function wantedPath(path, sourceFolder) {
  return { spelled: normalizeName(path), folded: foldName(path), beside: foldName(sourceFolder) };
}
function fixedPath(path, source) {
  if (path.startsWith("/")) return { path: path.slice(1), whole: true };
  if (!path.startsWith("./") && !path.startsWith("../")) return { path, whole: false };
  const from = folderOf(source) === "" ? [] : folderOf(source).split("/");
  for (const segment of path.split("/")) {
    if (segment === ".." && from.pop() === void 0) return void 0;
    if (segment !== ".." && segment !== ".") from.push(segment);
  }
  return { path: from.join("/"), whole: true };
}
function rankOf(path, folded, wanted) {
  const sameSpelling = normalizeName(path).endsWith(wanted.spelled);
  const isWhole = folded === wanted.folded;
  const isBeside = folderOf(folded) === wanted.beside;
  return { path, sameSpelling, rank: [isWhole ? 0 : 1, isBeside ? 0 : 1, path.length, sameSpelling ? 0 : 1] };
}
function best(ranked) {
  const sorted = [...ranked].sort((one, other) => compareRanks(one, other) || comparePaths(one.path, other.path));
  const [first, ...rest] = sorted;
  if (first === void 0) return UNRESOLVED;
  const others = rest.filter((other) => compareRanks(first, other) === 0).map(({ path }) => path);
  if (others.length > 0) return { path: first.path, match: "ambiguous", others };
  return { path: first.path, match: first.sameSpelling ? "exact" : "case" };
}
function compareRanks(one, other) {
  for (const [index, rank] of one.rank.entries()) {
    const difference = rank - (other.rank[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
function candidatesByName(paths) {
  const byName = Map.groupBy(paths, nameKeyOf);
  return (nameKey) => byName.get(nameKey) ?? [];
}

// src/postings/fields.ts
var FIELDS = ["title", "aliases", "headings", "tags", "properties", "body"];
var WEIGHTS = Float64Array.of(15, 12, 3, 5, 0.5, 1);
var BODY = FIELDS.indexOf("body");

// src/postings/posting-list.ts
var BODY_BIT = 1 << BODY;
var ListWriter = class {
  notes = new ByteWriter();
  places = new ByteWriter();
  count = 0;
  #last = 0;
  clear() {
    this.notes.clear();
    this.places.clear();
    this.count = 0;
    this.#last = 0;
  }
  /** @param counts the occurrences in each of the fields; others may have any value */
  addNote(ordinal, fields, counts) {
    const { notes } = this;
    notes.number(ordinal - this.#last);
    this.#last = ordinal;
    this.count += 1;
    if (fields === BODY_BIT) notes.number(counts[BODY] * 2);
    else {
      notes.number(fields * 2 + 1);
      for (let field = 0; field < FIELDS.length; field++) {
        if ((fields & 1 << field) !== 0) notes.number(counts[field]);
      }
    }
  }
};
var ListCursor = class {
  ordinal = 0;
  /** As bits. */
  fields = 0;
  /** The occurrences in each of the fields; others have any value. */
  counts = new Int32Array(FIELDS.length);
  occurrences = 0;
  /** The weighted occurrences. */
  frequency = 0;
  #reader;
  #to;
  constructor({ data, from, to }) {
    this.#reader = new ByteReader(data, from);
    this.#to = to;
  }
  next() {
    const reader = this.#reader;
    if (reader.at >= this.#to) return false;
    this.ordinal += reader.number();
    const code = reader.number();
    if ((code & 1) === 1) this.#readFields(code >>> 1);
    else {
      this.fields = BODY_BIT;
      this.occurrences = code >>> 1;
      this.counts[BODY] = this.occurrences;
      this.frequency = this.occurrences;
    }
    return true;
  }
  #readFields(fields) {
    this.fields = fields;
    this.occurrences = 0;
    this.frequency = 0;
    for (let field = 0; field < FIELDS.length; field++) {
      if ((fields & 1 << field) === 0) continue;
      const count = this.#reader.number();
      this.counts[field] = count;
      this.occurrences += count;
      this.frequency += count * WEIGHTS[field];
    }
  }
};
var FIELD_SHIFT = 28;
var MAX_POSITION = (1 << FIELD_SHIFT) - 1;

export {
  ByteWriter,
  ByteReader,
  compareBytes,
  FIELDS,
  titleProperty,
  noteTitle,
  ListWriter,
  ListCursor,
  FIELD_SHIFT,
  MAX_POSITION,
  SegmentPacker,
  folderOf,
  relativePath,
  lastSegments,
  withoutExtension,
  hasExtension,
  spellingsOf,
  withSegmentsOf,
  resolveLink,
  candidatesByName
};
