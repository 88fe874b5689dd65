import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/markdown/parse/pdf-pages.ts
var PAGE_BREAK = "\n\f\n";
function pagesOf(text) {
  const pages = [];
  let from = 0;
  let line = 1;
  for (const part of text.split(PAGE_BREAK)) {
    const endLine = line + linesIn(part);
    pages.push({ page: pages.length + 1, from, to: from + part.length, line, endLine });
    from += part.length + PAGE_BREAK.length;
    line = endLine + 2;
  }
  return pages;
}
function linesIn(text) {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

export {
  PAGE_BREAK,
  pagesOf
};
