// Which paths a vault may be asked for, by their letters alone. Whether a link on disk leads out is for the reader to see.
import { sep } from 'node:path';

const DRIVE = /^[A-Za-z]:[\\/]/;

/** The rule that `path` breaks, for PATH_NOT_ALLOWED; undefined when it breaks none. */
export function brokenPathRule(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.includes('\0')) return 'it holds a NUL';
  if (path.startsWith('/') || DRIVE.test(path)) return 'it is absolute';
  if (sep === '\\' && /[\\:]/.test(path)) return 'folders are separated by `/` and names hold no `:`';
  return path.split('/').map(brokenSegmentRule).find(Boolean);
}

function brokenSegmentRule(segment: string): string | undefined {
  if (segment === '') return 'it has an empty segment';
  if (segment === '.' || segment === '..') return `it has a \`${segment}\` segment`;
  return segment.startsWith('.') ? 'hidden folders and files are left out' : undefined;
}
