// Cuts the files to read into slices that are small enough to hold a few of them in memory. Pure.

const MOST_FILES = 512;
const MOST_BYTES = 2 * 1024 * 1024;

/** In the given order; a slice above the byte limit holds one file. */
export function slicesOf<F extends { readonly sizeBytes: number }>(files: readonly F[]): readonly (readonly F[])[] {
  const slices: F[][] = [];
  let current: F[] = [];
  let bytes = 0;
  for (const file of files) {
    if (current.length === MOST_FILES || (current.length > 0 && bytes + file.sizeBytes > MOST_BYTES)) {
      slices.push(current);
      current = [];
      bytes = 0;
    }
    current.push(file);
    bytes += file.sizeBytes;
  }
  return current.length > 0 ? [...slices, current] : slices;
}
