// The URIs of notes as MCP resources: `note:///` and the percent-encoded path.

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
}

export const URIS_OF_ONE: NoteUris = {
  template: NOTE_TEMPLATE,
  variables: ['path'],
  uriOf: (path: string) => uriOfNote(path),
  pathOf: (uri: string) => pathOfUri(uri),
};

const AUTHORITY = 'note://';

/** With the name of the vault as the first folder of the path. */
export const URIS_OF_SEVERAL: NoteUris = {
  template: `${AUTHORITY}{vault}/{+path}`,
  variables: ['vault', 'path'],
  uriOf: (path: string) => `${AUTHORITY}${encoded(path)}`,
  pathOf: (uri: string) => pathOfUri(uri, AUTHORITY),
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
