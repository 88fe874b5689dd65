// The URIs and MIME types of files as MCP resources: `note:///` and the percent-encoded path.
import { extensionOf } from './note.ts';

const SCHEME = 'note:///';

/** Reserved expansion, so that the slashes of a path stay slashes. */
export const NOTE_TEMPLATE = `${SCHEME}{+path}`;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** How the notes that a server has are named as resources. */
export interface NoteUris {
  readonly template: string;
  /** The variables of the template. */
  readonly variables: readonly ('vault' | 'path')[];
  uriOf(path: string): string;
  /** Undefined for a URI that is not of a note. */
  pathOf(uri: string): string | undefined;
  /** The address of the resource with the changes of a vault. */
  changesIn(vault: string): string;
}

export const URIS_OF_ONE: NoteUris = {
  template: NOTE_TEMPLATE,
  variables: ['path'],
  uriOf: (path: string) => uriOfNote(path),
  pathOf: (uri: string) => pathOfUri(uri),
  changesIn: () => 'notes:///changed',
};

const AUTHORITY = 'note://';

/** With the name of the vault as the first folder of the path. */
export const URIS_OF_SEVERAL: NoteUris = {
  template: `${AUTHORITY}{vault}/{+path}`,
  variables: ['vault', 'path'],
  uriOf: (path: string) => `${AUTHORITY}${encoded(path)}`,
  pathOf: (uri: string) => pathOfUri(uri, AUTHORITY),
  changesIn: (vault: string) => `notes://${encoded(vault)}/changed`,
};

/** Percent-encodes the characters of a path that have a meaning in a URI. */
export function uriOfNote(path: string): string {
  return `${SCHEME}${encoded(path)}`;
}

/**
 * The path, however much of it is encoded: clients that fill in the template themselves leave `#` and `?` as they are, so neither
 * ends a path. Undefined for a URI that is not of a note.
 */
export function pathOfUri(uri: string, scheme = SCHEME): string | undefined {
  const encodedPath = encodedPathOf(uri, scheme);
  return encodedPath === undefined ? undefined : decodePath(encodedPath);
}

/** What follows `note:///`; undefined for other texts. */
export function encodedPathOf(uri: string, scheme = SCHEME): string | undefined {
  if (uri.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  const encodedPath = uri.slice(scheme.length);
  return encodedPath === '' ? undefined : encodedPath;
}

/** A `%` that does not start an escape is kept. */
export function decodePath(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The media types of the files that Obsidian shows, by extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  canvas: 'application/json',
  base: 'application/yaml',
  pdf: 'application/pdf',
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  '3gp': 'video/3gpp',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
  webm: 'video/webm',
};

/** The media type of a file; another one has that of any bytes. */
export function mediaTypeOf(path: string): string {
  const extension = extensionOf(path).toLowerCase();
  return (Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : undefined) ?? 'application/octet-stream';
}
