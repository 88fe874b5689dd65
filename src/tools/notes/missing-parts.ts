// Finds the headings and blocks that links name and their files do not have, and what they may mean.
import { fileKindOf, type NotePath, type ParsedNote } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import type { LinkedPart, Store } from '../../contracts/store.ts';
import { closestParts } from '../../markdown/links/nearest-parts.ts';
import { type Outline, resolveSubpath } from '../../markdown/links/section.ts';
import { isExcalidraw } from '../../markdown/parse/plugin-data.ts';

export interface MissingPart extends LinkedPart {
  /** Headings or blocks with similar names, nearest first. */
  readonly nearest: readonly string[];
}

const NOTES_AT_ONCE = 50;

/** False for a link such as `[[Note#]]`, which leads to the whole note. */
export const namesPart = (subpath: string): boolean => subpath.replaceAll('#', '').trim() !== '';

/** The shapes of a drawing are parts of it, as `#^id`, `#^frame=name` and the like, and its data says which ones there are. */
export function hasPart(subpath: string, outline: Outline & Pick<ParsedNote, 'properties'>): boolean {
  if (resolveSubpath(subpath, outline, Number.MAX_SAFE_INTEGER) !== null) return true;
  return /#\s*\^[^#]*$/.test(subpath) && isExcalidraw(outline.properties);
}

/** Which parts a note has, as of the hash of its content. */
interface CheckedParts {
  readonly hash: string;
  readonly has: Map<string, boolean>;
}

/** A note that did not change need not be read again. */
export interface KnownParts {
  readonly hashOf: (path: NotePath) => string | undefined;
  readonly checked: Map<NotePath, CheckedParts>;
}

/** Those of notes, most links first; the parts of other files are not known. */
export async function missingParts(
  linked: readonly LinkedPart[],
  store: Store,
  signal: AbortSignal,
  { hashOf, checked }: KnownParts = { hashOf: () => undefined, checked: new Map() },
): Promise<readonly LinkedPart[]> {
  const ofNotes = linked.filter(({ target, subpath }) => fileKindOf(target) === 'note' && namesPart(subpath));
  const byTarget = Map.groupBy(ofNotes, ({ target }) => target);
  const targets = [...byTarget.keys()].sort();
  const isKnown = (target: NotePath): boolean => {
    const { hash, has } = checked.get(target) ?? {};
    return (
      hash !== undefined &&
      hash === hashOf(target) &&
      byTarget.get(target)?.every((one) => has?.has(one.subpath)) === true
    );
  };
  const unknown = targets.filter((target) => !isKnown(target));
  for (const target of unknown) checked.delete(target);
  for (let at = 0; at < unknown.length; at += NOTES_AT_ONCE) {
    for (const record of await store.notes(unknown.slice(at, at + NOTES_AT_ONCE), signal)) {
      const parts = (byTarget.get(record.path) ?? []).map(
        ({ subpath }) => [subpath, hasPart(subpath, record)] as const,
      );
      if (record.hash !== null) checked.set(record.path, { hash: record.hash, has: new Map(parts) });
    }
    await letOthersRun();
  }
  const missing = targets.flatMap((target) => {
    const has = checked.get(target)?.has;
    return (byTarget.get(target) ?? []).filter(({ subpath }) => has?.get(subpath) === false);
  });
  return missing.sort((one, other) => other.count - one.count);
}

/** With the nearest parts of its file. */
export async function withNearest(
  parts: readonly LinkedPart[],
  store: Store,
  signal: AbortSignal,
): Promise<readonly MissingPart[]> {
  const paths: NotePath[] = [...new Set(parts.map(({ target }) => target))];
  const outlines = new Map((await store.notes(paths, signal)).map((record) => [record.path, record]));
  return parts.map((part) => {
    const outline = outlines.get(part.target);
    return { ...part, nearest: outline === undefined ? [] : closestParts(part.subpath, outline) };
  });
}
