// Reads the system error code, such as ENOENT, from a thrown value.
import { constants } from 'node:os';

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
  if (!(thrown instanceof Error && 'code' in thrown)) return undefined;
  const code = String(thrown.code);
  return isUnnamed(code) ? (nameOf(thrown) ?? code) : code;
}

/** Node has numbers for what it has no names for, such as a full quota or a network drive that was mounted again. */
const isUnnamed = (code: string): boolean => code === 'UNKNOWN' || code.startsWith('Unknown system error ');
/** Errors of Linux, of damaged and of encrypted file systems and of drives that are gone, for which Node has no constants either. */
const UNKNOWN_TO_NODE = {
  EUCLEAN: 117,
  EREMOTEIO: 121,
  ENOMEDIUM: 123,
  ENOKEY: 126,
  EKEYEXPIRED: 127,
  EKEYREVOKED: 128,
};
/** The number of an error that Node does not know even by its number. */
const NODE_UNKNOWN = -4094;
const NAMES: ReadonlyMap<number, string> = new Map(
  [...Object.entries(UNKNOWN_TO_NODE), ...Object.entries(constants.errno)].map(([name, number]) => [number, name]),
);

function nameOf(thrown: Error): string | undefined {
  const { errno } = thrown as NodeJS.ErrnoException;
  if (errno === undefined || errno === NODE_UNKNOWN) return undefined;
  return NAMES.get(-errno) ?? `E${-errno}`;
}
