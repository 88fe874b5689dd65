// The address of a note as a resource, `note:///Folder/Note.md`, and back, exactly.

const SCHEME = 'note:///';

/** Reserved expansion, so that the slashes of a path stay slashes. */
export const NOTE_TEMPLATE = `${SCHEME}{+path}`;

/** Every character of a path that a URI gives a meaning to stands percent-encoded. */
export function uriOfNote(path: string): string {
  return `${SCHEME}${path.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The path, however much of it is encoded: clients that fill in the template themselves leave `#` and `?` as they are, so neither
 * ends a path. Undefined for what is no address of a note.
 */
export function pathOfUri(uri: string): string | undefined {
  if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const written = uri.slice(SCHEME.length);
  if (written === '') return undefined;
  return decoded(written);
}

/** A `%` that begins no code stands for itself. */
function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
