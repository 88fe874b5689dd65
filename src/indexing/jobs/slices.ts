// Cuts a list of files into the slices that are read, parsed and written together.
const MAX_SLICE_FILES = 512;
export const MAX_SLICE_BYTES = 2 * 1024 * 1024;
/** Each of the next slices is twice as large: what is indexed first can be found soon, and the thread that writes begins soon. */
export const FIRST_SLICE_FILES = 64;

/** In the given order. A file above the limit is a slice of its own. */
export function slicesOf<F extends { readonly sizeBytes: number }>(files: readonly F[]): readonly (readonly F[])[] {
  const slices: F[][] = [];
  let slice: F[] = [];
  let bytes = 0;
  for (const file of files) {
    const maxFiles = Math.min(MAX_SLICE_FILES, FIRST_SLICE_FILES * 2 ** slices.length);
    const isFull = slice.length === maxFiles || bytes + file.sizeBytes > MAX_SLICE_BYTES;
    if (isFull && slice.length > 0) {
      slices.push(slice);
      slice = [];
      bytes = 0;
    }
    slice.push(file);
    bytes += file.sizeBytes;
  }
  return slice.length > 0 ? [...slices, slice] : slices;
}
