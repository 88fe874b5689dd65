// The files that the graph page gets: its own, as built, and those of the vault.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Content types by file name: the page, its style, its scripts, its layout worker, the parts of its reader, and the style of an exported site. */
export const PAGE_FILES = Object.freeze({
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'drawing.js': 'text/javascript; charset=utf-8',
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

/** Shown in the page. */
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
};
/** Linked; a browser saves them. */
const DOWNLOADS: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  webm: 'video/webm',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const isVaultImage = (path: string): boolean => Object.hasOwn(IMAGES, extensionOf(path));
/** Whether the file is an image, or one that a browser saves. */
export const isVaultFile = (path: string): boolean => isVaultImage(path) || Object.hasOwn(DOWNLOADS, extensionOf(path));

/** The headers of a file; undefined for a type that is not served. Nothing in a file runs, even if it is opened by itself. */
export function vaultFileHeaders(path: string): Readonly<Record<string, string>> | undefined {
  if (!isVaultFile(path)) return undefined;
  const extension = extensionOf(path);
  const disposition = isVaultImage(path) ? {} : { 'content-disposition': 'attachment' };
  return {
    'content-type': IMAGES[extension] ?? DOWNLOADS[extension] ?? '',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    ...disposition,
  };
}
