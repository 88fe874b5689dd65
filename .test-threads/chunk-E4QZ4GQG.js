import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/base/note.ts
var EMPTY_NOTE = Object.freeze({
  properties: {},
  notices: [],
  aliases: [],
  tags: [],
  headings: [],
  blocks: [],
  links: [],
  tasks: [],
  bodyOffset: 0
});
function extensionOf(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1) : "";
}
var KINDS = { md: "note", canvas: "canvas", base: "base" };
function fileKindOf(path) {
  const extension = extensionOf(path).toLowerCase();
  return Object.hasOwn(KINDS, extension) ? KINDS[extension] : "attachment";
}
function noteName(path) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return fileKindOf(path) === "note" ? name.slice(0, -".md".length) : name;
}
function foldersAbove(path) {
  const folders = path.split("/").slice(0, -1);
  return folders.map((_, at) => folders.slice(0, at + 1).join("/"));
}

export {
  EMPTY_NOTE,
  fileKindOf,
  noteName,
  foldersAbove
};
