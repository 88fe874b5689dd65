// The system's word for why a file operation failed, out of whatever was thrown.

/** Rethrows what did not come from the system: that is a bug, not a state of the disk. */
export function errnoOf(thrown: unknown): string {
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code;
  throw thrown;
}
