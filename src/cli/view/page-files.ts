// Reads the built files of the graph page.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Content types by file name: the page, its style, its script, its layout worker the parts of its reader, and the style of an exported site. */
export const PAGE_FILES = Object.freeze({
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'layout-thread.js': 'text/javascript; charset=utf-8',
  'markdown.js': 'text/javascript; charset=utf-8',
  'math.js': 'text/javascript; charset=utf-8',
  'code.js': 'text/javascript; charset=utf-8',
  'site.css': 'text/css; charset=utf-8',
});

export type PageFile = keyof typeof PAGE_FILES;

export interface PageFiles {
  read(name: PageFile): Promise<string>;
}

/** The files in the folder beside the built program; sources use those of the last build. @param beside the starting module's `import.meta.url` */
export function builtPageFiles(beside: string): PageFiles {
  const folder = new URL(beside.endsWith('.ts') ? '../../../dist/page/' : './page/', beside);
  return pageFilesIn(fileURLToPath(folder));
}

export function pageFilesIn(folder: string): PageFiles {
  return Object.freeze({ read: (name: PageFile) => readFile(join(folder, name), 'utf8') });
}
