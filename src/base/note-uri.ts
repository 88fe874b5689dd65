// The URIs of notes as MCP resources: `note:///` and the percent-encoded path.

const SCHEME = 'note:///';

/** Reserved expansion, so that the slashes of a path stay slashes. */
export const NOTE_TEMPLATE = `${SCHEME}{+path}`;

/** Percent-encodes the characters of a path that have a meaning in a URI. */
export function uriOfNote(path: string): string {
  return `${SCHEME}${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The path, however much of it is encoded: clients that fill in the template themselves leave `#` and `?` as they are, so neither
 * ends a path. Undefined for a URI that is not of a note.
 */
export function pathOfUri(uri: string): string | undefined {
  const encodedPath = encodedPathOf(uri);
  return encodedPath === undefined ? undefined : decodePath(encodedPath);
}

/** What follows `note:///`; undefined for other texts. */
export function encodedPathOf(uri: string): string | undefined {
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const encodedPath = uri.slice(SCHEME.length);
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
