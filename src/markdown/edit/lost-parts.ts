// Finds the headings and blocks that a changed text no longer has.
import { resolveSubpath } from '../links/section.ts';
import { viewForEdits } from './view.ts';

/** The places of those subpaths that lead to a part of the old text and to none of the new one. */
export function lostParts(before: string, after: string, subpaths: readonly string[]): number[] {
  const [old, now] = [viewForEdits('', before), viewForEdits('', after)];
  const has = ({ note, lines }: typeof old, subpath: string): boolean =>
    resolveSubpath(subpath, note, lines.starts.length) !== null;
  return subpaths.flatMap((subpath, at) => (has(old, subpath) && !has(now, subpath) ? [at] : []));
}
