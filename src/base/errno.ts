// Reads the system error code, such as ENOENT, from a thrown value.

/** `unknown` for a value without a code. */
export function errnoOf(thrown: unknown): string {
  return codeOf(thrown) ?? 'unknown';
}

/** Rethrows anything that is not a system error: that is a bug, not a state of the disk. */
export function errnoOrRethrow(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === undefined) throw thrown;
  return code;
}

export const isErrno = (thrown: unknown, ...errnos: readonly string[]): boolean =>
  errnos.includes(codeOf(thrown) ?? '');

/** Whether the system refused something; not for the errors of Node itself, whose codes begin with `ERR_`. */
export const isSystemError = (thrown: unknown): boolean => /^E[A-Z0-9]+$/.test(codeOf(thrown) ?? '');

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
